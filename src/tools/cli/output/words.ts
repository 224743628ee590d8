import { printable } from '../terminal/text.ts'
import type { TimeRange } from './time-range.ts'

const TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const)
const MARKS = {
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
  minute: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }),
}
const OFFSET = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'longOffset' })
const MOST_NAME_CHARACTERS = 200

export function timeWords(timeMs: number): string {
  return TIME.format(timeMs)
}

/** Returns the label of a mark on a time axis. */
export function markWords(timeMs: number, unit: 'day' | 'minute'): string {
  return MARKS[unit].format(timeMs)
}

/** An end can be infinite. */
export function rangeWords({ fromMs, toMs }: TimeRange): string {
  if (!Number.isFinite(fromMs)) return `Until ${timeWords(toMs)}`
  if (!Number.isFinite(toMs)) return `Since ${timeWords(fromMs)}`
  return `${timeWords(fromMs)} – ${timeWords(toMs)}`
}

/** Returns the time zone of this machine with its offsets at these times: "Europe/Budapest (GMT+02:00, then GMT+01:00)". */
export function timeZoneWords(timesMs: readonly number[]): string {
  const offsets = timesMs.map(
    (timeMs) => OFFSET.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value,
  )
  return `${OFFSET.resolvedOptions().timeZone} (${[...new Set(offsets)].join(', then ')})`
}

export function countWords(count: number, one: string, several = `${one}s`): string {
  return `${numberWords(count)} ${count === 1 ? one : several}`
}

export function numberWords(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: Math.abs(number) < 10 ? 1 : 0 })
}

/** Rounds to whole percent, but never a part to nothing or to everything. */
export function shareWords(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : Math.round((100 * part) / whole)
  if (percent === 0 && part > 0) return '< 1 %'
  return percent === 100 && part < whole ? '> 99 %' : `${percent} %`
}

/** Makes an untrusted name safe for one line: no control or direction characters, at most 200 characters. */
export function nameWords(name: string): string {
  const letters = [...name.slice(0, 2 * MOST_NAME_CHARACTERS)]
  const isCut = name.length > 2 * MOST_NAME_CHARACTERS || letters.length > MOST_NAME_CHARACTERS
  const text = printable(isCut ? `${letters.slice(0, MOST_NAME_CHARACTERS).join('')}…` : name)
  return text.trim() === '' ? '(no name)' : text
}
