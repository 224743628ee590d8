import { readContextWords, readUserStore } from '../../../config.ts'
import type { Environment } from '../../../settings/fields.ts'
import { readGivenSettings } from '../../../settings/named-file.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { CommandIo } from '../terminal/io.ts'

/**
 * Opens the user store of the settings, does the work and closes the store. Passes the words that new passwords may not
 * consist of. A machine without the secrets of the login app can manage viewers: no other settings are read.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
 */
export async function withEditableStore<T>(
  { env }: Pick<CommandIo, 'env'>,
  work: (store: EditableUserStore, contextWords: readonly string[]) => Promise<T>,
): Promise<T> {
  const contextWords = readContextWords(env)
  const store = await userStores.openEditable(readUserStore(env), { contextWords })
  try {
    return await work(store, contextWords)
  } finally {
    await store.close()
  }
}

/** Returns the file of the viewers. Null if the viewers are in another store. */
export function viewersFile(environment: Environment): string | null {
  return userStores.fileOf(readGivenSettings(environment, ['USER_STORE_URL']).given.USER_STORE_URL)
}
