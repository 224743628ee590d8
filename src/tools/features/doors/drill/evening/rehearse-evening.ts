import { causesOf } from '../../../../cli/drill/causes.ts'
import { faultInCount, faultInScreen, MADE_UP_VIEWERS } from '../../../../cli/drill/crowd/crowd-faults.ts'
import { readExpectedResponse } from '../../../../cli/drill/crowd/expected-response.ts'
import type { Credentials } from '../../../../cli/drill/crowd/plan.ts'
import { assertOwnStore } from '../../../../cli/drill/drill-address.ts'
import type { DrillPart } from '../../../../cli/drill/drill-part.ts'
import { readViewers, withMadeUpViewers } from '../../../../cli/drill/drill-viewers.ts'
import { clockWords } from '../../../../cli/drill/live-table.ts'
import type { DrillOptions } from '../../../../cli/drill/rehearse.ts'
import { printVerdict } from '../../../../cli/drill/verdict/criteria.ts'
import type { Outcome } from '../../../../cli/terminal/command.ts'
import { confirmChange } from '../../../../cli/terminal/confirm.ts'
import { type CommandIo, stopOnInterrupt } from '../../../../cli/terminal/io.ts'
import { openFileSink, type ReportSink } from '../../../../cli/terminal/sink.ts'
import { printable } from '../../../../cli/terminal/text.ts'
import type { BorrowedDoors } from '../../doors-file.ts'
import { type EveningPlace, readEveningPlace, withBorrowedDoors } from './evening-doors.ts'
import { eveningTimes, planEvening } from './evening-plan.ts'
import { verdictOnEvening } from './evening-verdict.ts'
import { type Evening, type EveningRecord, marksOf, runEvening, type Watch, wholeWave } from './run-evening.ts'

export interface EveningOptions extends Omit<DrillOptions, 'url'> {
  readonly url?: string
  readonly yes?: boolean
}

/** The app takes new doors within two seconds. */
const SETTLE_MS = 2_000
const ROWS = 20
const LEAST_ROW_MS = 1_000

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
  const { group: groups = [], attribute: attributes = {}, count } = options
  const known = options.viewers === undefined ? null : await readViewers(options.viewers, io.stdin)
  if (known === null) assertOwnStore(place.url, io.env)
  const expected = readExpectedResponse(io.env, place.url.pathname, features)
  const fault = faultInCount(known?.length ?? null, count) ?? (await faultInScreen(place.url, expected))
  if (fault !== null) return { ok: false, fault }
  announce(io, place, options)
  const confirmed = await confirmChange(io, options.yes, `Close the doors of ${place.label} for this drill?`)
  if (!confirmed.ok) return confirmed
  // Opened now: an evening must not end with a file that cannot be written.
  await using page = options.html === undefined ? null : await openFileSink(options.html)
  using stop = stopOnInterrupt(io)
  const work = (viewers: readonly Credentials[]) =>
    withBorrowedDoors(place, async (doors): Promise<Outcome> => {
      io.stderr.write(`${printable(`If the drill is killed, put back in ${place.file}: ${doors.before}`)}\n`)
      const overMs = options.over
      const times = eveningTimes(Date.now() + SETTLE_MS, overMs)
      const visits = planEvening(viewers.slice(0, count), times, {
        overMs,
        returnShare: options.returns,
        hasLimit: place.screens !== null,
      })
      const evening = { url: place.url, screens: place.screens, watch, visits, times, expected, overMs }
      return await runAndJudge(io, evening, doors, { ...options, page, stop: stop.signal })
    })
  if (known !== null) return await work(known)
  return await withMadeUpViewers(io, count ?? MADE_UP_VIEWERS, { groups, attributes }, work)
}

function announce({ stderr }: CommandIo, { url, label, file, state }: EveningPlace, { over }: EveningOptions): void {
  const lines = [
    `Rehearses an evening of ${clockWords(over)} at ${url.origin}${url.pathname}: viewers wait, the start moves, the doors open and close.`,
    `Moves the doors of entry point ${label} in ${file}, and puts them back. ${state} Until then, other viewers meet closed doors.`,
  ]
  stderr.write(`${lines.map(printable).join('\n')}\n`)
}

interface Judging extends Pick<EveningOptions, 'json' | 'maxWait'> {
  readonly page: ReportSink | null
  readonly stop: AbortSignal
}

async function runAndJudge(
  io: CommandIo,
  evening: Evening,
  doors: BorrowedDoors,
  { json, maxWait: maxWaitMs, page, stop }: Judging,
): Promise<Outcome> {
  const { times, visits, screens } = evening
  const moveDoors = (opensMs: number) => doors.move(isoTime(opensMs), isoTime(times.closesMs))
  moveDoors(times.firstOpeningMs)
  const lines = startLines(io, evening)
  const record = await runEvening(evening, { stop, moveDoors, onStart: lines.start }).finally(lines.end)
  if (stop.aborted) return { ok: false, fault: 'Stopped. The doors are as before.' }
  const checks = verdictOnEvening(record, visits.length, { times, screens, maxWaitMs })
  if (page !== null) {
    const [{ eveningPage }, { writePage }] = await Promise.all([
      import('./evening-page.ts'),
      import('../../../../cli/drill/drill-page.ts'),
    ])
    await writePage(page, eveningPage(record, checks, times), record, evening.url, 'drill --evening')
  }
  const failed = checks.filter(({ isMet }) => !isMet).length
  // Those whom the doors refuse are expected here.
  const causes = causesOf(
    record.attempts.filter(({ outcome }) => outcome !== 'refused'),
    [],
    [],
  )
  if (!json) {
    printVerdict(
      io,
      checks,
      causes.map((cause) => cause.text),
    )
  }
  const text = failed === 0 ? 'The evening passed.' : `The evening failed: ${failed} of ${checks.length} checks.`
  const results = { passed: failed === 0, checks, causes, viewers: visits.length }
  const marks = marksOf(times, record.startedAtMs)
  const timeline = wholeWave(record, times.opensMs - record.startedAtMs)
  return { ok: true, text, data: { ...results, marks, timeline }, isPartial: failed > 0 }
}

/** Writes a line at each moment of the evening, and about the viewers from time to time. */
function startLines({ stderr }: CommandIo, { times, overMs }: Evening) {
  const timers: NodeJS.Timeout[] = []
  return {
    start({ startedAtMs, visits }: EveningRecord, nowMs: () => number): void {
      const row = () => {
        const waiting = visits.filter((visit) => visit.waitedFromMs !== null && visit.gotInMs === null).length
        const inside = visits.filter(({ gotInMs }) => gotInMs !== null).length
        stderr.write(`${clockWords(nowMs())}  came ${visits.length}  waiting ${waiting}  got in ${inside}\n`)
      }
      timers.push(setInterval(row, Math.max(LEAST_ROW_MS, overMs / ROWS)))
      for (const { atMs, words } of marksOf(times, startedAtMs)) {
        timers.push(setTimeout(() => stderr.write(`${clockWords(atMs)}  ${words}\n`), atMs))
      }
    },
    end(): void {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** @param timeMs whole seconds. */
function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z')
}
