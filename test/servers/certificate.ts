import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A certificate and its key, in PEM form. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

const run = promisify(execFile)

/**
 * Makes a certificate.
 * @param names such as `DNS:localhost`. None for a certificate without subjectAltName.
 * @param authority signs the certificate. Without one, the certificate signs itself and is its own authority.
 * @param days how long it is valid.
 * @param subject the common name.
 * @throws Error if openssl is not installed.
 */
export async function makeCertificate(
  names: readonly string[] = ['DNS:localhost', 'IP:127.0.0.1'],
  authority?: Certificate,
  days = 30,
  subject = 'throwaway',
): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const request = ['req', '-x509', ...key, '-days', String(days)]
  const alternatives = names.length > 0 ? ['-addext', `subjectAltName=${names.join(',')}`] : []
  const signer = { key: join(folder, 'authority-key.pem'), certificate: join(folder, 'authority.pem') }
  const signed = [...['-CA', signer.certificate, '-CAkey', signer.key], '-addext', 'basicConstraints=critical,CA:FALSE']
  try {
    if (authority) {
      writeFileSync(signer.key, authority.key)
      writeFileSync(signer.certificate, authority.certificate)
    }
    const options = [...request, '-subj', `/CN=${subject}`, ...alternatives, ...(authority ? signed : [])]
    await run('openssl', [...options, '-keyout', files.key, '-out', files.certificate])
    return { key: readFileSync(files.key, 'utf8'), certificate: readFileSync(files.certificate, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes a certificate that expired yesterday. @throws Error if openssl is not installed. */
export async function makeExpiredCertificate(): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
  try {
    await openssl('req', '-new', ...key, '-subj', '/CN=throwaway', '-out', 'request.pem')
    await openssl('x509', '-req', '-in', 'request.pem', '-signkey', 'key.pem', '-days', '-1', '-out', 'cert.pem')
    return {
      key: readFileSync(join(folder, 'key.pem'), 'utf8'),
      certificate: readFileSync(join(folder, 'cert.pem'), 'utf8'),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
