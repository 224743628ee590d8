import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { SessionLimits } from '../sessions/session-store.ts'
import type { Counter, OpenCounter } from '../sign-in-limits/memory-counters.ts'
import { placesIn } from './places/places-in.ts'
import type { OpenCounters, SharedStores, StoreDeps, StoreKind, StoreSettings } from './store-kind.ts'
import { recordsIn } from './window/shared-records.ts'

/** Creates the list of stores. The schemes of SESSION_STORE_URL and LIMITS_STORE_URL choose the stores. */
export function storeList(kinds: readonly StoreKind[]) {
  function kindOf(settings: StoreSettings): StoreKind {
    const chosen = kinds.find(({ kind }) => kind === settings.kind)
    if (!chosen) throw new ConfigError(`There is no store of the kind ${settings.kind}.`)
    return chosen
  }
  /** Throws only for settings that the schemas below have not read. */
  async function assertUsable<T>({ kind }: StoreSettings, stored: Promise<T> | T | undefined): Promise<T> {
    if (stored !== undefined) return await stored
    throw new ConfigError(`A store of the kind ${kind} cannot be used here.`)
  }
  const sessions = (settings: StoreSettings) => assertUsable(settings, kindOf(settings).sessions?.(settings))
  const counts = (settings: StoreSettings) => assertUsable(settings, kindOf(settings).counts?.(settings))
  return {
    environment: environmentOf(kinds),
    /** Returns warnings for valid settings that are usually a mistake. */
    warnings: ({ sessionStore, limitsStore }: SharedStores): string[] =>
      Object.entries({ SESSION_STORE_URL: sessionStore, LIMITS_STORE_URL: limitsStore }).flatMap(([name, settings]) => {
        const warning = kindOf(settings).warning?.(settings) ?? null
        return warning === null ? [] : [`${name}: ${warning}`]
      }),
    sessions,
    counts,
    openSessions: async (settings: StoreSettings, limits: SessionLimits, deps: StoreDeps) =>
      await (await sessions(settings)).open(limits, deps),
    async openCounters(settings: StoreSettings, deps: StoreDeps): Promise<OpenCounters> {
      const opened = await (await counts(settings)).open(deps)
      return { ...opened, openCounter: openedOnce(opened.openCounter) }
    },
    places: placesIn(kindOf),
    records: recordsIn(kindOf),
  }
}

/** Opens each counter once, by its name: all entry points share it. */
function openedOnce(openCounter: OpenCounter): OpenCounter {
  const opened = new Map<string, Counter>()
  return (name, ...limits) => {
    const counter = opened.get(name) ?? openCounter(name, ...limits)
    opened.set(name, counter)
    return counter
  }
}

function environmentOf(kinds: readonly StoreKind[]) {
  const addressIn = (from: readonly StoreKind[]) =>
    z
      .string()
      .refine((url) => from.some((kind) => kind.isUrl(url)), `must be ${from.map(({ urlForm }) => urlForm).join(', ')}`)
  const inSessions = kinds.filter(({ sessions }) => sessions)
  const inLimits = kinds.filter(({ counts }) => counts)
  return z
    .object({
      SESSION_STORE_URL: addressIn(inSessions).default('sqlite:data/sessions.db').meta({
        isSecret: true,
        isAddress: true,
        protects: 'without it, `sessions end` ends no session of the app',
      }),
      LIMITS_STORE_URL: addressIn(inLimits).optional().meta({
        isSecret: true,
        isAddress: true,
        protects: 'without it, each copy of the app allows as many failed sign-ins',
      }),
      ...(Object.assign({}, ...kinds.map(({ fields }) => fields)) as Record<never, z.ZodType>),
    })
    .transform((environment, context): SharedStores => {
      const beside = kinds.flatMap((kind) => kind.countsBeside?.(environment.SESSION_STORE_URL) ?? [])
      const given = { ...environment, LIMITS_STORE_URL: environment.LIMITS_STORE_URL ?? beside[0] ?? 'memory:' }
      for (const { setting, message } of kinds.flatMap((kind) => kind.mistakes?.(given) ?? [])) {
        context.addIssue({ code: 'custom', path: [setting], message })
      }
      const settingsAt = (url: string, from: readonly StoreKind[]) =>
        from.find((kind) => kind.isUrl(url))?.at(url, given) ?? z.NEVER
      return {
        sessionStore: settingsAt(given.SESSION_STORE_URL, inSessions),
        limitsStore: settingsAt(given.LIMITS_STORE_URL, inLimits),
      }
    })
}
