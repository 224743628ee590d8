import type { RequestHandler } from 'express'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { Feature, FeaturePart, OpenFeature, Services, SharedRouteDeps, Watch, WatchedApp } from './feature.ts'
import type { Outcomes } from './log/sign-in-log.ts'
import type { Prompt } from './screens/screen-part.ts'

/** The features that are on in an app. */
export type OpenFeatures = ReturnType<typeof openFeaturesOf>

interface Opened {
  readonly feature: Feature
  readonly open: OpenFeature
}

export const NO_FEATURES = openFeaturesOf([], [])

/**
 * Opens the features that are on at an entry point.
 * @param settings those that all entry points share, by the name of the feature.
 * @throws ConfigError if a feature cannot work with these settings.
 */
export async function openFeatures(
  features: readonly Feature[],
  entryPoints: readonly EntryPoint[],
  settings: Readonly<Record<string, unknown>>,
  services: Omit<Services, 'opened'>,
): Promise<OpenFeatures> {
  const opened: Opened[] = []
  const all: Services = { ...services, opened }
  for (const feature of features) {
    const { name } = feature
    const on = entryPoints.filter((one) => isOn(feature, one))
    const own = on.map((entryPoint) => ({ entryPoint, settings: entryPoint.features[name] }))
    const isOff = on.length === 0 || (feature.shared !== undefined && settings[name] === undefined)
    const open = isOff ? null : await feature.open(all, own, settings[name])
    if (open !== null) opened.push({ feature, open })
  }
  const prompts = features.flatMap((feature) => feature.prompts ?? [])
  return openFeaturesOf(opened, prompts)
}

/** A feature without settings at an entry point is on at every entry point. */
function isOn({ name, read }: Feature, { features }: EntryPoint): boolean {
  return read === undefined || name in features
}

function openFeaturesOf(opened: readonly Opened[], prompts: readonly Prompt[]) {
  const all = opened.map(({ open }) => open)
  const outcomes: Outcomes = Object.assign({}, ...opened.map(({ feature }) => feature.outcomes))
  return {
    /** The prompts of all features, also of those that are off. */
    prompts,
    /** The outcomes of their log lines. */
    outcomes,
    /** Returns the parts that they add to an entry point, in the order of their list. */
    at: (entryPoint: EntryPoint): FeaturePart[] =>
      opened
        .filter(({ feature }) => isOn(feature, entryPoint))
        .map(({ feature, open }) => open.at(entryPoint, entryPoint.features[feature.name])),
    sharedRoutes: (deps: SharedRouteDeps): RequestHandler[] => all.flatMap((open) => open.sharedRoutes?.(deps) ?? []),
    optionalStores: all.flatMap(({ optionalStores = [] }) => optionalStores),
    /** Null if no feature watches the app. */
    watch: async (app: Omit<WatchedApp, 'features' | 'outcomes'>): Promise<Watch | null> =>
      (await all.find((open) => open.watch)?.watch?.({ ...app, outcomes, features: all })) ?? null,
    close(): void {
      for (const open of all) open.close?.()
    },
  }
}
