import { parseServiceKeys, type ServiceKeys } from '../../../features/token/viewer-token/service-keys.ts'
import { UnexpectedAnswer } from '../service-errors.ts'
import type { Transport } from '../transport.ts'

const TIMEOUT_MS = 5000
const MOST_BYTES = 2 ** 20

/**
 * Fetches the public keys of the service, newest first. Tokens are encrypted with the newest.
 * @param url `/viewer-auth-public-key.json` of the service. It needs no credentials.
 * @throws UnexpectedAnswer for an answer without a usable key. Other errors as Transport.
 */
export async function fetchServiceKeys(send: Transport, url: string, signal?: AbortSignal): Promise<ServiceKeys> {
  const limits = { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES }
  const { body } = await send({ method: 'GET', url: new URL(url), signal, ...limits })
  try {
    return parseServiceKeys(body)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new UnexpectedAnswer(`The answer of ${url} ${cause.message}`, { cause })
  }
}
