import { styleText } from 'node:util'
import type { CommandIo } from '../terminal/io.ts'
import { counted, printable, wrapped } from '../terminal/text.ts'
import type { Finding, Level } from './finding.ts'

/** The only failure that stops nobody. */
const OPEN = 'channel-unlocked'
const HELP = 'README.md#when-viewers-do-not-get-through'

/** The outcome of a run of doctor. */
export type Verdict = ReturnType<typeof verdictOn>['outcome']

/**
 * Sums up the findings. Says that viewers will get through only if every check that decides it was made.
 * @param options with `isVerbose`, the successful checks are printed one by one.
 * @param options.isStrict true if warnings and unknown results also make the exit status 1.
 */
export function verdictOn(
  findings: readonly Finding[],
  { isStrict, isVerbose, stdout }: { isStrict: boolean; isVerbose: boolean; stdout: CommandIo['stdout'] },
) {
  const count = (state: Level) => findings.filter((finding) => finding.state === state).length
  const passed = count('ok')
  const failures = count('failure')
  const unknowns = count('unknown')
  const warnings = count('warning')
  const conditions = [...new Set(findings.flatMap(({ condition }) => condition ?? []))]
  const isOpen = findings.some(({ state, condition }) => state === 'unknown' && condition === undefined)
  const getThrough = ['Viewers will get through', ...conditions].join(', ')
  const first = findings.find(({ state }) => state === 'failure')
  const verdict =
    failures > 0 && findings.every(({ state, code }) => state !== 'failure' || code === OPEN)
      ? 'Everybody can watch without signing in: see each failure.'
      : failures > 0
        ? 'Viewers, or some of them, will not get through: see each failure.'
        : isOpen
          ? 'Not proven that viewers will get through: no check failed, but see each line "unknown".'
          : warnings > 0
            ? `${getThrough}, but see the warnings.`
            : `${getThrough}.`
  const counts = `(${counted(findings.length, 'check')}: ${counted(failures, 'failure')}, ${unknowns} unknown, ${counted(warnings, 'warning')})`
  const lines: (string | string[])[] = [
    isVerbose || passed === 0 ? [] : `${counted(passed, 'check')} passed (--verbose shows them).`,
    styleText('bold', wrapped(`${verdict} ${counts}`, stdout), { stream: stdout }),
    first && failures > 1 ? wrapped(`First failure: ${printable(first.text)}`, stdout) : [],
    `From a symptom to its cause: ${HELP}`,
  ]
  const isPartial = failures > 0 || (isStrict && unknowns + warnings > 0)
  const data = { verdict, findings, checks: findings.length, failures, unknowns, warnings, help: HELP }
  return { outcome: { ok: true as const, data, isPartial }, text: lines.flat().join('\n') }
}
