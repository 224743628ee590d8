import type { StoreSettings } from '../user-store-kind.ts'

/** The version of a table before and after a migration; 0 for a new table. */
export interface Migration {
  readonly from: number
  readonly to: number
}

/** A kind of user store that may have tables to create. */
export interface MigratesTables<Settings extends StoreSettings = StoreSettings> {
  /**
   * Creates the tables, or updates them to the version of this app. Absent if opening the store does so.
   * @param app the settings of the login app, if they name another role: creates it, and grants it what it needs.
   * @throws UpstreamError when the store cannot be reached.
   */
  migrate?(settings: Settings, app: Settings | null): Promise<Migration>
}
