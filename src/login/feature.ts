import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Brand } from '../brand/brand.ts'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { FeatureSettings, SharedSettings } from '../entry-points/feature-settings.ts'
import type { ClientFault } from '../server/client-faults.ts'
import type { SecurityLog } from '../server/log/log.ts'
import type { SecurityLogFile } from '../server/log/log-files.ts'
import type { RepeatFilter } from '../server/log/repeat-filter.ts'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import type { SessionStore, SessionViewer } from '../sessions/session-store.ts'
import type { AcceptsSession } from '../sessions/sessions.ts'
import type { Settings } from '../settings/setting.ts'
import type { OpenCounter } from '../sign-in-limits/memory-counters.ts'
import type { AddressLimit } from '../sign-in-limits/settings.ts'
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.ts'
import type { OpenCounters, OpenSessions, SharedStores } from '../stores/store-kind.ts'
import type { UserStore } from '../users/user-store.ts'
import type { StoreSettings } from '../users/user-store-kind.ts'
import type { PlayerAnswer } from './answer/answer.ts'
import type { LogSignIn, Outcomes } from './log/sign-in-log.ts'
import type { EntryPointDeps, Gate } from './route-deps.ts'
import type { Prompt, ScreenPart } from './screens/screen-part.ts'

/**
 * A capability that a fork may delete: a folder below src/features and a line in src/features.ts. No other code
 * names a feature. `T`: its settings at an entry point; `A`: its settings that all entry points share.
 */
export interface Feature<S extends Settings = Settings, T = unknown, A = unknown> extends FeatureSettings<S, T> {
  /** Settings that all entry points share. */
  readonly shared?: SharedSettings<A>
  /** Prompts in old addresses: they show the sign-in screen also where the feature is off. */
  readonly prompts?: readonly Prompt[]
  /** The outcomes of its log lines. */
  readonly outcomes?: Outcomes
  /** The security log while SECURITY_LOG_FILE is not set. */
  readonly securityLog?: SecurityLogFile
  /** Returns why the feature cannot be on with this user store, with the settings of one entry point; null if it can. */
  faultWith?(userStore: StoreSettings, settings: T): string | null
  /**
   * Opens the feature, and loads its code late. Called only if it is on at an entry point. Null if it has nothing to do.
   * @throws ConfigError if it cannot work with these settings.
   */
  open(services: Services, entryPoints: readonly EntryPointOf<T>[], shared: A): Promise<OpenFeature<T> | null>
}

/** An entry point at which a feature is on. */
export interface EntryPointOf<T> {
  readonly entryPoint: EntryPoint
  readonly settings: T
}

/** The parts of the app that a feature may use. All features get the same object, and declare here what they add. */
export interface Services {
  readonly publicUrl: URL
  readonly users: UserStore
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
  /** The features that are open. Features that open later follow. */
  readonly opened: readonly { readonly open: OpenFeature }[]
}

export interface OpenFeature<T = unknown> {
  /** Returns the parts that the feature adds to one entry point. */
  at(entryPoint: EntryPoint, settings: T): FeaturePart
  /** Routes that all entry points share. */
  sharedRoutes?(deps: SharedRouteDeps): RequestHandler
  /** True if the system that signed the viewer in has ended the sign-in since. */
  hasEnded?(viewer: SessionViewer): Promise<boolean>
  readonly optionalStores?: readonly OptionalStore[]
  /** Watches the app. Called after all features are open. */
  watch?(app: WatchedApp): Promise<Watch>
  /** Functions by the name of a store, for the feature that watches. Each returns true while the store answers. */
  readonly storesInMetrics?: Readonly<Record<string, () => boolean>>
  /** @param registry of the metrics. */
  registerMetrics?(registry: never): void
  close?(): void
}

export interface SharedRouteDeps {
  readonly brand: Brand
  readonly logSignIn: LogSignIn
}

export interface FeaturePart {
  /** A way to sign in. */
  readonly screenPart?: ScreenPart
  /** Decides after the access policy, before the answer. */
  gate?(deps: Omit<EntryPointDeps, 'gates'>): Gate
  /** Replaces the hash. */
  readonly answer?: PlayerAnswer
  /** True for the sessions of its own viewers. Those of password viewers count where the password form is. */
  readonly acceptsSession?: AcceptsSession
  /** Changes the links on the screens. */
  brand?(brand: Brand): Brand
  /** Routes below the base path of the entry point. */
  routes?(deps: EntryPointDeps): RequestHandler
}

/** The app, for a feature that watches it. */
export interface WatchedApp {
  readonly host: string
  readonly users: UserStore
  readonly sessions: OpenSessions
  readonly counters: OpenCounters
  readonly entryPoints: readonly EntryPoint[]
  /** The number of lost lines by log. */
  readonly linesDropped: () => Readonly<Record<string, number>>
  /** The outcomes of all features. */
  readonly outcomes: Outcomes
  readonly features: readonly OpenFeature[]
}

/** A feature that watches the app. The app calls it. */
export interface Watch {
  /** @param outcome as in the log. @param limit the limit that refused the sign-in. @param code of the access policy. */
  countSignIn(outcome: string, entryPoint: string, limit?: string, code?: string): void
  countClientFault(fault: ClientFault): void
  readonly timeRequests: RequestHandler
  /** Ports that are open, for the first line of the log. */
  readonly ports: Readonly<Record<string, number>>
  /** Called last, so that the last requests are seen. */
  close(): Promise<void>
}
