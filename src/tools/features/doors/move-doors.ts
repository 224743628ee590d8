import { entryPointSources, readEntryPointSettings } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import { doorState } from '../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../features/doors/fields.ts'
import type { EventWindow } from '../../../settings/event-window.ts'
import { timeText } from '../../../settings/times.ts'
import { localIso } from '../../cli/output/time-zone.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import type { ActResult } from '../../cli/terminal/command.ts'
import type { Confirm } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { writeDoors } from './doors-file.ts'
import { nameWithEvent } from './event-times.ts'

/** The doors of one entry point, whose times and message are in a file. */
export interface MovableDoors {
  readonly name: string
  /** The name, and that of the event. */
  readonly label: string
  readonly file: string
  /** Undefined before the first times. */
  readonly doors: DoorSettings | undefined
  readonly zone: string
  /** The window that is open, else the next one, else the last. Undefined before the first times. */
  readonly current: EventWindow | undefined
}

/** UNIX times in seconds. An absent field stays as it is. */
export interface DoorChange {
  readonly opensAtSeconds?: number | undefined
  readonly closesAtSeconds?: number | undefined
  /** The line for viewers who come early. Null for none. */
  readonly message?: DoorSettings['message']
}

export interface MovedDoors extends Pick<MovableDoors, 'name' | 'label' | 'doors'> {
  /** True if the app must be restarted, because it had no times at its start. */
  readonly needsRestart: boolean
}

const OF_ENVIRONMENT =
  'come from the environment, which the app reads at its start. Change OPENS_AT and CLOSES_AT, and restart the app. ' +
  'src/features/doors/README.md says how to move them without a restart'

/**
 * Reads the doors of one entry point from the settings as they are now.
 * @param wanted its name. Undefined for the only one, or `default`.
 * @throws ConfigError if the settings are wrong.
 */
export function movableDoors(
  env: CommandIo['env'],
  wanted: string | undefined,
  nowSeconds: number,
): ActResult<MovableDoors> {
  const { name, label, doors, file } = doorsIn(env, wanted)
  if (file === undefined)
    return { ok: false, fault: `The times of entry point ${name} ${OF_ENVIRONMENT}.`, code: 'fixedTimes' }
  const zone = doors?.timeZone ?? 'UTC'
  return {
    ok: true,
    data: { name, label, file, doors, zone, current: currentWindow(doors?.windows ?? [], nowSeconds) },
  }
}

/**
 * Moves the current window of the doors, or changes their message. The app reads the file again within two seconds.
 * @param confirm is asked before open doors close.
 * @throws ConfigError if the doors would close before they open, or the file cannot be replaced.
 */
export async function moveDoors(
  env: CommandIo['env'],
  { name, label, file, doors: before, zone, current }: MovableDoors,
  times: DoorChange,
  confirm: Confirm,
  nowSeconds: number,
): Promise<ActResult<MovedDoors>> {
  const { message } = times
  if (message && before === undefined)
    return {
      ok: false,
      fault: `Entry point ${name} is always open. Only closed doors show a message.`,
      code: 'alwaysOpen',
    }
  const windows = before?.windows ?? []
  const index = current === undefined ? 0 : windows.indexOf(current)
  const wanted = wantedWindow(current, times, zone)
  const moved = windows.toSpliced(index, 1, wanted)
  const stateAfter = doorState(moved, nowSeconds)
  if (doorState(windows, nowSeconds).name === 'open' && stateAfter.name !== 'open') {
    const closing =
      stateAfter.name === 'not-open-yet'
        ? `until ${timeText('en', stateAfter.opensAtSeconds, before?.timeZone ?? 'UTC')}`
        : 'for good: the end is in the past'
    const confirmed = await confirm(`Entry point ${label} is open now. This closes it ${closing}.`)
    if (!confirmed.ok) return confirmed
  }
  const fields = changedFields(sourceOf(env, name).given.DOORS_WINDOWS, times, wanted, index, zone)
  writeDoors(file, name, { ...fields, ...(message !== undefined && { doorsMessage: message ?? undefined }) })
  const { doors: after } = doorsIn(env, name)
  const written = after?.windows[index]
  if (written?.opensAtSeconds !== wanted.opensAtSeconds || written?.closesAtSeconds !== wanted.closesAtSeconds) {
    return {
      ok: false,
      fault: `${file} does not have the new times: another program changes it. Run the command again.`,
      code: 'changed',
    }
  }
  return { ok: true, data: { name, label, doors: after, needsRestart: before === undefined } }
}

/** Returns the window that is open, else the next one, else the last. */
export function currentWindow(windows: readonly EventWindow[], nowSeconds: number): EventWindow | undefined {
  const endOf = ({ closesAtSeconds }: EventWindow) => closesAtSeconds ?? Number.POSITIVE_INFINITY
  const left = windows.filter((window) => endOf(window) > nowSeconds)
  return left.toSorted((one, other) => endOf(one) - endOf(other))[0] ?? windows.at(-1)
}

/** Returns the doors of an entry point, and its names. */
export function doorsAt(entryPoint: EntryPoint) {
  const { name, features } = entryPoint
  return { name, label: nameWithEvent(entryPoint), doors: features.doors as DoorSettings | undefined }
}

function doorsIn(env: CommandIo['env'], wanted: string | undefined) {
  const found = doorsAt(entryPointNamed(readEntryPointSettings(env), wanted))
  return { ...found, file: sourceOf(env, found.name).file }
}

function sourceOf(env: CommandIo['env'], name: string) {
  const found = entryPointSources(env).sources.find((one) => one.name === name)
  if (found === undefined) throw new ConfigError(`Unknown entry point ${name}.`)
  return found.source
}

/** Returns a window with other times. */
export function changedWindow(before: EventWindow | undefined, times: DoorChange): EventWindow {
  return {
    opensAtSeconds: times.opensAtSeconds ?? before?.opensAtSeconds ?? null,
    closesAtSeconds: times.closesAtSeconds ?? before?.closesAtSeconds ?? null,
  }
}

/** @throws ConfigError if the doors would close before they open. */
function wantedWindow(before: EventWindow | undefined, times: DoorChange, zone: string): EventWindow {
  const { opensAtSeconds, closesAtSeconds } = changedWindow(before, times)
  if (opensAtSeconds !== null && closesAtSeconds !== null && closesAtSeconds <= opensAtSeconds) {
    const start = localIso(opensAtSeconds * 1000, zone)
    const end = localIso(closesAtSeconds * 1000, zone)
    const remedy =
      times.closesAtSeconds === undefined ? 'Use --closes too, with a date' : 'Use a later end, with its date'
    throw new ConfigError(`The doors would close at ${end}, before they open at ${start}. ${remedy}.`)
  }
  return { opensAtSeconds, closesAtSeconds }
}

/** Returns the fields that change, in the form that the entry point has. @param list of several windows. */
function changedFields(list: string | undefined, times: DoorChange, wanted: EventWindow, index: number, zone: string) {
  const opensAt = localIso((wanted.opensAtSeconds ?? 0) * 1000, zone)
  const closesAt = localIso((wanted.closesAtSeconds ?? 0) * 1000, zone)
  if (list !== undefined) return { doorsWindows: list.split(',').with(index, `${opensAt}/${closesAt}`) }
  return {
    ...(times.opensAtSeconds !== undefined && { opensAt }),
    ...(times.closesAtSeconds !== undefined && { closesAt }),
  }
}
