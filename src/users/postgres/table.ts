import type { StoredViewer } from '../passwords/verify-sign-in.ts'
import type { SqlClient } from './connection.ts'

/** A table with viewers: the app's own table, or the customer's. */
export interface PostgresTable {
  /**
   * Checks that the app can use the table. Changes nothing.
   * @throws ConfigError with a message that says what to do.
   * @throws UpstreamError when the server cannot be reached.
   */
  check(): Promise<void>
  /** Health check, used after `check` has passed. */
  ping(client: SqlClient): Promise<unknown>
  /**
   * Loads a viewer with one statement. A second statement for unknown users would reveal them by its time.
   * @param key the result of `usernameKey`.
   * @param username the name as typed, in NFC.
   * @throws UpstreamError when the server cannot be reached, or returns an unusable row.
   */
  load(key: string, username: string): Promise<Loaded>
  /** Looks up a viewer without a sign-in, as `load` does. Null for an unknown user. */
  find(key: string, username: string): Promise<StoredViewer | null>
  /** Absent if the app must not change hashes. */
  replaceHash?(key: string, oldHash: string, newHash: string, username: string): Promise<void>
}

export type Loaded =
  | { readonly viewer: StoredViewer }
  /**
   * For an unknown user: the hash of another viewer, verified so that both cases take the same time. Null if none is
   * known.
   */
  | { readonly viewer: null; readonly decoyHash: string | null }
