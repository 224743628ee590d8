import type { ViewerOptions } from '../settings/viewer-options.ts'
import type { Outcome } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { openFileSink, type ReportSink } from '../terminal/sink.ts'
import { printable } from '../terminal/text.ts'
import { causesOf, signInRate } from './causes.ts'
import { faultInCrowd, faultInScreen, MADE_UP_VIEWERS } from './crowd/crowd-faults.ts'
import { readExpectedResponse } from './crowd/expected-response.ts'
import type { Credentials } from './crowd/plan.ts'
import { type Drill, type DrillRecord, runDrill } from './crowd/run-drill.ts'
import { BY_PASSWORD, type SignInForm } from './crowd/sign-in-form.ts'
import { assertOwnStore } from './drill-address.ts'
import { type DrillPart, entryPointAt, wayNamed } from './drill-part.ts'
import { readViewers, withMadeUpViewers } from './drill-viewers.ts'
import { startLiveTable } from './live-table.ts'
import type { PlannedCommand } from './operator-commands.ts'
import type { Plan, Rehearsal } from './rehearsal.ts'
import { printVerdict } from './verdict/criteria.ts'
import { timelineOf } from './verdict/moment.ts'

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

/**
 * Runs a rehearsal and judges it.
 * @param features what they tell the drill.
 * @throws ConfigError for viewers that cannot be used.
 */
export async function rehearse(
  io: CommandIo,
  options: DrillOptions,
  rehearsal: Rehearsal,
  features: readonly DrillPart[],
): Promise<Outcome> {
  const { url, holds } = rehearsal
  const expected = { ...readExpectedResponse(io.env, url.pathname), ...(holds && { holds }) }
  const way = wayNamed(
    features.flatMap(({ wayIn }) => wayIn ?? []),
    options.wayIn,
  )
  if (way !== undefined) assertOwnStore(url, io.env, `--way-in ${way.name} would make up guests`)
  else if (options.viewers === undefined) assertOwnStore(url, io.env)
  const place = way && entryPointAt(url, io.env)
  const known = options.viewers === undefined ? null : await readViewers(options.viewers, io.stdin)
  const fault =
    faultInCrowd(known?.length ?? null, options, rehearsal.peakFactor) ?? (await faultInScreen(url, expected))
  if (fault !== null) return { ok: false, fault }
  const confirmed = await rehearsal.confirm?.()
  if (confirmed?.ok === false) return confirmed
  // Opened now: a drill of ten minutes must not end with a file that cannot be written.
  await using page = options.html === undefined ? null : await openFileSink(options.html)
  using stop = stopOnInterrupt(io)
  const { group: groups = [], attribute: attributes = {}, count = MADE_UP_VIEWERS } = options
  const work = async (viewers: readonly Credentials[], form: SignInForm = BY_PASSWORD): Promise<Outcome> => {
    const plan = rehearsal.plan(viewers.slice(0, options.count), form)
    const drill = { ...plan, url, expected, form, overMs: options.over, recoverWithinMs: options.recoverWithin }
    return await runAndJudge(io, drill, { rehearsal, features, json: options.json, page, stop: stop.signal })
  }
  if (way && place) {
    return await way.withCrowd(io, { ...place, groups, attributes, maxWaitMs: options.maxWait, count }, work)
  }
  if (known !== null) return await work(known)
  return await withMadeUpViewers(io, count, { groups, attributes }, work)
}

interface Judging {
  readonly rehearsal: Rehearsal
  readonly features: readonly DrillPart[]
  readonly json: boolean | undefined
  readonly page: ReportSink | null
  readonly stop: AbortSignal
}

async function runAndJudge(
  io: CommandIo,
  drill: Drill & Plan,
  { rehearsal, json, page, stop, features }: Judging,
): Promise<Outcome> {
  announce(io, drill)
  const table = startLiveTable(io, drill.overMs)
  stop.addEventListener('abort', table.stopping)
  const { start: onStart, command: onCommand, mark: onMark } = table
  const record = await runDrill(drill, { env: io.env, stop, onStart, onCommand, onMark }).finally(table.end)
  if (stop.aborted) return { ok: false, fault: stoppedText(record) }
  const verdict = drill.judge(record)
  const { checks } = verdict
  const failed = checks.filter(({ isMet }) => !isMet).length
  if (page !== null) {
    const { drillPage } = await import('./drill-page.ts')
    await page.write(await drillPage(record, verdict, drill, rehearsal))
    await page.finish()
  }
  const rate = signInRate(record.attempts)
  const causes = causesOf(record.attempts, [...record.away], features, drill.form.causes)
  if (!json) printVerdict(io, checks, [rateText(rate), ...causes.map((cause) => cause.text)])
  const what = rehearsal.name.toLowerCase()
  const text = failed === 0 ? `The ${what} passed.` : `The ${what} failed: ${failed} of ${checks.length} checks.`
  const data = {
    passed: failed === 0,
    checks,
    signInsPerSecond: rate,
    causes,
    viewers: drill.visits.length,
    wayIn: drill.form.words,
    commands: record.commands.map(({ output: _output, ...one }) => one),
    marks: drill.marks.map(({ atMs, words }) => ({ atMs, words })),
    timeline: timelineOf(record),
  }
  return { ok: true, text, data, isPartial: failed > 0 }
}

function rateText({ highest, average }: ReturnType<typeof signInRate>): string {
  const [most, usual] = [highest, average].map((number) => number.toLocaleString('en'))
  return `Sign-ins a second: ${most} at most, ${usual} on average.`
}

/** Writes what will happen, and warnings about it. */
function announce({ stderr }: CommandIo, { expected, sentences }: Drill & Plan): void {
  const unchecked = 'Warning: the settings have no secret for this address, so the hash of a response is not checked.'
  const lines = [...sentences, ...(expected.secrets.length === 0 ? [unchecked] : [])]
  for (const line of lines) stderr.write(`${printable(line)}\n`)
}

function stoppedText({ commands }: DrillRecord): string {
  const listed = (wanted: boolean) => commands.filter(({ startedMs }) => (startedMs !== null) === wanted)
  const lines = (heading: string, wanted: boolean) =>
    listed(wanted).length === 0 ? [] : [heading, ...listed(wanted).map(({ command }) => `  ${printable(command)}`)]
  return ['Stopped.', ...lines('These commands ran:', true), ...lines('These commands did not run:', false)].join('\n')
}
