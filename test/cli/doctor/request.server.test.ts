import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../../src/cli/doctor/finding.ts'
import { request } from '../../../src/cli/doctor/request.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'

const ask = (url: string) => request(url, new AbortController().signal)
async function codeOf(url: string): Promise<string> {
  const answer = await ask(url)
  return answer instanceof Response ? 'answered' : answer.code
}

/** Makes a certificate that expired yesterday. */
async function expiredCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem']
  await openssl('req', '-new', ...key, '-subj', '/CN=127.0.0.1', '-out', 'request.pem')
  await openssl('x509', '-req', '-in', 'request.pem', '-signkey', 'key.pem', '-days', '-1', '-out', 'cert.pem')
  return { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem')) }
}

test('an address without a listener, a name without DNS and a server without TLS are told apart', async () => {
  expect(await codeOf((await closedAddress()).href)).toBe('nothing-listens')
  expect(await codeOf('https://login.invalid/')).toBe('unknown-host')
  const plain = await startService((_req, res) => res.end())
  expect(await codeOf(plain.href)).toBe('answered')
  expect(await codeOf(plain.href.replace('http:', 'https:'))).toBe('no-tls')
})

test('a server that closes the connection gives no answer', async () => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : null
  expect(await codeOf(`http://127.0.0.1:${port}/`)).toBe('no-answer')
})

test.each([
  ['of an unknown authority', 'NODE_EXTRA_CA_CERTS'],
  ['that has expired', 'CERT_HAS_EXPIRED'],
])('a certificate %s is named, with the fault', async (fault, named) => {
  const { certificate: cert, key } = await makeCertificate()
  const tls = fault === 'that has expired' ? await expiredCertificate() : { cert, key }
  const service = await startService((_req, res) => res.end(), tls)
  const { code, text } = (await ask(service.href)) as Finding
  expect([code, text]).toEqual(['certificate', expect.stringContaining(named)])
})

test('a certificate for another name is named', async () => {
  const own = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(own))
  const { certificate: cert, key } = await makeCertificate(['DNS:other.example'])
  setDefaultCACertificates([...own, cert])
  const service = await startService((_req, res) => res.end(), { cert, key })
  const { code, text } = (await ask(service.href)) as Finding
  expect([code, text]).toEqual(['certificate', expect.stringContaining('another name')])
})
