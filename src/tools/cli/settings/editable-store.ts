import { readContextWords, readUserStore } from '../../../config.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'

/**
 * Opens the user store of the settings, does the work and closes the store. Passes the words that new passwords may not
 * consist of. A machine without the secrets of the login app can manage viewers: no other settings are read.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
 */
export async function withEditableStore(
  io: CommandIo,
  work: (store: EditableUserStore, contextWords: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const contextWords = readContextWords(io.env)
  const store = await userStores.openEditable(readUserStore(io.env), { contextWords })
  try {
    return await work(store, contextWords)
  } finally {
    await store.close()
  }
}
