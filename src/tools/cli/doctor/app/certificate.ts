import { once } from 'node:events'
import { connect } from 'node:tls'
import { type Finding, failure, warning } from '../finding.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 14
const TIMEOUT_MS = 5_000

/** Returns what is wrong with the certificate of an https address, if requests of this machine accept it. */
export async function checkCertificate(
  { protocol, hostname, port, host }: URL,
  signal: AbortSignal,
): Promise<Finding | null> {
  if (protocol !== 'https:') return null
  const name = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host: name, port: Number(port || 443), servername: name, rejectUnauthorized: false })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const connected = await once(socket, 'secureConnect', { signal: limit }).catch(() => null)
  const certificate = connected && socket.getPeerCertificate()
  socket.destroy()
  if (certificate === null) return null
  if (!certificate.subjectaltname) {
    return failure(
      'certificate-name',
      `The certificate of ${host} has its name in the subject only. Browsers refuse it: they read only subjectAltName. Get a certificate with ${hostname} as subjectAltName.`,
    )
  }
  const endMs = Date.parse(certificate.valid_to)
  const days = Math.floor((endMs - Date.now()) / DAY_MS)
  if (!(days < MOST_DAYS)) return null
  return warning(
    'certificate-ends',
    `The certificate of ${host} ends in ${days} days, on ${new Date(endMs).toISOString().slice(0, 10)}. After that, browsers refuse it, and no viewer gets through. Renew it, and check why it was not renewed by itself.`,
  )
}
