import type { RequestHandler } from 'express'
import type { Brand } from '../brand/brand.ts'
import type { EntryPoint } from '../entry-points/entry-point.ts'
import type { FeatureSettings, SharedSettings } from '../entry-points/feature-settings.ts'
import type { SecurityLogFile } from '../server/log/log-files.ts'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import type { SessionViewer } from '../sessions/session-store.ts'
import type { AcceptsSession } from '../sessions/sessions.ts'
import type { Settings } from '../settings/setting.ts'
import type { WayInCapacity } from '../sign-in-limits/capacity.ts'
import type { AddressLimit } from '../sign-in-limits/settings.ts'
import type { StoreSettings } from '../users/user-store-kind.ts'
import type { PlayerAnswer } from './answer/answer.ts'
import type { LogSignIn, Outcomes } from './log/sign-in-log.ts'
import type { EntryPointDeps, Gate } from './route-deps.ts'
import type { ScreenPart } from './screens/screen-part.ts'
import type { AppParts, Handed, Needs, OpenPart } from './service.ts'
import type { Watch, WatchedApp } from './watch.ts'

/**
 * A capability that a fork may delete: a folder below src/features and a line in src/features.ts. No other code names a
 * feature. `T`: its settings at an entry point; `A`: its settings that all entry points share; `N`: the services that it
 * needs.
 */
export interface Feature<S extends Settings = Settings, T = unknown, A = unknown, N extends Needs = Needs>
  extends FeatureSettings<S, T> {
  /** Settings that all entry points share. */
  readonly shared?: SharedSettings<A>
  /** The services that it needs. They open before it, and it gets them by these names. */
  readonly needs?: N
  /** The outcomes of its log lines. */
  readonly outcomes?: Outcomes
  /** The guests that it signs in, who are in no user store: their issuer in sessions and log, and the way in, in words. */
  readonly guests?: { readonly issuer: string; readonly words: string }
  /** The security log while SECURITY_LOG_FILE is not set. */
  readonly securityLog?: SecurityLogFile
  /** Returns why the feature cannot be on with this user store, at this entry point; null if it can. */
  faultWith?(userStore: StoreSettings, settings: T, entryPoint: EntryPoint): string | null
  /** Returns how many viewers one address lets in by this way in. */
  capacityOf?(config: CapacityConfig): WayInCapacity
  /**
   * Opens the feature, and loads its code late. Called only if it is on at an entry point. Null if it has nothing to do.
   * @throws ConfigError if it cannot work with these settings.
   */
  open(app: AppParts & Handed<N>, entryPoints: readonly EntryPointOf<T>[], shared: A): Promise<OpenFeature<T> | null>
}

/** The settings of the app that say how many viewers one address lets in. */
export interface CapacityConfig {
  readonly addressLimit: AddressLimit
  readonly entryPoints: readonly EntryPoint[]
  /** The settings of features and services that all entry points share, by name. */
  readonly features: Readonly<Record<string, unknown>>
}

/** Finds the types of a feature, so that its file need not name them. */
export function defineFeature<S extends Settings, T, A, N extends Needs>(feature: Feature<S, T, A, N>): Feature {
  return feature as Feature
}

/** An entry point at which a feature is on. */
export interface EntryPointOf<T> {
  readonly entryPoint: EntryPoint
  readonly settings: T
}

export interface OpenFeature<T = unknown> extends OpenPart {
  /** Returns the parts that the feature adds to one entry point. */
  at?(entryPoint: EntryPoint, settings: T): FeaturePart
  /** Routes that all entry points share. */
  sharedRoutes?(deps: SharedRouteDeps): RequestHandler
  /** True if the system that signed the viewer in has ended the sign-in since. */
  hasEnded?(viewer: SessionViewer): Promise<boolean>
  /** Returns a function for what the feature adds to `/health/ready`. Called once, with the optional stores of the app. */
  readiness?(stores: readonly OptionalStore[]): () => object
  /** Watches the app. Called after all features are open. */
  watch?(app: WatchedApp): Promise<Watch>
}

export interface SharedRouteDeps {
  readonly brand: Brand
  readonly logSignIn: LogSignIn
}

/** What a feature adds to one entry point: a way in, a gate, an answer, routes. */
export interface FeaturePart extends Partial<WayIn> {
  /** Decides after the access policy, before the answer. */
  gate?(deps: Omit<EntryPointDeps, 'gates'>): Gate
  /** Replaces the hash. */
  readonly answer?: PlayerAnswer
  /** Changes the links on the screens. */
  brand?(brand: Brand): Brand
  /** Puts the ways to sign in into another order. The first one has the first screen. */
  order?(ways: readonly ScreenPart[]): readonly ScreenPart[]
  /** Routes below the base path of the entry point. */
  routes?(deps: EntryPointDeps): RequestHandler
}

/** A way to sign in besides the password. Its routes end in `sendToPlayer()`, as the password does. */
export interface WayIn {
  /** Its part of the sign-in screen. */
  readonly screenPart: ScreenPart
  /** True for the sessions of its own viewers. Those of password viewers count where the password form is. */
  readonly acceptsSession: AcceptsSession
}
