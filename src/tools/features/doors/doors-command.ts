import type { Command } from 'commander'
import { entryPointSources, readEntryPointSettings } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { type DoorWindow, doorState } from '../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../features/doors/fields.ts'
import { timeText } from '../../../settings/times.ts'
import { addExamples, type CommandContext, type Outcome, runCommand } from '../../cli/command.ts'
import { readTime } from '../../cli/output/local-time.ts'
import { isoWithOffset, openTimeZone, type TimeZone } from '../../cli/output/time-zone.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import { confirmChange } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { printable } from '../../cli/terminal/text.ts'
import { writeDoors } from './doors-file.ts'

interface Options {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly opens?: string
  readonly closes?: string
  readonly yes?: boolean
}

const OF_ENVIRONMENT =
  'come from the environment, which the app reads at its start. Change OPENS_AT and CLOSES_AT, and restart the app. ' +
  'src/features/doors/README.md says how to move them without a restart'
const STATES = { open: 'open', 'not-open-yet': 'not open yet', over: 'over' } as const

/** Adds `doors`, which shows and moves the times of an event. */
export function addDoorsCommand(command: Command, context: CommandContext): void {
  command
    .option('--entry-point <NAME>', 'the entry point, if there are several; to show, all by default')
    .option('--opens <TIME>', 'when the doors open, such as 20:15 or 2026-11-27T20:15+01:00')
    .option('--closes <TIME>', 'when they close')
    .option('--yes', 'do not ask before open doors close')
    .action((options: Options) => runCommand(context, options.json, () => showOrMoveDoors(context.io, options)))
  addExamples(command, ['viewer-auth doors', 'viewer-auth doors --entry-point gold --opens 20:15'])
}

async function showOrMoveDoors(io: CommandIo, options: Options, nowSeconds = Date.now() / 1000): Promise<Outcome> {
  const { entryPoint, opens, closes } = options
  if (opens !== undefined || closes !== undefined) return await moveDoors(io, options, nowSeconds)
  const all = readEntryPointSettings(io.env)
  if (entryPoint !== undefined) {
    const { name, features } = entryPointNamed(all, entryPoint)
    return shown(name, doorsOf(features), nowSeconds)
  }
  const each = all.entryPoints.map(({ name, features }) => shown(name, doorsOf(features), nowSeconds))
  const text = each.map((one) => one.text).join('\n')
  return { ok: true, text, data: { entryPoints: each.map(({ data }) => data) } }
}

async function moveDoors(io: CommandIo, options: Options, nowSeconds: number): Promise<Outcome> {
  const { env } = io
  const { name, doors: before, file } = doorsIn(env, options.entryPoint)
  if (file === undefined) return { ok: false, fault: `The times of entry point ${name} ${OF_ENVIRONMENT}.` }
  const { windows = [], timeZone = 'UTC' } = before ?? {}
  const zone = openTimeZone(timeZone)
  const index = currentIndex(windows, nowSeconds)
  const wanted = wantedWindow(options, windows[index], zone, nowSeconds)
  const states = [windows, windows.toSpliced(index, 1, wanted)].map((each) => doorState(each, nowSeconds))
  if (states[0]?.name === 'open' && states[1]?.name !== 'open') {
    const until = states[1]?.name === 'not-open-yet' ? timeText('en', states[1].opensAtSeconds, timeZone) : null
    const closing = until === null ? 'for good: the end is in the past' : `until ${until}`
    const question = `Entry point ${name} is open now. This closes it ${closing}.`
    io.stderr.write(`${printable(question)}\n`)
    const confirmed = await confirmChange(io, options.yes, 'Close it?')
    if (!confirmed.ok) return confirmed
  }
  writeDoors(file, name, fieldsOf(options, sourceOf(env, name).given.DOORS_WINDOWS, wanted, index, zone))
  const { doors: after } = doorsIn(env, name)
  const written = after?.windows[index]
  if (written?.opensAtSeconds !== wanted.opensAtSeconds || written?.closesAtSeconds !== wanted.closesAtSeconds) {
    return {
      ok: false,
      fault: `${file} does not have the new times: another program changes it. Run the command again.`,
    }
  }
  const { text, data } = shown(name, after, nowSeconds)
  const next =
    before === undefined
      ? 'Restart the app once: it had no times at its start.'
      : 'The app takes the new times within two seconds.'
  return { ok: true, text: `${text}\n${next}`, data: { ...data, needsRestart: before === undefined } }
}

