import { parseTime } from '../../../settings/times.ts'
import { readTime } from '../../cli/output/local-time.ts'
import { machineTimeZone, timeOfLocal } from '../../cli/output/time-zone.ts'

const DAY = /^[12]\d{3}-\d\d-\d\d$/
const DAY_MS = 86_400_000
const FORMS = '2026-11-30, 2026-11-30T20:15 or 2026-11-30T20:15+01:00'

/**
 * Reads the end of codes. A day means its last second, in the time zone of this machine.
 * @returns UNIX time in whole seconds.
 * @throws ConfigError for any other text.
 */
export function readEnd(option: string, text: string): number {
  const zone = machineTimeZone()
  const day = DAY.test(text) ? parseTime(`${text}T00:00:00Z`) : null
  if (day === null) return readTime(option, text, zone, Date.now() / 1000, FORMS)
  return timeOfLocal(zone, day.seconds * 1000 + DAY_MS) / 1000 - 1
}
