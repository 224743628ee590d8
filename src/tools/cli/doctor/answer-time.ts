import { type Finding, failure, warning } from './finding.ts'

const SLOW_MS = 1_500
const TOO_SLOW_MS = 6_000

/** Returns a finding if an answer of the app takes seconds. */
export function slowAnswer(address: string, tookMs: number): Finding[] {
  if (tookMs < SLOW_MS) return []
  const text = `${address} takes ${(tookMs / 1000).toFixed(1)} s to answer.`
  const cure = 'See the log and the load of the app, its stores, and the proxy.'
  return tookMs < TOO_SLOW_MS
    ? [warning('slow-answers', `${text} Viewers wait that long for each screen. ${cure}`)]
    : [failure('slow-answers', `${text} Viewers give up, or a proxy or player stops waiting. ${cure}`)]
}
