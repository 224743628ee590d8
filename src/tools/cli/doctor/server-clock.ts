import { request } from './request.ts'

/**
 * Returns how far the clock of a server is ahead of this machine, to about a second. Null without an answer, NaN
 * without a Date.
 */
export async function aheadSeconds(url: string, signal: AbortSignal): Promise<number | null> {
  const sentAtMs = Date.now()
  const answer = await request(url, signal)
  const halfWayMs = (sentAtMs + Date.now()) / 2
  if (!(answer instanceof Response)) return null
  const dateMs = Date.parse(answer.headers.get('date') ?? '')
  // The header has no fraction of a second, so the time is half a second later on average.
  return (dateMs + 500 - halfWayMs) / 1000
}
