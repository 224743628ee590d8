import type { Command } from 'commander'
import { readEntryPointSettings } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { doorState } from '../../../features/doors/doors.ts'
import { DoorsMessage } from '../../../features/doors/fields.ts'
import { timeText } from '../../../settings/times.ts'
import { readTime } from '../../cli/output/local-time.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import { addExamples, type CommandContext, type Outcome, runCommand } from '../../cli/terminal/command.ts'
import { confirmChange } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { printable } from '../../cli/terminal/text.ts'
import { type DoorChange, doorsAt, type MovableDoors, type MovedDoors, movableDoors, moveDoors } from './move-doors.ts'

interface Options {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly opens?: string
  readonly closes?: string
  /** False for `--no-message`. */
  readonly message?: string | false
  readonly yes?: boolean
}

/** Adds `doors`, which shows and moves the times of an event, and sets its message. */
export function addDoorsCommand(command: Command, context: CommandContext): void {
  command
    .option('--entry-point <NAME>', 'the entry point, if there are several; to show, all by default')
    .option('--opens <TIME>', 'when the doors open, such as 20:15 or 2026-11-27T20:15+01:00')
    .option('--closes <TIME>', 'when they close')
    .option('--message <TEXT>', 'a line for viewers who come early; or JSON with a line for each language')
    .option('--no-message', 'end the message')
    .option('--yes', 'do not ask before open doors close')
    .action((options: Options) => runCommand(context, options.json, () => showOrMove(context.io, options)))
  addExamples(command, [
    'viewer-auth doors',
    'viewer-auth doors --entry-point gold --opens 20:15 --message "We start at 20:15"',
  ])
}

async function showOrMove(io: CommandIo, options: Options): Promise<Outcome> {
  const nowSeconds = Date.now() / 1000
  const { entryPoint, opens, closes, message } = options
  if ([opens, closes, message].some((one) => one !== undefined)) return await move(io, options, nowSeconds)
  const all = readEntryPointSettings(io.env)
  const shownAt = (one: EntryPoint) => shown(doorsAt(one), nowSeconds)
  if (entryPoint !== undefined) return { ok: true, ...shownAt(entryPointNamed(all, entryPoint)) }
  const each = all.entryPoints.map(shownAt)
  const text = each.map((one) => one.text).join('\n')
  return { ok: true, text, data: { entryPoints: each.map(({ data }) => data) } }
}

async function move(io: CommandIo, options: Options, nowSeconds: number): Promise<Outcome> {
  const found = movableDoors(io.env, options.entryPoint, nowSeconds)
  if (!found.ok) return found
  const times = { ...timesIn(options, found.data, nowSeconds), ...messageIn(options) }
  async function confirmClosing(question: string) {
    io.stderr.write(`${printable(question)}\n`)
    return await confirmChange(io, options.yes, 'Close it?')
  }
  const moved = await moveDoors(io.env, found.data, times, confirmClosing, nowSeconds)
  if (!moved.ok) return moved
  const { needsRestart } = moved.data
  const { text, data } = shown(moved.data, nowSeconds)
  const next = needsRestart
    ? 'Restart the app once: it had no times at its start.'
    : 'The app takes the change within two seconds.'
  return { ok: true, text: `${text}\n${next}`, data: { ...data, needsRestart } }
}

/** Reads the times of the options. A time without a date means the day of the time that it replaces. */
function timesIn({ opens, closes }: Options, { current, zone }: MovableDoors, nowSeconds: number): DoorChange {
  const { opensAtSeconds: opensBefore = null, closesAtSeconds: closesBefore = null } = current ?? {}
  const read = (option: string, text: string | undefined, daySeconds: number | null | undefined) =>
    text === undefined ? undefined : readTime(option, text, zone, daySeconds ?? nowSeconds)
  const opensAtSeconds = read('--opens', opens, opensBefore ?? closesBefore)
  const closesAtSeconds = read('--closes', closes, closesBefore ?? opensAtSeconds ?? opensBefore)
  return { opensAtSeconds, closesAtSeconds }
}

function messageIn({ message }: Options): DoorChange {
  if (message === undefined || message === false) return message === false ? { message: null } : {}
  const read = DoorsMessage.safeParse(message)
  if (!read.success) throw new ConfigError(`--message ${read.error.issues[0]?.message}.`)
  return { message: read.data }
}

function shown({ name, label, doors }: Pick<MovedDoors, 'name' | 'label' | 'doors'>, nowSeconds: number) {
  if (doors === undefined) {
    const data = { entryPoint: name, state: 'open', windows: [] }
    return { text: `Entry point ${label} is always open.`, data }
  }
  const { windows, timeZone, message } = doors
  const { name: state } = doorState(windows, nowSeconds)
  const textOf = (seconds: number | null, none: string) => (seconds === null ? none : timeText('en', seconds, timeZone))
  const isoOf = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString())
  const lines = windows.map(
    (one) => `${textOf(one.opensAtSeconds, 'always')} to ${textOf(one.closesAtSeconds, 'no end')}`,
  )
  const data = {
    entryPoint: name,
    state,
    windows: windows.map((one) => ({ opensAt: isoOf(one.opensAtSeconds), closesAt: isoOf(one.closesAtSeconds) })),
    ...(message !== null && { message }),
  }
  if (message !== null) lines.push(`Message: ${typeof message === 'string' ? message : JSON.stringify(message)}`)
  return { text: [`Entry point ${label}: ${state.replaceAll('-', ' ')}.`, ...lines].join('\n'), data }
}
