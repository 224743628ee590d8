import type { ServerOptions } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { makeCertificate, makeExpiredCertificate } from '../../../../servers/certificate.ts'

/** Makes a certificate of no known authority. */
export async function unknownCertificate(): Promise<ServerOptions> {
  const { certificate: cert, key } = await makeCertificate()
  return { cert, key }
}

export async function expiredCertificate(): Promise<ServerOptions> {
  const { certificate: cert, key } = await makeExpiredCertificate()
  return { cert, key }
}

/** Makes a certificate that this process trusts until the end of the test. */
export async function trustedCertificate(names?: readonly string[], days?: number): Promise<ServerOptions> {
  const { certificate: cert, key } = await makeCertificate(names, undefined, days)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  onTestFinished(() => setDefaultCACertificates(before))
  return { cert, key }
}