function doorsOf(features: EntryPoint['features']): DoorSettings | undefined {
  return features.doors as DoorSettings | undefined
}

/** Reads the doors of one entry point from the settings as they are now. */
function doorsIn(env: CommandIo['env'], wanted: string | undefined) {
  const { name, features } = entryPointNamed(readEntryPointSettings(env), wanted)
  const { file } = sourceOf(env, name)
  return { name, doors: doorsOf(features), file }
}

function sourceOf(env: CommandIo['env'], name: string) {
  const found = entryPointSources(env).sources.find((one) => one.name === name)
  if (found === undefined) throw new ConfigError(`Unknown entry point ${name}.`)
  return found.source
}

/** The window that is open, else the next one, else the last. */
function currentIndex(windows: readonly DoorWindow[], nowSeconds: number): number {
  const endOf = ({ closesAtSeconds }: DoorWindow) => closesAtSeconds ?? Number.POSITIVE_INFINITY
  const ends = windows.map(endOf).filter((seconds) => seconds > nowSeconds)
  const index = windows.findIndex((one) => endOf(one) === Math.min(...ends))
  return index < 0 ? Math.max(windows.length - 1, 0) : index
}

/** @throws ConfigError if the doors would close before they open. */
function wantedWindow(
  { opens, closes }: Options,
  before: DoorWindow | undefined,
  zone: TimeZone,
  nowSeconds: number,
): DoorWindow {
  const [opensBefore, closesBefore] = [before?.opensAtSeconds ?? null, before?.closesAtSeconds ?? null]
  const opensAtSeconds =
    opens === undefined ? opensBefore : readTime('--opens', opens, zone, opensBefore ?? closesBefore ?? nowSeconds)
  const closesAtSeconds =
    closes === undefined
      ? closesBefore
      : readTime('--closes', closes, zone, closesBefore ?? opensAtSeconds ?? nowSeconds)
  if (opensAtSeconds !== null && closesAtSeconds !== null && closesAtSeconds <= opensAtSeconds) {
    const [start, end] = [opensAtSeconds, closesAtSeconds].map((seconds) => {
      return isoWithOffset(seconds * 1000, zone.offsetMsAt(seconds * 1000))
    })
    const remedy = closes === undefined ? 'Use --closes too, with a date' : 'Use a later end, with its date'
    throw new ConfigError(`The doors would close at ${end}, before they open at ${start}. ${remedy}.`)
  }
  return { opensAtSeconds, closesAtSeconds }
}

/** Returns the fields that change, in the form that the entry point has. @param list of several windows. */
function fieldsOf(options: Options, list: string | undefined, wanted: DoorWindow, index: number, zone: TimeZone) {
  const iso = (seconds: number | null) => {
    const timeMs = (seconds ?? 0) * 1000
    return isoWithOffset(timeMs, zone.offsetMsAt(timeMs))
  }
  const [opensAt, closesAt] = [iso(wanted.opensAtSeconds), iso(wanted.closesAtSeconds)]
  if (list !== undefined) return { doorsWindows: list.split(',').with(index, `${opensAt}/${closesAt}`) }
  const { opens, closes } = options
  return { ...(opens !== undefined && { opensAt }), ...(closes !== undefined && { closesAt }) }
}

function shown(name: string, doors: DoorSettings | undefined, nowSeconds: number) {
  if (doors === undefined) {
    const data = { entryPoint: name, state: 'open', windows: [] } as const
    return { ok: true, text: `Entry point ${name} is always open.`, data } as const
  }
  const { windows, timeZone } = doors
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
  }
  return { ok: true, text: [`Entry point ${name}: ${STATES[state]}.`, ...lines].join('\n'), data } as const
}
