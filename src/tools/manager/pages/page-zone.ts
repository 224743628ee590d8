import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'

/** Knows no summer time. */
const OFFSET = /^[+-]/
const UTC = /^(Etc\/)?(UTC|GMT)$/

/**
 * Chooses the one zone of all times on the page: the name that the doors have, else the setting, else the zone of the
 * machine. In a container, whose zone is UTC, the offset of the doors is better than that.
 * @param entryPoints null if they cannot be read.
 * @param setting MANAGER_TIME_ZONE. Also decides between doors with several names.
 */
export function zoneOfPage(
  entryPoints: readonly Pick<EntryPoint, 'features'>[] | null,
  setting: string | null,
  machine: string,
  events: readonly EventTimes[],
): string {
  const zones = (entryPoints ?? []).flatMap((entryPoint) => events.flatMap(({ zoneAt }) => zoneAt(entryPoint) ?? []))
  const names = new Set(zones.filter((zone) => !OFFSET.test(zone) && !UTC.test(zone)))
  const [name] = names
  if (names.size === 1 && name !== undefined) return name
  if (setting !== null) return setting
  return name ?? (UTC.test(machine) ? (zones[0] ?? machine) : machine)
}
