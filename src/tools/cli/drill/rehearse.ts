import { countWords } from '../output/words.ts'
import type { ViewerOptions } from '../settings/viewer-options.ts'
import type { Outcome } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { openFileSink, type ReportSink } from '../terminal/sink.ts'
import { printable } from '../terminal/text.ts'
import { causesOf, signInRate } from './causes.ts'
import { faultInCount, faultInScreen, MADE_UP_VIEWERS } from './crowd/crowd-faults.ts'
import { readExpectedResponse } from './crowd/expected-response.ts'
import { type Credentials, PEAK_FACTOR, planVisits } from './crowd/plan.ts'
import { type Drill, type DrillRecord, runDrill } from './crowd/run-drill.ts'
import { BY_PASSWORD, type SignInForm } from './crowd/sign-in-form.ts'
import { assertOwnStore, readDrillAddress } from './drill-address.ts'
import { type DrillPart, entryPointAt, wayNamed } from './drill-part.ts'
import { readViewers, withMadeUpViewers } from './drill-viewers.ts'
import { clockWords, startLiveTable } from './live-table.ts'
import type { PlannedCommand } from './operator-commands.ts'
import { printVerdict } from './verdict/criteria.ts'
import { timelineOf } from './verdict/moment.ts'
import { verdictOn } from './verdict/verdict.ts'

/** The options of the command. Times are in milliseconds, shares from 0 to 1. */
export interface DrillOptions extends ViewerOptions {
  readonly json?: boolean
  readonly url: string
  readonly viewers?: string
  /** `password`, or the name of a way in. */
  readonly wayIn: string
  readonly makeUpViewers?: boolean
  readonly count?: number
  readonly over: number
  readonly wrong: number
  readonly returns: number
  readonly at?: readonly PlannedCommand[]
  readonly outage?: readonly PlannedCommand[]
  readonly recoverWithin: number
  readonly maxWait: number
  readonly html?: string
}

/** More would need more than one machine. The peak of the ramp counts. */
const MOST_ARRIVALS_A_SECOND = 500
/** The app stops an address after 300 failed sign-ins in ten minutes. */
const MANY_WRONG_PASSWORDS = 250

/**
 * Runs a drill and judges it.
 * @param commands in the order of their times.
 * @param features what they tell the drill.
 * @throws ConfigError for an address that may not be drilled, or viewers that cannot be used.
 */
export async function rehearse(
  io: CommandIo,
  options: DrillOptions,
  commands: readonly PlannedCommand[],
  features: readonly DrillPart[],
): Promise<Outcome> {
  const url = readDrillAddress(options.url, io.env)
  const expected = readExpectedResponse(io.env, url.pathname, features)
  if (options.makeUpViewers) assertOwnStore(url, io.env)
  const ways = features.flatMap(({ wayIn }) => wayIn ?? [])
  const way = wayNamed(ways, options.wayIn)
  if (way !== undefined) assertOwnStore(url, io.env, `--way-in ${way.name} would make up guests`)
  const place = way && entryPointAt(url, io.env)
  const known = options.viewers === undefined ? null : await readViewers(options.viewers, io.stdin)
  const fault = faultInCrowd(known?.length ?? null, options) ?? (await faultInScreen(url, expected))
  if (fault !== null) return { ok: false, fault }
  // Opened now: a drill of ten minutes must not end with a file that cannot be written.
  await using page = options.html === undefined ? null : await openFileSink(options.html)
  using stop = stopOnInterrupt(io)
  const { group: groups = [], attribute: attributes = {} } = options
  const { json, count, over: overMs, recoverWithin: recoverWithinMs, maxWait: maxWaitMs } = options
  const work = async (viewers: readonly Credentials[], form: SignInForm = BY_PASSWORD): Promise<Outcome> => {
    const plan = { overMs, wrongShare: options.wrong, returnShare: options.returns }
    const visits = planVisits(viewers.slice(0, count), plan)
    const drill = { url, visits, commands, expected, form, overMs, recoverWithinMs }
    return await runAndJudge(io, drill, { json, maxWaitMs, page, stop: stop.signal, features })
  }
  if (way && place) {
    const request = { ...place, groups, attributes, maxWaitMs, count: count ?? MADE_UP_VIEWERS }
    return await way.withCrowd(io, request, work)
  }
  if (known !== null) return await work(known)
  return await withMadeUpViewers(io, count ?? MADE_UP_VIEWERS, { groups, attributes }, work)
}

