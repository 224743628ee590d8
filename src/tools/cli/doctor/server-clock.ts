import { request } from './request.ts'

/**
 * Returns how far the clock of a server is ahead of this machine, to about a second. Null without an answer, NaN
 * without a Date. The server wrote the Date at any moment of the request: 0 if both clocks may agree, so that a slow answer
 * is not taken for a wrong clock.
 */
export async function aheadSeconds(url: string, signal: AbortSignal): Promise<number | null> {
  const sentAtMs = Date.now()
  const answer = await request(url, signal)
  const receivedAtMs = Date.now()
  if (!(answer instanceof Response)) return null
  const dateMs = Date.parse(answer.headers.get('date') ?? '')
  if (Number.isNaN(dateMs)) return Number.NaN
  const leastSeconds = (dateMs - receivedAtMs) / 1000
  // The header has no fraction of a second.
  const mostSeconds = (dateMs + 1000 - sentAtMs) / 1000
  return leastSeconds <= 0 && mostSeconds >= 0 ? 0 : (leastSeconds + mostSeconds) / 2
}
