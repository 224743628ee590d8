import { ConfigError } from '../../errors.ts'
import type { Period } from '../../video-service/report-question.ts'

export interface PeriodOptions {
  readonly last?: string
  readonly from?: string
  readonly to?: string
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: 86_400, w: 604_800 }
const DAYS_BY_DEFAULT = '7d'
/** Years from 1000 to 2999. JavaScript would read 0026 as 1926. */
const LOCAL = /^([12]\d{3})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?$/
const WITH_OFFSET = /^[12]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/

/**
 * Reads the options of a period into ISO 8601 times with an offset, which the service needs. Times without an offset
 * are in the time zone of this machine. A date alone means its start, or for `to` its end.
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError for an unreadable time, and for a period that ends before it starts.
 */
export function readPeriod({ last, from, to }: PeriodOptions, nowSeconds: number): Period {
  if (last !== undefined && from !== undefined) throw new ConfigError('Use --last or --from, not both.')
  const end = to === undefined ? new Date(nowSeconds * 1000) : readTime('--to', to, true)
  const start = from === undefined ? before(end, last ?? DAYS_BY_DEFAULT) : readTime('--from', from, false)
  if (start >= end) throw new ConfigError('The period ends before it starts. Check --from and --to.')
  return { from: isoWithOffset(start), to: isoWithOffset(end) }
}

/** True if at least one option of a period is given. */
export function hasPeriod({ last, from, to }: PeriodOptions): boolean {
  return last !== undefined || from !== undefined || to !== undefined
}

function before(end: Date, last: string): Date {
  const [, count, unit = ''] = /^([1-9]\d{0,3})([hdw])$/.exec(last) ?? []
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN)
  if (Number.isNaN(seconds))
    throw new ConfigError('--last must be a number of hours, days or weeks, such as 24h, 7d or 4w.')
  return new Date(end.getTime() - seconds * 1000)
}

function readTime(option: string, text: string, isEnd: boolean): Date {
  const time = WITH_OFFSET.test(text) && isOnCalendar(text) ? new Date(text.replace(' ', 'T')) : localTime(text, isEnd)
  if (time !== null && !Number.isNaN(time.getTime())) return time
  throw new ConfigError(`${option} is not a valid time. Use 2026-11-20, 2026-11-20T18:00 or 2026-11-20T18:00:00+01:00.`)
}

function localTime(text: string, isEnd: boolean): Date | null {
  const found = LOCAL.exec(text)
  if (found === null || !isOnCalendar(text)) return null
  const [year = 0, month = 0, day = 0, hour, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)))
  if ((hour ?? 0) > 23 || minute > 59 || second > 59) return null
  const wholeDay = isEnd && hour === undefined ? 1 : 0
  return new Date(year, month - 1, day + wholeDay, hour ?? 0, minute, second)
}

/** JavaScript would read 30 February as 2 March. */
function isOnCalendar(text: string): boolean {
  const date = text.slice(0, 10)
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
}

function isoWithOffset(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19)
  const twoDigits = (number: number) => String(Math.trunc(number)).padStart(2, '0')
  const [sign, ahead] = [minutes < 0 ? '-' : '+', Math.abs(minutes)]
  return `${local}${sign}${twoDigits(ahead / 60)}:${twoDigits(ahead % 60)}`
}
