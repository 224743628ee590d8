import { parseTime, type ZonedTime } from '../../../settings/times.ts'
import { readTime } from './local-time.ts'
import { lastSecondOf, localIso, machineTimeZone } from './time-zone.ts'

const DAY = /^[12]\d{3}-\d\d-\d\d$/
const FORMS = '2026-11-30, 2026-11-30T20:15 or 2026-11-30T20:15+01:00'

/**
 * Reads the time at which something ends. A day means its last second.
 * @param name of the option or column, for a message.
 * @param zone of a time without an offset.
 * @param forms of the text, for a message.
 * @throws ConfigError for any other text, with what to write.
 */
export function readEndTime(name: string, text: string, zone = machineTimeZone(), forms = FORMS): ZonedTime {
  const given = parseTime(withSeconds(text))
  if (given !== null) return given
  const isDay = DAY.test(text) && parseTime(`${text}T00:00:00Z`) !== null
  const ms = isDay ? lastSecondOf(text, zone) : readTime(name, text, zone, Date.now() / 1000, forms) * 1000
  const iso = localIso(ms, zone)
  return parseTime(iso) ?? { seconds: ms / 1000, zone: 'UTC', text: iso }
}

/** Adds the seconds to a time with a zone, which may lack them. */
function withSeconds(text: string): string {
  return text.replace(/(T\d\d:\d\d)(?=Z$|[+-]\d\d:\d\d$)/, '$1:00')
}
