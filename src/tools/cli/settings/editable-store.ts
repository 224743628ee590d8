import { readContextWords, readUserStore } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import type { EditableUserStore, Migration } from '../../../users/editable-user-store.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { StoreSettings } from '../../../users/user-store-kind.ts'
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

/**
 * Creates or updates the table of viewers in the user store of the settings.
 * @param appUrlFile a file with the USER_STORE_URL of the login app, to create its role too.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
 */
export async function migrateStore(io: CommandIo, appUrlFile?: string): Promise<Migration | null> {
  const app = appUrlFile === undefined ? null : readAppStore(appUrlFile)
  return await userStores.migrate(readUserStore(io.env), app)
}

function readAppStore(file: string): StoreSettings {
  const read = readNamedFile(file)
  if ('fault' in read) throw new ConfigError(`--app-url-file ${read.fault}.`)
  const address = read.text.trim()
  if (address === '') throw new ConfigError('--app-url-file names an empty file.')
  try {
    return readUserStore({ USER_STORE_URL: address })
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new ConfigError(`--app-url-file names a file with a wrong address. ${cause.message}`, { cause })
  }
}
