import { ANSWER_CHECKS } from './answer-checks.ts'
import type { Finding } from './finding.ts'

/** True if an earlier finding already names the cause. */
export function isConsequence({ code, entryPoint }: Finding, earlier: readonly Finding[]): boolean {
  const causes = ANSWER_CHECKS.flatMap(({ consequences }) => consequences[code] ?? [])
  return earlier.some(
    (one) => one.state !== 'ok' && causes.includes(one.code) && (one.entryPoint ?? entryPoint) === entryPoint,
  )
}
