import { styleText } from 'node:util'
import { type Command, Option } from 'commander'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { openFileSink, type ReportSink } from '../report/sink.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'
import { type ExpectedResponse, readExpectedResponse } from './crowd/expected-response.ts'
import { type Credentials, PEAK_FACTOR, planVisits } from './crowd/plan.ts'
import { type Drill, type DrillRecord, runDrill, tryScreen } from './crowd/run-drill.ts'
import { assertOwnStore, readDrillAddress } from './drill-address.ts'
import { readViewers, withMadeUpViewers } from './drill-viewers.ts'
import { clockWords, startLiveTable } from './live-table.ts'
import type { PlannedCommand } from './operator-commands.ts'
import { duration, MOST_VIEWERS, percent, plannedCommand, viewerCount } from './options.ts'
import { timelineOf } from './timeline.ts'
import { type Check, verdictOn } from './verdict.ts'

interface Options {
  readonly json?: boolean
  readonly url: string
  readonly viewers?: string
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

const ABOUT = `
FILE is CSV with the columns username and password; - reads standard input. Viewers arrive slowly at first, half of them
in the last third, as before an event. They open the screen, type, sign in, and try again after Retry-After. The drill
refuses every address that DRILL_URLS does not list, except localhost. Your commands run in your shell, one after
another. After --at, sign-ins must work again; after --outage, they may fail until the next command. Ctrl-C stops the
drill, and says which commands ran. The exit status is 1 if any check fails.`

const MADE_UP_VIEWERS = 100
/** More would need more than one machine. The peak of the ramp counts. */
const MOST_ARRIVALS_A_SECOND = 500
/** The app stops an address after 300 failed sign-ins in ten minutes. */
const MANY_WRONG_PASSWORDS = 250

/** Adds `drill`, the operator's rehearsal of an event against staging. */
export function addDrillCommand(program: Command, context: CommandContext): void {
  addCommand(program, 'drill', 'rehearse an event against staging: a crowd signs in while you take stores away', [
    'viewer-auth drill --url https://login.staging.example/ --viewers viewers.csv --over 10m --html drill.html',
    'viewer-auth drill --url http://localhost:3000/ --make-up-viewers --count 100 --over 1m',
    "viewer-auth drill --url https://login.staging.example/ --viewers viewers.csv --at '2m=docker compose stop redis' --at '3m=docker compose start redis' --outage '5m=docker compose stop postgres' --at '6m=docker compose start postgres'",
  ])
    .addHelpText('after', ABOUT)
    .requiredOption('--url <ADDRESS>', 'address of the sign-in screen')
    .addOption(new Option('--viewers <FILE>', 'viewers and their passwords, as CSV').conflicts('makeUpViewers'))
    .option('--make-up-viewers', 'add viewers to the user store of the settings, and remove them afterwards')
    .option('--count <N>', 'number of viewers (default: all of FILE, or 100 made-up ones)', viewerCount)
    .addOption(withDefault('--over <DURATION>', 'the time in which they arrive: 90s, 10m, 1h', duration, '10m'))
    .addOption(withDefault('--wrong <PERCENT>', 'viewers who type a wrong password first', percent, '10%'))
    .addOption(withDefault('--returns <PERCENT>', 'viewers who come back with their session', percent, '30%'))
    .option('--at <TIME=COMMAND>', 'run this command; repeatable', plannedCommand(false))
    .option(
      '--outage <TIME=COMMAND>',
      'run a command that stops sign-ins until the next one; repeatable',
      plannedCommand(true),
    )
    .addOption(
      withDefault('--recover-within <DURATION>', 'how soon sign-ins must work again after a command', duration, '30s'),
    )
    .addOption(
      withDefault('--max-wait <DURATION>', 'the longest that a viewer may wait for an answer', duration, '10s'),
    )
    .option('--html <FILE>', 'write a page with the verdict and charts to this file')
    .action((options: Options, command: Command) => {
      const commands = [...(options.at ?? []), ...(options.outage ?? [])].toSorted((a, b) => a.atMs - b.atMs)
      const fault = faultInOptions(options, commands)
      if (fault !== null) command.error(`error: ${fault}`)
      return runCommand(context, options.json, () => drillWith(context.io, options, commands))
    })
}

function withDefault(flags: string, description: string, parse: (text: string) => number, text: string): Option {
  return new Option(flags, description).argParser(parse).default(parse(text), text)
}

function faultInOptions({ viewers, makeUpViewers, over }: Options, commands: readonly PlannedCommand[]): string | null {
  if (viewers === undefined && !makeUpViewers) return 'give --viewers or --make-up-viewers'
  if (commands.some(({ atMs }) => atMs >= over)) return 'a command is due after the end of --over'
  if (commands.at(-1)?.isOutage) return '--outage needs a later --at, which ends the outage'
  return null
}

async function drillWith(io: CommandIo, options: Options, commands: readonly PlannedCommand[]): Promise<Outcome> {
  const url = readDrillAddress(options.url, io.env)
  const expected = readExpectedResponse(io.env, url.pathname)
  if (options.makeUpViewers) assertOwnStore(url, io.env)
  const known = options.viewers === undefined ? null : await readViewers(options.viewers, io.stdin)
  const fault = faultInCrowd(known?.length ?? null, options) ?? (await faultInScreen(url, expected))
  if (fault !== null) return { ok: false, fault }
  // Opened now: a drill of ten minutes must not end with a file that cannot be written.
  const page = options.html === undefined ? null : await openFileSink(options.html)
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  const { json, count, over: overMs, recoverWithin: recoverWithinMs, maxWait: maxWaitMs } = options
  const work = async (viewers: readonly Credentials[]): Promise<Outcome> => {
    const plan = { overMs, wrongShare: options.wrong, returnShare: options.returns }
    const visits = planVisits(viewers.slice(0, count), plan)
    const drill = { url, visits, commands, expected, overMs, recoverWithinMs }
    return await runAndJudge(io, drill, { json, maxWaitMs, page, stop: stop.signal })
  }
  try {
    return await (known === null ? withMadeUpViewers(io, count ?? MADE_UP_VIEWERS, work) : work(known))
  } finally {
    release()
    await page?.close()
  }
}

async function faultInScreen(url: URL, expected: ExpectedResponse): Promise<string | null> {
  const address = url.origin + url.pathname
  const { outcome, fault } = await tryScreen(url, expected)
  if (outcome === 'unanswered') return `Cannot reach ${address} (${fault}).`
  return outcome === 'passed' ? null : `${address}: ${fault}.`
}

/** @param available the viewers of the file; null for made-up ones. */
function faultInCrowd(available: number | null, { over, ...options }: Options): string | null {
  const count = options.count ?? available ?? MADE_UP_VIEWERS
  if (available !== null && available < count) {
    return `The file has only ${available} viewers for --count ${count}. Each viewer can sign in once.`
  }
  if (count > MOST_VIEWERS) return `A drill has at most ${MOST_VIEWERS} viewers. Use --count.`
  const peak = Math.ceil((count / over) * 1000 * PEAK_FACTOR)
  if (peak <= MOST_ARRIVALS_A_SECOND) return null
  return `${count} viewers would arrive at up to ${peak} a second, more than ${MOST_ARRIVALS_A_SECOND}. Use a longer --over.`
}

interface Judging {
  readonly json: boolean | undefined
  readonly maxWaitMs: number
  readonly page: ReportSink | null
  readonly stop: AbortSignal
}

async function runAndJudge(io: CommandIo, drill: Drill, { json, maxWaitMs, page, stop }: Judging): Promise<Outcome> {
  announce(io, drill)
  const table = startLiveTable(io, drill.overMs)
  stop.addEventListener('abort', table.stopping)
  const record = await runDrill(drill, { env: io.env, stop, onStart: table.start, onCommand: table.command })
  table.end()
  if (record.isStopped) return { ok: false, fault: stoppedText(record) }
  const planned = drill.visits.length
  const checks = verdictOn(record, planned, { recoverWithinMs: drill.recoverWithinMs, maxWaitMs })
  if (page !== null) await writePage(page, drill, record, checks)
  const failed = checks.filter(({ isMet }) => !isMet).length
  // Not in the text of the outcome, which escapes colours.
  if (!json) for (const check of checks) io.stdout.write(`${lineOf(check, io)}\n`)
  const text = failed === 0 ? 'The drill passed.' : `The drill failed: ${failed} of ${checks.length} checks.`
  const commands = record.commands.map(({ output: _output, ...command }) => command)
  const data = { passed: failed === 0, checks, viewers: planned, commands, timeline: timelineOf(record) }
  return { ok: true, text, data, isPartial: failed > 0 }
}

/** Writes the plan of the drill, and warnings about it. */
function announce({ stderr }: CommandIo, { url, visits, overMs, expected }: Drill): void {
  const wrong = visits.reduce((sum, visit) => sum + visit.wrongPasswords, 0)
  const returning = visits.filter(({ returnsAfterMs }) => returnsAfterMs !== null).length
  const lines = [
    `${visits.length} viewers sign in at ${url.origin}${url.pathname} within ${clockWords(overMs)}, all from the address of this machine.`,
    `${wrong} wrong passwords, ${returning} viewers who come back.`,
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

async function writePage(
  page: ReportSink,
  { url, visits }: Drill,
  record: DrillRecord,
  checks: readonly Check[],
): Promise<void> {
  const [{ drillPage, rangeOf }, { renderPage }] = await Promise.all([
    import('./drill-page.ts'),
    import('../report/page/render-page.ts'),
  ])
  const scope = `${url.origin}${url.pathname}`
  const about = { range: rangeOf(record), scope, source: ' by viewer-auth drill', nowMs: Date.now() }
  await page.write(await renderPage(drillPage(record, checks, visits.length), about))
  await page.finish()
}

function lineOf({ isMet, text }: Check, { stdout }: CommandIo): string {
  return `${styleText(isMet ? 'green' : 'red', isMet ? 'passed' : 'failed', { stream: stdout })}  ${printable(text)}`
}
