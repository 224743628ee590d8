import type { Config } from '../../config.ts'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { features } from '../../features.ts'
import type { WayInCapacity } from '../../sign-in-limits/capacity.ts'
import { PASSWORD_CAPACITIES } from '../../sign-in-limits/successful-sign-ins.ts'

/** Returns how many viewers one address lets in at an entry point, for each way in. */
export function capacitiesAt(config: Config, entryPoint: EntryPoint): readonly WayInCapacity[] {
  const on = features.filter(({ name }) => name in entryPoint.features)
  const ofFeatures = on.flatMap(({ capacityOf }) => capacityOf?.(config) ?? [])
  return [...(entryPoint.hasPasswordForm ? PASSWORD_CAPACITIES : []), ...ofFeatures]
}

/** Returns the number in words, with the setting that raises it. */
export function capacityText({ viewers, setting }: WayInCapacity): string {
  if (viewers === null) return 'any number'
  return viewers.toLocaleString('en') + (setting === undefined ? '' : ` (${setting})`)
}