/** @param available the viewers of the file; null for made-up ones. */
function faultInCrowd(available: number | null, { over, ...options }: DrillOptions): string | null {
  const fault = faultInCount(available, options.count)
  if (fault !== null) return fault
  const count = options.count ?? available ?? MADE_UP_VIEWERS
  const peak = Math.ceil((count / over) * 1000 * PEAK_FACTOR)
  if (peak <= MOST_ARRIVALS_A_SECOND) return null
  return `${count} viewers would arrive at up to ${peak} a second, more than ${MOST_ARRIVALS_A_SECOND}. Use a longer --over.`
}

interface Judging {
  readonly features: readonly DrillPart[]
  readonly json: boolean | undefined
  readonly maxWaitMs: number
  readonly page: ReportSink | null
  readonly stop: AbortSignal
}

async function runAndJudge(
  io: CommandIo,
  drill: Drill,
  { json, maxWaitMs, page, stop, features }: Judging,
): Promise<Outcome> {
  announce(io, drill)
  const table = startLiveTable(io, drill.overMs)
  stop.addEventListener('abort', table.stopping)
  const record = await runDrill(drill, { env: io.env, stop, onStart: table.start, onCommand: table.command })
  table.end()
  if (stop.aborted) return { ok: false, fault: stoppedText(record) }
  const planned = drill.visits.length
  const checks = verdictOn(record, planned, { recoverWithinMs: drill.recoverWithinMs, maxWaitMs }, drill.form)
  if (page !== null) {
    const { drillPage, writePage } = await import('./drill-page.ts')
    await writePage(page, drillPage(record, checks, planned, drill.form), record, drill.url, 'drill')
  }
  const failed = checks.filter(({ isMet }) => !isMet).length
  const rate = signInRate(record.attempts)
  const causes = causesOf(record.attempts, [...record.away], features, drill.form.causes)
  if (!json) printVerdict(io, checks, [rateText(rate), ...causes.map((cause) => cause.text)])
  const text = failed === 0 ? 'The drill passed.' : `The drill failed: ${failed} of ${checks.length} checks.`
  const commands = record.commands.map(({ output: _output, ...command }) => command)
  const results = {
    passed: failed === 0,
    checks,
    signInsPerSecond: rate,
    causes,
    viewers: planned,
    wayIn: drill.form.words,
  }
  const data = { ...results, commands, timeline: timelineOf(record) }
  return { ok: true, text, data, isPartial: failed > 0 }
}

function rateText({ highest, average }: ReturnType<typeof signInRate>): string {
  const [most, usual] = [highest, average].map((number) => number.toLocaleString('en'))
  return `Sign-ins a second: ${most} at most, ${usual} on average.`
}

/** Writes the plan of the drill, and warnings about it. */
function announce({ stderr }: CommandIo, { url, visits, overMs, expected, form }: Drill): void {
  const wrong = visits.reduce((sum, visit) => sum + visit.wrongPasswords, 0)
  const returning = visits.filter(({ returnsAfterMs }) => returnsAfterMs !== null).length
  const lines = [
    `Signs in ${countWords(visits.length, 'viewer')} at ${url.origin}${url.pathname} ${form.words}, within ${clockWords(overMs)}, all from the address of this machine.`,
    `${countWords(wrong, `wrong ${form.typed}`)}, ${countWords(returning, 'viewer')} with a later return.`,
  ]
  if (wrong > MANY_WRONG_PASSWORDS) {
    lines.push(
      `Warning: the app refuses an address after 300 failed sign-ins in ten minutes. It does not count those of viewers who then sign in. If it answers 429, use a lower --wrong.`,
    )
  }
  if (expected.secrets.length === 0) {
    lines.push('Warning: the settings have no secret for this address, so the hash of a response is not checked.')
  }
  stderr.write(`${lines.map(printable).join('\n')}\n`)
}

function stoppedText({ commands }: DrillRecord): string {
  const listed = (wanted: boolean) => commands.filter(({ startedMs }) => (startedMs !== null) === wanted)
  const lines = (heading: string, wanted: boolean) =>
    listed(wanted).length === 0 ? [] : [heading, ...listed(wanted).map(({ command }) => `  ${printable(command)}`)]
  return ['Stopped.', ...lines('These commands ran:', true), ...lines('These commands did not run:', false)].join('\n')
}
