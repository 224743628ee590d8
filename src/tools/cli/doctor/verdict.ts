import type { Outcome } from '../command.ts'
import { counted } from '../terminal/text.ts'
import type { Finding, Level } from './finding.ts'

/** The only failure that stops nobody. */
const OPEN = 'channel-unlocked'
const HELP = 'README.md#when-viewers-do-not-get-through'

/**
 * Sums up the findings. Says that viewers will get through only if every check that decides it was made.
 * @param isStrict true if warnings and unknown results also make the exit status 1.
 */
export function verdictOn(findings: readonly Finding[], isStrict: boolean): Outcome {
  const count = (state: Level) => findings.filter((finding) => finding.state === state).length
  const [failures, unknowns, warnings] = [count('failure'), count('unknown'), count('warning')]
  const verdict =
    failures > 0 && findings.every(({ state, code }) => state !== 'failure' || code === OPEN)
      ? 'Everybody can watch without signing in: see each failure.'
      : failures > 0
        ? 'Viewers, or some of them, will not get through: see each failure.'
        : unknowns > 0
          ? 'Not proven that viewers will get through: no check failed, but see each line "unknown".'
          : warnings > 0
            ? 'Viewers will get through, but see the warnings.'
            : 'Viewers will get through.'
  const counts = `(${counted(findings.length, 'check')}: ${counted(failures, 'failure')}, ${unknowns} unknown, ${counted(warnings, 'warning')})`
  const text = `${verdict} ${counts}\nFrom a symptom to its cause: ${HELP}`
  const isPartial = failures > 0 || (isStrict && unknowns + warnings > 0)
  return {
    ok: true,
    text,
    data: { verdict, findings, checks: findings.length, failures, unknowns, warnings, help: HELP },
    isPartial,
  }
}
