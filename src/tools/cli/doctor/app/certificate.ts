import { connect } from 'node:tls'
import { type Finding, warning } from '../finding.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 14
const TIMEOUT_MS = 5_000

/** Returns a warning if the certificate of an https address ends soon. Other faults of it have other findings. */
export async function checkCertificate(
  { protocol, hostname, port, host }: URL,
  signal: AbortSignal,
): Promise<Finding | null> {
  if (protocol !== 'https:') return null
  const name = hostname.replace(/^\[|\]$/g, '')
  const endMs = await new Promise<number>((resolve) => {
    const socket = connect({ host: name, port: Number(port || 443), servername: name, rejectUnauthorized: false })
    const done = (ms: number) => {
      signal.removeEventListener('abort', stop)
      socket.destroy()
      resolve(ms)
    }
    const stop = () => done(Number.NaN)
    signal.addEventListener('abort', stop)
    socket.setTimeout(TIMEOUT_MS, stop)
    socket.once('error', stop)
    socket.once('secureConnect', () => done(Date.parse(socket.getPeerCertificate().valid_to)))
  })
  const days = Math.floor((endMs - Date.now()) / DAY_MS)
  if (!(days < MOST_DAYS)) return null
  return warning(
    'certificate-ends',
    `The certificate of ${host} ends in ${days} days, on ${new Date(endMs).toISOString().slice(0, 10)}. After that, browsers refuse it, and no viewer gets through. Renew it, and check why it was not renewed by itself.`,
  )
}
