import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import type { PostgresAsker } from './connection.ts'

/** A table of viewers: that of this app, or the customer's own. */
export interface PostgresTable {
  /**
   * Tries out whether the table can be used as the settings say; changes nothing.
   * @throws ConfigError with a sentence that says what to do.
   * @throws UpstreamError when the server cannot be reached.
   */
  check(): Promise<void>
  /** Resolves when the table answers, which `check` has seen before. */
  ping(ask: PostgresAsker): Promise<unknown>
  /**
   * One question, whether there is such a viewer or not: a second one would tell.
   * @param key of the name.
   * @param username as it was typed, NFC.
   * @throws UpstreamError when the server cannot be reached, or the answer is not as agreed.
   */
  load(key: string, username: string): Promise<Loaded>
  /** Absent where hashes are not this app's to change. */
  replaceHash?(key: string, oldHash: string, newHash: string, username: string): Promise<void>
}

export type Loaded =
  | { readonly viewer: StoredViewer }
  /** With the hash of somebody, which takes the time that hashes take here; null where none is known. */
  | { readonly viewer: null; readonly standIn: string | null }
