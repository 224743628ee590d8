import { readUserStore } from '../../config.ts'
import type { EditableUserStore, Migration } from '../../users/editable-user-store.ts'
import { userStores } from '../../users/open-user-store.ts'
import type { Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'

/**
 * Opens the user store of the settings, does the work and closes the store. Reads only the settings of the user store,
 * so that a machine without the secrets of the login app can manage viewers.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
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
 * Creates or updates the table of viewers in the user store of the settings.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
 */
export function migrateStore(io: CommandIo): Promise<Migration | null> {
  return userStores.migrate(readUserStore(io.env))
}
