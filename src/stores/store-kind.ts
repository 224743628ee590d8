import type { Logger } from 'pino'
import type { z } from 'zod'
import type { OptionalStore } from '../server/monitoring/readiness.ts'
import type { SessionLimits, SessionStore, ShownSession } from '../sessions/session-store.ts'
import type { SettingMistake } from '../settings/fields.ts'
import type { FailedSignIns, UnlockResult, UnlockTarget } from '../sign-in-limits/failed-sign-ins.ts'
import type { OpenCounter } from '../sign-in-limits/memory-counters.ts'

/** The settings of a store. Only the kind of store that read them looks inside. */
export interface StoreSettings {
  readonly kind: string
}

/** The settings of the stores for sessions and limits. */
export interface SharedStores {
  readonly sessionStore: StoreSettings
  readonly limitsStore: StoreSettings
}

export interface StoreUrls {
  readonly SESSION_STORE_URL: string
  readonly LIMITS_STORE_URL: string
}

export interface StoreDeps {
  readonly nowSeconds: () => number
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export interface OpenSessions {
  readonly sessionStore: SessionStore
  readonly optionalStores: readonly OptionalStore[]
}

export interface OpenCounters {
  readonly openCounter: OpenCounter
  readonly optionalStores: readonly OptionalStore[]
  close(): void
}

/**
 * Sessions in a store. The login app may be running while a command uses them. Each function throws a ConfigError or
 * UpstreamError if the store cannot be used.
 */
export interface StoredSessions {
  open(limits: SessionLimits, deps: StoreDeps): Promise<OpenSessions>
  /**
   * Ends the sessions of user names, and returns their number. The app reads the session at each visit, so the viewers
   * must sign in again. A player that already plays continues until its response expires.
   * @param usernames in any case.
   * @param haveIdentity true for the sessions of viewers of other systems with these names, false for those of the user store.
   */
  end(usernames: string | readonly string[], haveIdentity: boolean): Promise<number>
  /** Ends the sessions of all viewers, and returns their number. */
  endAll(): Promise<number>
  /** Lists the sessions of a user name in any case, also ones that are over. */
  list(username: string): Promise<readonly ShownSession[]>
}

/** Failed sign-ins in a store, as `StoredSessions`. */
export interface StoredCounts {
  open(deps: StoreDeps): Promise<OpenCounters>
  /** Deletes failed sign-ins, so that viewers can try immediately. */
  unlock(target: UnlockTarget): Promise<UnlockResult>
  /**
   * Reads the failed sign-ins of a viewer.
   * @param username as typed at the sign-in, in any spelling of the same account.
   * @returns null if no command can reach the counts.
   */
  failedSignIns(username: string): Promise<FailedSignIns | null>
}

/** One kind of store for sessions, failed sign-ins or both: an entry of the list in `src/stores.ts`. */
export interface StoreKind<Settings extends StoreSettings = StoreSettings, Fields = unknown> {
  /** Marks the settings of this kind. */
  readonly kind: Settings['kind']
  /** The form of its address, as in `sqlite:FILE`. */
  readonly urlForm: string
  /** True if this address chooses the store. */
  isUrl(url: string): boolean
  /** Its settings besides the address. */
  readonly fields?: Record<string, z.ZodType>
  /** @param url an address for which `isUrl` is true. */
  at(url: string, fields: Fields): Settings
  /** Returns what is wrong with its settings together. Called also if another store is chosen. */
  mistakes?(given: Fields & StoreUrls): SettingMistake[]
  /** Returns a warning for valid settings that are usually a mistake. Null if there is none. */
  warning?(settings: Settings): string | null
  /** Returns the address for counts that follows from an address of sessions. Null if none does. */
  countsBeside?(sessionsUrl: string): string | null
  sessions?(settings: Settings): StoredSessions | Promise<StoredSessions>
  counts?(settings: Settings): StoredCounts | Promise<StoredCounts>
}
