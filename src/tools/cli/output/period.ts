import type { Command } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { parseTime } from '../../../settings/times.ts'
import { lastSecondOf, localIso, machineTimeZone, timeOfLocal, zonedTime } from './time-zone.ts'

/** ISO 8601 times with an offset. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The options of addPeriodOptions(), as typed. */
export interface PeriodOptions {
  readonly last?: string
  readonly from?: string
  readonly to?: string
}

const DAYS_BY_DEFAULT = '7d'
const UNITS: Readonly<Record<string, string>> = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' }
const LOCAL = /^([12]\d{3}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?$/

/**
 * Reads the options of a period into ISO 8601 times with an offset, which the service needs. Times without an offset
 * are in the given zone. A date alone means its first second, or for `to` its last second: the service counts both ends
 * of a period. Days and weeks of `last` are calendar days.
 * @param nowSeconds UNIX time in seconds.
 * @throws ConfigError for an unreadable time, and for a period that ends before it starts.
 */
export function readPeriod({ last, from, to }: PeriodOptions, nowSeconds: number, zone: string): Period {
  if (last !== undefined && from !== undefined) throw new ConfigError('Use --last or --from, not both.')
  const endMs = to === undefined ? Math.floor(nowSeconds) * 1000 : readTime('--to', to, zone, 'last second')
  const startMs =
    from === undefined
      ? before(endOf(to, endMs), last ?? DAYS_BY_DEFAULT, zone)
      : readTime('--from', from, zone, 'first second')
  if (startMs > endMs) throw new ConfigError('The period ends before it starts. Check --from and --to.')
  return { from: localIso(startMs, zone), to: localIso(endMs, zone) }
}

/**
 * Reads the options of a period where no period is needed: an end that is not given is left out. Returns
 * undefined for all time.
 * @throws ConfigError as `readPeriod` does.
 */
export function readOpenPeriod(options: PeriodOptions, nowSeconds: number, zone: string): Partial<Period> | undefined {
  const { last, from, to } = options
  if (last !== undefined || (from !== undefined && to !== undefined)) return readPeriod(options, nowSeconds, zone)
  if (from !== undefined) return { from: localIso(readTime('--from', from, zone, 'first second'), zone) }
  return to === undefined ? undefined : { to: localIso(readTime('--to', to, zone, 'last second'), zone) }
}

/** Returns the first moment after a day, so that `--last 7d --to DATE` has whole days. */
function endOf(to: string | undefined, endMs: number): number {
  return to?.length === 'YYYY-MM-DD'.length ? endMs + 1000 : endMs
}

function before(endMs: number, last: string, zone: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([mhdw])$/.exec(last) ?? []
  if (unit === undefined)
    throw new ConfigError('--last must be a number of minutes, hours, days or weeks, such as 15m, 24h, 7d or 4w.')
  return zonedTime(endMs, zone).subtract({ [String(UNITS[unit])]: Number(count) }).epochMilliseconds
}

function readTime(option: string, text: string, zone: string, dateMeans: 'first second' | 'last second'): number {
  const [, date, time] = LOCAL.exec(text) ?? []
  const local = `${date}T${time ?? '00:00'}`
  const given = parseTime(date === undefined ? text.replace(' ', 'T') : `${local}Z`)
  if (given === null) {
    const forms = '2026-11-20, 2026-11-20T18:00 or 2026-11-20T18:00:00+01:00'
    throw new ConfigError(`${option} is not a valid time. Use ${forms}.`)
  }
  if (date === undefined) return given.seconds * 1000
  return time === undefined && dateMeans === 'last second' ? lastSecondOf(date, zone) : timeOfLocal(local, zone)
}

/** Adds the options that choose a period. */
export function addPeriodOptions(command: Command): Command {
  return command
    .option('--last <PERIOD>', 'minutes, hours, days or weeks before --to: 15m, 24h, 7d, 4w')
    .option('--from <TIME>', 'start of the period: 2026-11-20, 2026-11-20T18:00, 2026-11-20T18:00:00+01:00')
    .option('--to <TIME>', 'last second of the period (default: now)')
    .hook('preAction', (_, self) => {
      const { from = '', to = '' } = self.opts<PeriodOptions>()
      // The doors may have another zone, such as on a machine whose zone is UTC.
      if ([from, to].some((text) => LOCAL.exec(text)?.[2] !== undefined))
        self.configureOutput().writeErr?.(`Times without an offset are in ${machineTimeZone()}. Set TZ to change it.\n`)
    })
}

/** Reads options. An unreadable period ends the command as wrong usage, like any other unreadable option. */
export function orUsageError<T>(command: Command, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError) command.error(`error: ${error.message}`)
    throw error
  }
}
