import type { Environment } from '../../../settings/fields.ts'
import { countWords } from '../output/words.ts'
import { PEAK_FACTOR, planVisits } from './crowd/plan.ts'
import type { SignInForm } from './crowd/sign-in-form.ts'
import type { PlannedVisit } from './crowd/visit.ts'
import { readDrillAddress } from './drill-address.ts'
import { clockWords } from './live-table.ts'
import type { PlannedCommand } from './operator-commands.ts'
import type { Rehearsal } from './rehearsal.ts'
import type { DrillOptions } from './rehearse.ts'
import { verdictOn } from './verdict/verdict.ts'

/** The app stops an address after 300 failed sign-ins in ten minutes. */
const MANY_WRONG_PASSWORDS = 250

/**
 * Viewers arrive as before an event, mistype and come back, while commands of the operator run.
 * @param commands in the order of their times.
 * @throws ConfigError for an address that may not be drilled.
 */
export function usualRehearsal(
  { url: address, over: overMs, wrong, returns, recoverWithin, maxWait }: DrillOptions,
  commands: readonly PlannedCommand[],
  env: Environment,
): Rehearsal {
  const url = readDrillAddress(address, env)
  return {
    name: 'Drill',
    command: 'drill',
    url,
    peakFactor: PEAK_FACTOR,
    plan(viewers, form) {
      const visits = planVisits(viewers, { overMs, wrongShare: wrong, returnShare: returns })
      const limits = { recoverWithinMs: recoverWithin, maxWaitMs: maxWait }
      return {
        startsAtMs: Date.now(),
        visits,
        commands,
        marks: [],
        sentences: announcement(url, visits, overMs, form),
        judge: (record) => ({
          checks: verdictOn(record, visits.length, limits, form),
          summary: `All viewers got in ${form.words}, and no response went out without the right ${form.typed}.`,
          figures: [],
          closeUp: null,
          notes: [`Wrong ${form.typed}s that were refused with 401 are not in these charts.`],
        }),
      }
    },
  }
}

function announcement(
  url: URL,
  visits: readonly PlannedVisit[],
  overMs: number,
  { words, typed }: SignInForm,
): string[] {
  const wrong = visits.reduce((sum, visit) => sum + visit.wrongPasswords, 0)
  const returning = visits.filter(({ returnsAfterMs }) => returnsAfterMs !== null).length
  const sentences = [
    `Signs in ${countWords(visits.length, 'viewer')} at ${url.origin}${url.pathname} ${words}, within ${clockWords(overMs)}, all from the address of this machine.`,
    `${countWords(wrong, `wrong ${typed}`)}, ${countWords(returning, 'viewer')} with a later return.`,
  ]
  if (wrong > MANY_WRONG_PASSWORDS) {
    sentences.push(
      `Warning: the app refuses an address after 300 failed sign-ins in ten minutes. It does not count those of viewers who then sign in. If it answers 429, use a lower --wrong.`,
    )
  }
  return sentences
}
