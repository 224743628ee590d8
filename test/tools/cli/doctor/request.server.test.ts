import { createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../../../src/tools/cli/doctor/finding.ts'
import { request } from '../../../../src/tools/cli/doctor/request.ts'
import { makeCertificate, makeExpiredCertificate } from '../../../servers/certificate.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'

const ask = (url: string) => request(url, new AbortController().signal)
async function codeOf(url: string): Promise<string> {
  const answer = await ask(url)
  return answer instanceof Response ? 'answered' : answer.code
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
  ['of an unknown authority', makeCertificate, 'certificate-untrusted', 'NODE_EXTRA_CA_CERTS'],
  ['that has expired', makeExpiredCertificate, 'certificate-expired', 'CERT_HAS_EXPIRED'],
])('a certificate %s is named, with the fault', async (_fault, make, expected, named) => {
  const { certificate: cert, key } = await make()
  const service = await startService((_req, res) => res.end(), { cert, key })
  const { code, text } = (await ask(service.href)) as Finding
  expect([code, text]).toEqual([expected, expect.stringContaining(named)])
})

test('a certificate for another name is named', async () => {
  const own = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(own))
  const { certificate: cert, key } = await makeCertificate(['DNS:other.example'])
  setDefaultCACertificates([...own, cert])
  const service = await startService((_req, res) => res.end(), { cert, key })
  const { code, text } = (await ask(service.href)) as Finding
  expect([code, text]).toEqual(['certificate-name', expect.stringContaining('another name')])
})
