import type { UserStore, Warn } from '../user-store.ts'
import type { StoreSettings } from '../user-store-kind.ts'

/** The result of one check. `unknown`: not tried. The text says what was seen, then what to do. */
export interface StoreFinding {
  readonly state: 'ok' | 'warning' | 'unknown' | 'failure'
  /** The name of the result in JSON, such as `wrong-password`. */
  readonly code: string
  readonly text: string
}

/** Test viewers in the store. */
export interface CheckedViewers {
  /** Null without a test viewer. */
  readonly username: string | null
  /** The password of both viewers. Null: the checks that need it are left out. */
  readonly password: string | null
  /** The name of a disabled viewer. Null without one. */
  readonly disabled: string | null
}

/** Opens the store that is checked. */
export type OpenStore = (warn: Warn) => Promise<UserStore>

/** The checks of `store check`. The command line has them, because the login app checks no store. */
export interface StoreChecks {
  /**
   * Checks the promises of every store.
   * @param timeoutMs the longest answer that the app accepts; null if the store has no network.
   */
  checkStore(open: OpenStore, viewers: CheckedViewers, timeoutMs: number | null): AsyncIterable<StoreFinding>
  /** Runs a check. @param work returns what is wrong, or null. */
  check(code: string, kept: string, work: () => Promise<string | null>): Promise<StoreFinding>
  /** Returns a name that no store has. */
  unknownName(): string
}

/** A kind of user store that may have checks of its own. */
export interface ChecksStore<Settings extends StoreSettings = StoreSettings> {
  /** Checks the promises of the store. Absent if it needs no more than `checkStore`. */
  check?(settings: Settings, viewers: CheckedViewers, checks: StoreChecks): AsyncIterable<StoreFinding>
}
