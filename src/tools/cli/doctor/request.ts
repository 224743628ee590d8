import { isCertificateFault } from '../../../server/certificate-fault.ts'
import { type Finding, failure } from './finding.ts'

const TIMEOUT_MS = 8_000
const MAX_BYTES = 65_536

/** Requests an address as a browser would, without following redirects. Returns a failure if there is no answer. */
export async function request(url: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response | Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await fetch(url, { redirect: 'manual', ...init, signal: limit })
    return new Response(await readBeginning(answer), answer)
  } catch (error) {
    signal.throwIfAborted()
    return connectionFault(new URL(url), codeOf(error))
  }
}

/** Returns the code of Node for a request that failed, such as ECONNREFUSED. Returns the message if there is no code. */
export function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

/** Reads only the beginning of the body, because an endless answer would fill the memory. */
async function readBeginning({ body }: Response): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_BYTES) break
  }
  return body === null ? null : new Blob(chunks)
}

/** Names the cause of a connection that failed. */
function connectionFault({ origin, host, hostname }: URL, code: string): Finding {
  if (code === 'ECONNREFUSED') {
    return failure('nothing-listens', `Nothing listens at ${origin} (${code}). Start the program, or correct the port.`)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure('unknown-host', `DNS does not know ${hostname} (${code}). Correct the name, or add it to DNS.`)
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const fault = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'
    return failure(
      'certificate-expired',
      `The certificate of ${host} ${fault} (${code}). Browsers refuse it. Renew it, or correct the clock of this machine.`,
    )
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return failure(
      'certificate-name',
      `The certificate of ${host} is for another name (${code}). Browsers refuse it. Get one for this name.`,
    )
  }
  if (isCertificateFault(code)) {
    return failure(
      'certificate-untrusted',
      `No known authority signed the certificate of ${host} (${code}). Browsers refuse it, unless they know your authority: then set NODE_EXTRA_CA_CERTS for this command. The server must also send its intermediate certificates.`,
    )
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return failure(
      'no-tls',
      `${origin} does not speak TLS (${code}). Correct the port, or give the server a certificate.`,
    )
  }
  if (/timeout|timedout/i.test(code)) {
    return failure('no-answer', `${origin} does not answer in time (${code}). Check firewalls and the proxy.`)
  }
  return failure('no-answer', `Cannot reach ${origin} (${code}). Check its address and the proxy.`)
}
