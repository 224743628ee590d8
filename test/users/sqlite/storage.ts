import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { userStores } from '../../../src/users/open-user-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { viewersUrl } from './viewers-url.ts'

/** Creates a file without viewers for a contract, and returns a function that opens stores on it. */
export function sqliteStorage(): Promise<() => Promise<EditableUserStore>> {
  const USER_STORE_URL = viewersUrl(temporaryFolder())
  return Promise.resolve(() => userStores.openEditable(userStores.environment.parse({ USER_STORE_URL })))
}
