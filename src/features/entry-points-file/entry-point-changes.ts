import { isDeepStrictEqual } from 'node:util'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { FeatureSettings } from '../../entry-points/feature-settings.ts'
import type { AppParts } from '../../login/service.ts'

/** What a change of the entry points does, by their names. */
interface EntryPointChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** The features whose settings wait for a restart, by entry point. */
  readonly restart: Readonly<Record<string, readonly string[]>>
}

/** Decides which settings of entry points need a restart, and serves the others. */
export function createEntryPointChanges(start: readonly EntryPoint[], served: AppParts['served']) {
  const choices = served.features.filter(({ read }) => read !== undefined)
  const opened = choices.filter(({ name }) => start.some((one) => name in one.features))
  let lastRead = start
  let now = start

  return {
    /** @throws ConfigError if a setting is wrong. */
    read: () => served.read(lastRead),
    /** Serves these entry points, with the settings that need no restart. */
    serve(next: readonly EntryPoint[]): EntryPointChanges {
      const before = new Map(now.map((one) => [one.name, one]))
      const readBefore = new Set(lastRead)
      const restart: Record<string, readonly string[]> = {}
      const taken = next.flatMap((one) => {
        const own = before.get(one.name)
        if (readBefore.has(one)) return own ?? []
        const waiting = own === undefined ? waitingAtNew(one, choices, opened) : waitingAt(own, one, choices)
        if (waiting.length > 0) restart[one.name] = waiting
        if (own === undefined) return waiting.length > 0 ? [] : one
        return merged(own, one, choices, waiting.length > 0 ? own : one)
      })
      served.serve(taken)
      const names = new Set(taken.map(({ name }) => name))
      const changes = {
        added: taken.filter(({ name }) => !before.has(name)),
        changed: taken.filter((one) => before.has(one.name) && before.get(one.name) !== one),
        removed: now.filter(({ name }) => !names.has(name)),
      }
      lastRead = next
      now = taken
      return {
        added: namesOf(changes.added),
        changed: namesOf(changes.changed),
        removed: namesOf(changes.removed),
        restart,
      }
    },
  }
}

/** Returns the features of a new entry point that wait for a restart: those that were off everywhere at the start. */
function waitingAtNew({ features }: EntryPoint, choices: readonly FeatureSettings[], opened: typeof choices): string[] {
  const isOpen = (feature: FeatureSettings) => opened.includes(feature) && !feature.isFixed
  return namesOf(choices.filter((feature) => feature.name in features && !isOpen(feature)))
}

/** Returns the features of an entry point that wait for a restart: to turn one off may let more viewers in. */
function waitingAt(before: EntryPoint, next: EntryPoint, choices: readonly FeatureSettings[]): string[] {
  const waiting = choices.filter(({ name, isFixed = false }) => {
    if (name in next.features !== name in before.features) return true
    return isFixed && !isDeepStrictEqual(before.features[name], next.features[name])
  })
  return namesOf(waiting)
}

/** Returns an entry point with the settings of features that they may have without a restart. */
function merged(
  before: EntryPoint,
  next: EntryPoint,
  choices: readonly FeatureSettings[],
  base: EntryPoint,
): EntryPoint {
  const both = choices.filter(({ name }) => name in before.features && name in next.features)
  const settings = both.map(({ name, isFixed }) => [name, (isFixed ? before : next).features[name]])
  return { ...base, features: { ...base.features, ...Object.fromEntries(settings) } }
}

const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name)
