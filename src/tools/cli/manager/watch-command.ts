import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { eventTimesOf, type HasEventTimes } from '../settings/event-times.ts'
import { addExamples, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { textTable } from '../terminal/table.ts'
import { counted, printable } from '../terminal/text.ts'
import { openEvening } from './evening/evening.ts'
import type { Evening } from './evening/figures.ts'

interface Options {
  readonly json?: boolean
  readonly once?: boolean
  readonly every: number
}

const CLEAR = '\u001b[2J\u001b[H'
const BARS = ' ▁▂▃▄▅▆▇█'

/** Adds `watch`, which shows the figures of the evening in a terminal. */
export function addWatchCommand(command: Command, context: CommandContext<HasEventTimes>): void {
  command
    .option('--once', 'print the figures once. Default without a terminal, and with --json')
    .option('--every <SECONDS>', 'read the figures this often', wholeNumber(1, 9_999), 5)
    .action((options: Options) => runCommand(context, options.json, () => watch(context, options)))
  addExamples(command, ['viewer-auth watch', 'viewer-auth watch --once', 'viewer-auth watch --json'])
}

async function watch(
  { io, features }: CommandContext<HasEventTimes>,
  { json, once, every }: Options,
): Promise<Outcome> {
  const evening = openEvening(io.env, { events: await eventTimesOf(features) })
  using stop = stopOnInterrupt(io)
  try {
    if (json || once || !io.stdout.isTTY) {
      const figures = await evening.read(null)
      return { ok: true, text: await textOf(io, figures), data: dataOf(figures) }
    }
    while (!stop.signal.aborted) {
      io.stdout.write(`${CLEAR}${await textOf(io, await evening.read(null))}\nCtrl-C stops.\n`)
      await sleep(every * 1000, undefined, { signal: stop.signal }).catch(() => {})
    }
    return { ok: true }
  } finally {
    await evening.close()
  }
}

function dataOf({ copies, ...evening }: Evening): object {
  return {
    ...evening,
    copies: copies.map(({ signIns, ...copy }) => ({ ...copy, signIns: Object.fromEntries(signIns) })),
  }
}

async function textOf({ stdout }: CommandIo, figures: Evening): Promise<string> {
  const { sessions, waiting, heldBack, signedIn, refused, series, doors, copies, readiness } = figures
  const inText = sessions
    ? `${counted(sessions.viewers, 'viewer')}, ${counted(sessions.sessions, 'session')}`
    : 'not known'
  const lines: [label: string, value: string][] = [
    ['Time', new Date(figures.atMs).toLocaleTimeString('en-GB')],
    ['In', inText],
    ['Waiting', number(waiting)],
    [
      'Held back',
      withDetails(
        heldBack.length,
        heldBack.slice(0, 5).map(({ viewer }) => viewer),
      ),
    ],
    ['Signed in', `${number(signedIn)} in 12 hours`],
    [
      'Refused',
      withDetails(
        refused,
        figures.refusals.map(([outcome, count]) => `${outcome} ${number(count)}`),
      ),
    ],
    ['Minutes', sparkline(series.counts)],
    ...doors.map(({ entryPoint, event, state }): [string, string] => [
      `Doors ${event ?? entryPoint}`,
      state.name.replaceAll('-', ' '),
    ]),
    ['App', readiness === null ? 'not known' : [readiness.status, ...readiness.away].join(', ')],
    ...copies.map((copy): [string, string] => [copy.address, copyText(copy)]),
    ...figures.networks
      .slice(0, 5)
      .map((one): [string, string] => ['Network', `${one.network}: ${counted(one.failures, 'failure')}`]),
  ]
  const facts = lines.map(([label, value]) => `${label.padEnd(12)} ${printable(value)}`.trimEnd()).join('\n')
  if (figures.logMissing !== null) return `${facts}\n\nNo events: ${printable(figures.logMissing)}.`
  const events = figures.last.map(({ time, outcome, viewer, address }) => [
    time.slice(11, 19),
    outcome,
    viewer ?? '',
    address ?? '',
  ])
  return `${facts}\n\n${await textTable(stdout, ['Time (UTC)', 'Event', 'Viewer', 'Address'], events)}`
}

const number = (value: number) => value.toLocaleString('en')

function withDetails(count: number, details: readonly string[]): string {
  return count === 0 ? '0' : `${number(count)}: ${details.join(', ')}`
}

function copyText({
  isUp,
  isSlow,
  version,
  running,
  waiting,
  away,
  lostLines,
  clockSeconds,
}: Evening['copies'][number]): string {
  if (!isUp) return 'does not answer'
  const clock = clockSeconds === null || Math.abs(clockSeconds) < 2 ? '' : `, clock ${clockSeconds} s off`
  const stores = away.length === 0 ? '' : `, away: ${away.join(' ')}`
  const lost = lostLines === 0 ? '' : `, ${counted(lostLines, 'log line')} lost`
  return `${isSlow ? 'slow' : 'up'}, ${version ?? '?'}, ${running} password checks, ${waiting} waiting${stores}${lost}${clock}`
}

function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  const last = counts.slice(-60)
  return last.map((count) => BARS[Math.ceil((count / most) * (BARS.length - 1))]).join('')
}
