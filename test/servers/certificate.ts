import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Both in PEM form. The certificate signed itself, so it is its own authority. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

const run = promisify(execFile)

/**
 * Makes a certificate that is good for two days.
 * @param names such as `DNS:localhost`.
 * @throws Error where openssl is not installed.
 */
export async function makeCertificate(
  names: readonly string[] = ['DNS:localhost', 'IP:127.0.0.1'],
): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') }
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=throwaway', '-addext', `subjectAltName=${names.join(',')}`]
  try {
    await run('openssl', [...request, ...subject, '-keyout', files.key, '-out', files.certificate])
    return { key: readFileSync(files.key, 'utf8'), certificate: readFileSync(files.certificate, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
