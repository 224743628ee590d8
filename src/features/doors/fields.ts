import { z } from 'zod'
import type { Brand } from '../../brand/brand.ts'
import { titleField } from '../../brand/fields.ts'
import type { FeatureSettings, ReadContext } from '../../entry-points/feature-settings.ts'
import { addressField } from '../../entry-points/fields.ts'
import type { EventWindow } from '../../settings/event-window.ts'
import { lineField, listField, OnOff } from '../../settings/fields.ts'
import type { SettingValues } from '../../settings/setting.ts'
import { isTimeZone, parseTime, timeText, type ZonedTime } from '../../settings/times.ts'
import { hasDirectionMark } from '../../typed-text.ts'
import { doorState } from './doors.ts'

const A_TIME = 'must be a time with a zone, such as 2026-11-27T20:00+01:00'
const A_WINDOW = 'must be two times with a zone and / between, such as 2026-11-27T20:00+01:00/2026-11-27T22:00+01:00'
const protects = 'without it, viewers may watch at any time'

/** The doors of an entry point. */
export interface DoorSettings {
  /** Empty: always open. */
  readonly windows: readonly EventWindow[]
  /** The zone of times on screens. */
  readonly timeZone: string
  /** The link on the screen after the end. Null for none. */
  readonly overUrl: string | null
  /** One line for viewers who come before the opening. Null for none. */
  readonly message: Brand['title']
  /** True if viewers who come early wait on a page, and pass on by themselves. */
  readonly hasWaitingRoom: boolean
  /** The file with these settings, in which commands move the doors. Null for settings of the environment. */
  readonly file: string | null
  /** The lifetime of a response; 0 if it never expires, or if the player gets no hash. */
  readonly lifetimeSeconds: number
}

interface ZonedWindow {
  readonly text?: string
  readonly opens: ZonedTime | undefined
  readonly closes: ZonedTime | undefined
}

const Time = addressField((text): ZonedTime => {
  const time = parseTime(text)
  if (time === null) throw new RangeError(A_TIME)
  return time
})
const Windows = listField('must name at least one window', (item): ZonedWindow => {
  const [opens, closes, ...more] = item.split('/').map(parseTime)
  if (!opens || !closes || more.length > 0) throw new RangeError(A_WINDOW)
  return { opens, closes, text: item }
})
const Zone = z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
const Link = addressField((text) => {
  if (/^https:\/\/[^\s\p{C}]{1,2048}$/u.test(text) && URL.canParse(text)) return new URL(text).href
  throw new RangeError('must be an https: address')
})

export const MOST_MESSAGE_CHARACTERS = 100
const NO_MARKS = 'must not change the direction of the characters around it'
/** The line for viewers who come before the opening, as the environment has it. */
export const DoorsMessage = titleField(
  lineField(MOST_MESSAGE_CHARACTERS).refine((text) => !hasDirectionMark(text), NO_MARKS),
)

/** The settings of doors, by their names in JSON. */
export function doorSettings() {
  return {
    opensAt: Time.optional().meta({ protects }),
    closesAt: Time.optional().meta({ protects }),
    doorsWindows: Windows.optional().meta({ inFile: 'list', protects }),
    doorsTimeZone: Zone.optional(),
    doorsOverUrl: Link.optional(),
    doorsMessage: DoorsMessage.optional().meta({ inFile: 'object' }),
    waitingRoom: OnOff.default(false),
  }
}

type Values = SettingValues<ReturnType<typeof doorSettings>>

/** Reads the doors of an entry point. Null if it has none. */
function read(given: Values, { refuse, file, lifetimeSeconds }: ReadContext): DoorSettings | null {
  const { opensAt: opens, closesAt: closes, doorsWindows, doorsTimeZone, waitingRoom } = given
  const isOne = opens !== undefined || closes !== undefined
  if (doorsWindows && isOne) refuse('doorsWindows', 'replaces the times of one window: remove one or the other')
  const zoned = doorsWindows ?? (isOne ? [{ opens, closes }] : [])
  for (const [index, window] of zoned.entries()) {
    if (window.opens === undefined || window.closes === undefined) continue
    if (window.opens.seconds < window.closes.seconds) continue
    if (doorsWindows) refuse('doorsWindows', `: item ${index + 1} closes before it opens`)
    else refuse('closesAt', 'is not after the time at which the door opens')
  }
  if (waitingRoom && !zoned.some((window) => window.opens))
    refuse('waitingRoom', 'needs a time at which the doors open, such as OPENS_AT')
  if (zoned.length === 0) return null
  const [first] = zoned
  return {
    windows: zoned.map((one) => ({
      opensAtSeconds: one.opens?.seconds ?? null,
      closesAtSeconds: one.closes?.seconds ?? null,
    })),
    // A zone that the operator has written: the machine's own is UTC in most containers, and tells a viewer nothing.
    timeZone: doorsTimeZone ?? first?.opens?.zone ?? first?.closes?.zone ?? 'UTC',
    overUrl: given.doorsOverUrl ?? null,
    message: given.doorsMessage ?? null,
    file: file ?? null,
    hasWaitingRoom: waitingRoom,
    lifetimeSeconds,
  }
}

/** Returns sentences about doors that are usually a mistake. */
export function warningsOfDoors(
  { windows, timeZone, lifetimeSeconds }: DoorSettings,
  entryPoint: string,
  nowSeconds: number,
): string[] {
  const state = doorState(windows, nowSeconds)
  const timeOf = (seconds: number) => timeText('en', seconds, timeZone)
  const warnings: string[] = []
  if (state.name === 'over') {
    const ended = timeOf(state.endedAtSeconds)
    warnings.push(`Entry point ${entryPoint}: the doors closed on ${ended}, so no viewer can watch. Change the times.`)
  }
  const past = windows.filter(({ closesAtSeconds: end }) => end !== null && end <= nowSeconds).length
  if (state.name !== 'over' && past > 0) {
    warnings.push(`Entry point ${entryPoint}: ${past} of ${windows.length} windows are in the past. Remove them.`)
  }
  const lengths = windows.map((one) => (one.closesAtSeconds ?? Infinity) - (one.opensAtSeconds ?? -Infinity))
  const shortest = Math.min(...lengths)
  if (lifetimeSeconds > shortest) {
    warnings.push(
      `Entry point ${entryPoint}: a response could live for ${lifetimeSeconds} s, but the doors are open for ${shortest} s. ` +
        'Every response then expires when the doors close. Lower HASH_LIFETIME_SECONDS.',
    )
  }
  return warnings
}

/** The settings of doors at an entry point: off without a time. */
export const doorsFields = {
  name: 'doors',
  settings: doorSettings,
  read,
  warningsOf: (settings, entryPoint) => warningsOfDoors(settings, entryPoint, Date.now() / 1000),
} satisfies FeatureSettings<ReturnType<typeof doorSettings>, DoorSettings>
