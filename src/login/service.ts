import type { Logger } from 'pino'
import type { FeatureSettings, SharedSettings } from '../entry-points/feature-settings.ts'
import type { ServedEntryPoints } from '../entry-points/served-entry-points.ts'
import type { SecurityLog } from '../server/log/log.ts'
import type { RepeatFilter } from '../server/log/repeat-filter.ts'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import type { SessionStore, SessionViewer } from '../sessions/session-store.ts'
import type { OpenCounter } from '../sign-in-limits/memory-counters.ts'
import type { AddressLimit } from '../sign-in-limits/settings.ts'
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { SharedStores } from '../stores/store-kind.ts'
import type { UserStore } from '../users/user-store.ts'

/**
 * Something that several features share: a folder below src/services. A feature names the services that it needs, and gets
 * them when it opens. No list names a service, so a fork deletes it with the last feature that needs it. `T`: what the
 * features get; `A`: its settings that all entry points share.
 */
export interface Service<T = unknown, A = unknown, N extends Needs = Needs> extends FeatureSettings {
  /** Settings that all entry points share. */
  readonly shared?: SharedSettings<A>
  /** The services that it needs itself. */
  readonly needs?: N
  /**
   * Opens the service, once for all features that need it. Called only if one of them is on. Absent for a service that has
   * only settings.
   * @throws ConfigError if it cannot work with these settings.
   */
  open?(app: AppParts & Handed<N>, shared: A): Promise<OpenService<T>>
}

export interface OpenService<T = unknown> extends OpenPart {
  readonly handed: T
}

/** Services, by the names under which a feature gets them. */
export type Needs = Readonly<Record<string, Service>>

/** What a feature gets from the services that it needs. */
export type Handed<N extends Needs> = { readonly [Name in keyof N]: N[Name] extends Service<infer T> ? T : never }

/** The parts of the app that a feature or a service may use. */
export interface AppParts {
  readonly publicUrl: URL
  readonly users: UserStore
  readonly served: ServedEntryPoints
  readonly sessionStore: Omit<SessionStore, 'store'>
  readonly signInLimits: Pick<SignInLimits, 'admit' | 'admitGuess' | 'forgive'>
  readonly openCounter: OpenCounter
  readonly stores: SharedStores
  readonly sessionSettings: { readonly secrets: readonly string[]; readonly lifetimeSeconds: number }
  readonly addressLimit: AddressLimit
  /** Words that a new password may not consist of. */
  readonly contextWords: readonly string[]
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly securityLog: SecurityLog
  readonly repeatFilter: RepeatFilter
  /** True if a feature has ended the sign-in of the viewer since. Asks all features, also those that open later. */
  readonly hasEnded: (viewer: SessionViewer) => Promise<boolean>
}

/** What the app asks of each open feature and service. */
export interface OpenPart {
  readonly optionalStores?: readonly OptionalStore[]
  /** Functions by the name of a store, for the feature that watches. Each returns true while the store answers. */
  readonly storesInMetrics?: Readonly<Record<string, () => boolean>>
  /** @param registry of the metrics. */
  registerMetrics?(registry: never): void
  close?(): void
}

/** Returns the services that features need, each once, after the services that it needs itself. */
export function servicesOf(all: readonly { readonly needs?: Needs }[]): Service[] {
  const services = all.flatMap(({ needs = {} }) =>
    Object.values(needs).flatMap((service) => [...servicesOf([service]), service]),
  )
  return [...new Set(services)]
}
