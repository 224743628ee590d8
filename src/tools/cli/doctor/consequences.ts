import type { FeatureChecks } from './feature-check.ts'
import type { Finding } from './finding.ts'

/** Consequences besides those of an answer: the code of a finding, and the codes of its causes. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  'player-frame-src': ['page-other-content'],
  'page-other-content': ['channel-unknown', 'not-owner', 'no-own-lock'],
  // The check of the app named the store already.
  'store-opens': ['store-opens'],
  'store-reachable': ['store-reachable'],
  'slow-answers': ['slow-answers'],
}

/** True if an earlier finding already names the cause. */
export function isConsequence(
  { code, entryPoint }: Finding,
  earlier: readonly Finding[],
  { answerChecks }: Pick<FeatureChecks, 'answerChecks'>,
): boolean {
  const causes = [CONSEQUENCES, ...answerChecks.map(({ consequences }) => consequences)].flatMap(
    (consequences) => consequences[code] ?? [],
  )
  return earlier.some(
    (one) => one.state !== 'ok' && causes.includes(one.code) && (one.entryPoint ?? entryPoint) === entryPoint,
  )
}
