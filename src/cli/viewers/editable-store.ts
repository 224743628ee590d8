import { readUserStore } from '../../config.ts'
import type { EditableUserStore, Migration } from '../../users/editable-user-store.ts'
import { userStores } from '../../users/open-user-store.ts'
import type { Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'

/**
 * Does the work on the user store of the settings, and closes it whatever comes of it. The settings of the user store
 * are read alone: who looks after the viewers need not have the secrets of the login app.
 * @throws ConfigError for settings that are wrong, naming each, and for a store that cannot be used.
 */
export async function withEditableStore(
  io: CommandIo,
  work: (store: EditableUserStore) => Promise<Outcome>,
): Promise<Outcome> {
  const store = await userStores.openEditable(readUserStore(io.env))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/**
 * Makes the place for viewers in the user store of the settings.
 * @throws ConfigError for settings that are wrong, naming each, and for a store that cannot be used.
 */
export function migrateStore(io: CommandIo): Promise<Migration | null> {
  return userStores.migrate(readUserStore(io.env))
}
