import type { Environment } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'
import { userStores } from '../../../users/open-user-store.ts'

/** Returns the file of the viewers. Null if the viewers are in another store. */
export function viewersFile(environment: Environment): string | null {
  return userStores.fileOf(readGivenSettings(environment, ['USER_STORE_URL']).given.USER_STORE_URL)
}
