import type { DrillPart } from '../../../../cli/drill/drill-part.ts'
import { clockWords } from '../../../../cli/drill/live-table.ts'
import type { Rehearsal } from '../../../../cli/drill/rehearsal.ts'
import { type DrillOptions, rehearse } from '../../../../cli/drill/rehearse.ts'
import { percentile, waitWords } from '../../../../cli/drill/verdict/criteria.ts'
import { numberWords } from '../../../../cli/output/words.ts'
import type { Outcome } from '../../../../cli/terminal/command.ts'
import { confirmChange } from '../../../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../../../cli/terminal/io.ts'
import { printable } from '../../../../cli/terminal/text.ts'
import type { BorrowedDoors } from '../../doors-file.ts'
import { type EveningPlace, readEveningPlace, withBorrowedDoors } from './evening-doors.ts'
import { EARLY_FACTOR, eveningTimes, planEvening } from './evening-plan.ts'
import { verdictOnEvening, waitsForOpening } from './evening-verdict.ts'
import { type Evening, goOn, type Watch } from './evening-viewers.ts'

export interface EveningOptions extends Omit<DrillOptions, 'url'> {
  readonly url?: string
  readonly yes?: boolean
}

/** The app takes new doors within two seconds. */
const SETTLE_MS = 2_000
/** The part around the opening that the page shows second by second. */
const BEFORE_MS = 10_000
const AFTER_MS = 30_000

/**
 * Rehearses an event with doors, and judges it. Moves the doors in their file, and puts them back.
 * @param watch what viewers do in the player; null for nothing.
 * @throws ConfigError for an address that may not be drilled, without doors, or for viewers that cannot be used.
 */
export async function rehearseEvening(
  io: CommandIo,
  options: EveningOptions,
  watch: Watch | null,
  features: readonly DrillPart[],
): Promise<Outcome> {
  const place = readEveningPlace(options.url, io.env, features)
  const reasons = features.flatMap(({ refusals = {} }) => Object.keys(refusals))
  return await withBorrowedDoors(io, place, (doors) => {
    const rehearsal = eveningRehearsal(io, options, place, doors, reasons, watch)
    return rehearse(io, { ...options, url: place.url.href }, rehearsal, features)
  })
}

/** @param reasons why the app may keep viewers from the player: these are part of an evening. */
function eveningRehearsal(
  io: CommandIo,
  { yes, over, returns, maxWait: maxWaitMs }: EveningOptions,
  { url, label, file, screens, state }: EveningPlace,
  doors: BorrowedDoors,
  reasons: readonly string[],
  watch: Watch | null,
): Rehearsal {
  const times = eveningTimes(over)
  const { movesMs, firstOpeningMs, opensMs, closesMs } = times
  let shownOpeningMs = firstOpeningMs
  const leave = Object.fromEntries(reasons.map((reason) => [reason, () => null]))
  return {
    name: 'Evening',
    command: 'drill --evening',
    url,
    peakFactor: EARLY_FACTOR,
    // The screen has named the opening. It may move meanwhile: then the next screen names another one.
    holds: { ...leave, 'not-open-yet': () => shownOpeningMs },
    confirm() {
      const sentences = [
        `Rehearses an evening of ${clockWords(over)} at ${url.origin}${url.pathname}: viewers wait, the start moves, the doors open and close.`,
        `Moves the doors of entry point ${label} in ${file}, and puts them back. ${state} Until then, other viewers meet closed doors.`,
      ]
      for (const sentence of sentences) io.stderr.write(`${printable(sentence)}\n`)
      return confirmChange(io, yes, `Close the doors of ${label} for this drill?`)
    },
    plan(viewers) {
      const startsAtMs = Math.ceil((Date.now() + SETTLE_MS) / 1000) * 1000
      const moveOpening = (toMs: number) => {
        doors.move(isoTime(startsAtMs + toMs), isoTime(startsAtMs + closesMs))
        shownOpeningMs = toMs
      }
      moveOpening(firstOpeningMs)
      const evening: Evening = { times, screens, watch, watched: [], noticed: [], late: [] }
      const plans = planEvening(viewers, times, { overMs: over, returnShare: returns, hasLimit: screens !== null })
      return {
        startsAtMs,
        visits: plans.map((one) => ({
          ...one,
          further: (visitor, signedIn) => goOn(one, visitor, signedIn, evening),
        })),
        commands: [],
        marks: [
          { atMs: movesMs, words: 'start moved', act: () => moveOpening(opensMs) },
          { atMs: firstOpeningMs, words: 'first start' },
          { atMs: opensMs, words: 'doors open' },
          { atMs: closesMs, words: 'end' },
        ],
        sentences: [`If the drill is killed, put back in ${file}: ${doors.before}`],
        judge(record) {
          const waits = waitsForOpening(record.visits, opensMs)
          return {
            checks: verdictOnEvening(record, evening, plans.length, maxWaitMs),
            summary: 'No viewer got in before the doors opened or after the end, and all viewers got in between.',
            figures: [
              { value: numberWords(waits.length), label: 'viewers waited for the opening' },
              {
                value: waitWords(percentile(waits.filter(Number.isFinite), 0.99)),
                label: 'after the opening, 99 % of them were in the player',
              },
            ],
            closeUp: {
              title: 'The opening, second by second',
              fromMs: Math.max(0, opensMs - BEFORE_MS),
              toMs: Math.min(record.endedMs, opensMs + AFTER_MS),
            },
            notes: ['The opening was planned for "first start". At "start moved", the drill moved it to "doors open".'],
          }
        },
      }
    },
  }
}

/** @param timeMs whole seconds. */
function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z')
}
