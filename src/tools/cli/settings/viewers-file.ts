import type { Environment } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'

/** Returns the SQLite file of the viewers. Null if the viewers are in another store. */
export function viewersFile(environment: Environment): string | null {
  const { USER_STORE_URL = 'sqlite:data/viewers.db' } = readGivenSettings(environment, ['USER_STORE_URL']).given
  return /^sqlite:(.+)$/.exec(USER_STORE_URL)?.[1] ?? null
}
