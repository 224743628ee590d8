import type { RequestHandler } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import type { SessionViewer } from '../sessions/session-store.ts'
import type { Feature, FeaturePart, OpenFeature, SharedRouteDeps } from './feature.ts'
import type { Outcomes } from './log/sign-in-log.ts'
import type { AppParts, Handed, Needs, OpenPart, OpenService, Service } from './service.ts'
import type { Watch, WatchedApp } from './watch.ts'

/** The features that are on in an app. */
export type OpenFeatures = ReturnType<typeof openFeaturesOf>

interface Opened {
  readonly feature: Feature
  readonly open: OpenFeature
}

export const NO_FEATURES = openFeaturesOf([], [])

/**
 * Opens the features that are on at an entry point, and before each the services that it needs.
 * @param settings those that all entry points share, by the name of the feature or service.
 * @throws ConfigError if a feature or service cannot work with these settings.
 */
export async function openFeatures(
  features: readonly Feature[],
  entryPoints: readonly EntryPoint[],
  settings: Readonly<Record<string, unknown>>,
  parts: Omit<AppParts, 'hasEnded'>,
): Promise<OpenFeatures> {
  const opened: Opened[] = []
  const services = new Map<Service, OpenService>()
  const app: AppParts = {
    ...parts,
    async hasEnded(viewer: SessionViewer) {
      const ended = await Promise.all(opened.map(({ open }) => open.hasEnded?.(viewer) ?? false))
      return ended.includes(true)
    },
  }
  async function handedBy(service: Service): Promise<unknown> {
    const known = services.get(service)
    if (known || !service.open) return known?.handed
    const open = await service.open(await partsFor(service), settings[service.name])
    services.set(service, open)
    return open.handed
  }
  async function partsFor({ needs = {} }: { readonly needs?: Needs }): Promise<AppParts & Handed<Needs>> {
    const handed: Record<string, unknown> = {}
    for (const [name, service] of Object.entries(needs)) handed[name] = await handedBy(service)
    return { ...app, ...handed } as AppParts & Handed<Needs>
  }
  for (const feature of features) {
    const { name } = feature
    const on = entryPoints.filter((one) => isOn(feature, one))
    const own = on.map((entryPoint) => ({ entryPoint, settings: entryPoint.features[name] }))
    const isOff = on.length === 0 || (feature.shared !== undefined && settings[name] === undefined)
    const open = isOff ? null : await feature.open(await partsFor(feature), own, settings[name])
    if (open !== null) opened.push({ feature, open })
  }
  return openFeaturesOf(opened, [...services.values()])
}

/** A feature without settings at an entry point is on at every entry point. */
function isOn({ name, read }: Feature, { features }: EntryPoint): boolean {
  return read === undefined || name in features
}

function openFeaturesOf(opened: readonly Opened[], services: readonly OpenService[]) {
  const features = opened.map(({ open }) => open)
  const parts: readonly OpenPart[] = [...services, ...features]
  const outcomes: Outcomes = Object.assign({}, ...opened.map(({ feature }) => feature.outcomes))
  return {
    /** The outcomes of their log lines. */
    outcomes,
    /** Returns the parts that they add to an entry point, in the order of their list. */
    at: (entryPoint: EntryPoint): FeaturePart[] =>
      opened
        .filter(({ feature }) => isOn(feature, entryPoint))
        .map(({ feature, open }) => open.at?.(entryPoint, entryPoint.features[feature.name]) ?? {}),
    sharedRoutes: (deps: SharedRouteDeps): RequestHandler[] =>
      features.flatMap((open) => open.sharedRoutes?.(deps) ?? []),
    optionalStores: parts.flatMap(({ optionalStores = [] }) => optionalStores),
    /** Returns a function for what features add to `/health/ready`. */
    readiness(stores: readonly OptionalStore[]): () => object {
      const all = features.flatMap((open) => open.readiness?.(stores) ?? [])
      return () => Object.assign({}, ...all.map((read) => read()))
    },
    /** Null if no feature watches the app. */
    watch: async (app: Omit<WatchedApp, 'parts' | 'outcomes'>): Promise<Watch | null> =>
      (await features.find((open) => open.watch)?.watch?.({ ...app, outcomes, parts })) ?? null,
    /** Closes them in the opposite order: a feature before the services that it needs. */
    close(): void {
      for (const part of parts.toReversed()) part.close?.()
    },
  }
}
