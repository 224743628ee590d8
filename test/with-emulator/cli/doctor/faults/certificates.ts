import type { ServerOptions } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onTestFinished } from 'vitest'
import { type Certificate, makeCertificate, makeExpiredCertificate } from '../../../../servers/certificate.ts'

let made: Promise<Certificate> | undefined

/** Returns the authority of `trustedCertificate()`. */
export function authority(): Promise<Certificate> {
  made ??= makeCertificate(['DNS:authority.example'])
  return made
}

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
  const { certificate: cert, key } = await makeCertificate(names, await authority(), days)
  await trustAuthority()
  return { cert, key }
}

/** Makes a trusted certificate with its name in the subject, and no `subjectAltName`, as old internal authorities do. */
export async function nameOnlyInSubject(): Promise<ServerOptions> {
  const { certificate: cert, key } = await makeCertificate([], await authority(), 30, 'localhost')
  await trustAuthority()
  return { cert, key }
}

async function trustAuthority(): Promise<void> {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, (await authority()).certificate])
  onTestFinished(() => setDefaultCACertificates(before))
}
