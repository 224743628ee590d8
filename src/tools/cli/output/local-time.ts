import { ConfigError } from '../../../errors.ts'
import { parseTime } from '../../../settings/times.ts'
import { localIso, timesOf } from './time-zone.ts'

const FORMS = '20:15, 2026-11-27T20:15 or 2026-11-27T20:15+01:00'
const LOCAL = /^(?:([12]\d{3}-\d\d-\d\d)[T ])?([01]\d|2[0-3]):([0-5]\d)$/

/**
 * Reads the time of an option: `20:15`, `2026-11-27T20:15`, or a time with an offset.
 * @param zone of a time without an offset.
 * @param daySeconds UNIX time on the day that a time without a date means.
 * @param forms examples of all texts that the option takes.
 * @returns UNIX time in seconds.
 * @throws ConfigError for any other text, and for a local time that does not exist or comes twice.
 */
export function readTime(option: string, text: string, zone: string, daySeconds: number, forms = FORMS): number {
  const given = parseTime(text.replace(' ', 'T'))
  if (given !== null) return given.seconds
  const [, day, hours, minutes] = LOCAL.exec(text) ?? []
  const date = day ?? localIso(daySeconds * 1000, zone).slice(0, 10)
  const local = `${date}T${hours}:${minutes}`
  if (parseTime(`${local}Z`) === null) throw new ConfigError(`${option} is not a time. Use ${forms}.`)
  const [time, other] = timesOf(local, zone)
  if (time === undefined) {
    throw new ConfigError(`${option}: the clocks of ${zone} skip ${text} on ${date}. Choose another time.`)
  }
  if (other === undefined) return time / 1000
  const both = [time, other].map((one) => localIso(one, zone))
  throw new ConfigError(`${option}: ${text} comes twice on ${date} in ${zone}. Use ${both.join(' or ')}.`)
}
