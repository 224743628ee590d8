import { ConfigError } from '../../../errors.ts'
import { parseTime, type ZonedTime } from '../../../settings/times.ts'
import { readEndTime } from '../../cli/output/end-time.ts'
import { localIso, timesOf } from '../../cli/output/time-zone.ts'
import type { Sentence } from '../door/route.ts'
import { isoDate } from './iso-date.ts'
import type { Words } from './words.ts'

/** What a manager typed, or the sentence that says why it is refused. */
export type Typed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Sentence }

const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)$/

/** Writes `2026-11-30T20:15` as people of the language write it: `30.11.2026 20:15`. */
function written(iso: string, { t }: Words): string {
  const [date = '', ...clock] = iso.split('T')
  return [date.split('-').reverse().join(t.times.sign), ...clock].join(' ')
}

/** Writes a time as a field has it, without an offset. Empty for no time. */
export function fieldText(ms: number | null, words: Words): string {
  return ms === null ? '' : written(localIso(ms, words.zone).slice(0, 16), words)
}

/** True if a field has this time, without its seconds, however it is written. */
export function isSameField(text: string, ms: number, words: Words): boolean {
  return isoDate(text, true).replace(' ', 'T') === isoDate(fieldText(ms, words), true)
}

/**
 * Reads a time as people write it (`30.11.2026 20:15`), or as ISO 8601, in the zone of the page.
 * @param wrong the key of the sentence for any other text.
 * @returns ISO 8601 with an offset. Refuses a time that the clocks skip, or that comes twice.
 */
export function readField(text: string, words: Words, wrong: string): Typed<string> {
  const { zone, zoneName } = words
  const [, date, clock] = LOCAL.exec(isoDate(text, true)) ?? []
  const local = `${date}T${clock}`
  if (parseTime(`${local}Z`) === null) return { ok: false, fault: { text: wrong } }
  const [ms, other] = timesOf(local, zone)
  if (ms !== undefined && other === undefined) return { ok: true, value: localIso(ms, zone) }
  const values = { time: written(local, words), zone: zoneName }
  return { ok: false, fault: { text: ms === undefined ? 'times.skipped' : 'times.twice', values } }
}

/** Reads the end of an account or of codes: a day, a time, or `never`, for which the value is null. */
export function readEnd(typed: string, words: Words): Typed<ZonedTime | null> {
  const text = isoDate(typed, true)
  const wrong = 'people.badUntil'
  const local = LOCAL.test(text) ? readField(text, words, wrong) : null
  if (local?.ok === false) return local
  try {
    return { ok: true, value: text === 'never' ? null : readEndTime('The end', text, words.zone) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { ok: false, fault: { text: wrong } }
  }
}

/** Writes the end of an account as `readEnd` takes it: a day, a time in the zone of the page, or a time with an offset. */
export function endText(seconds: number, words: Words): string {
  const iso = localIso(seconds * 1000, words.zone)
  const isSame = (text: string) => {
    const read = readEnd(text, words)
    return read.ok && read.value?.seconds === seconds
  }
  return [iso.slice(0, 10), iso.slice(0, 16)].map((text) => written(text, words)).find(isSame) ?? iso
}
