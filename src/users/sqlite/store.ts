import { createQueue, type WorkQueue } from '../../server/work-queue.ts'
import { ownPasswordChanges } from '../account/own-password-links.ts'
import type { ChangesPasswords } from '../account/password-changes.ts'
import { ownAddressLookup } from '../mail/address-lookup.ts'
import { inspectViewer } from '../own-tables/viewer-tables.ts'
import { ownPasskeys } from '../passkeys/own-passkeys.ts'
import type { KeepsPasskeys } from '../passkeys/passkey-store.ts'
import type { PasswordHashing } from '../passwords/argon2.ts'
import { hashingQueueOptions } from '../passwords/hashing-queue.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { hashedSignIn, type StoredViewer, toViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore, Warn } from '../user-store.ts'
import { faultInUsername, usernameKey } from '../viewer-fields.ts'
import { openForApp, type ViewersFile } from './database-file.ts'
import { byAddress } from './mail/address-lookup.ts'
import { tablesIn } from './tables.ts'

export interface SqliteStoreOptions {
  readonly queue?: WorkQueue
  readonly passwords?: PasswordHashing
  readonly warn?: Warn
}

/** Short, since all viewers wait with it. The app writes rarely, and can repeat each of its writes. */
const BUSY_TIMEOUT_MS = 100

/**
 * Opens the store in a file. The command line may change the file at the same time.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openSqliteStore(file: string, options: SqliteStoreOptions = {}): UserStore {
  return createSqliteStore(openForApp(file, BUSY_TIMEOUT_MS, options.warn ?? (() => {})), options)
}

type SqliteStore = UserStore & Required<Pick<UserStore, 'inspect'>>

/** Makes the store of an open file. Closing the store closes the file. */
export function createSqliteStore(
  viewers: ViewersFile,
  { queue = createQueue(hashingQueueOptions()), passwords = storedPasswords, warn = () => {} }: SqliteStoreOptions,
): SqliteStore & ChangesPasswords & KeepsPasskeys {
  const { database, query, ask } = viewers
  const tables = tablesIn(viewers)
  const byKey = database.prepare('SELECT * FROM viewers WHERE key = ?')
  const anyRow = database.prepare('SELECT key FROM viewers LIMIT 1')
  const decoyHash = database.prepare(
    `SELECT coalesce((SELECT password_hash FROM viewers WHERE key >= ? ORDER BY key LIMIT 1),
                     (SELECT password_hash FROM viewers ORDER BY key LIMIT 1)) AS password_hash`,
  )
  const newHash = database.prepare('UPDATE viewers SET password_hash = ? WHERE key = ? AND password_hash = ?')

  function load(key: string): StoredViewer | null {
    const row = query(() => byKey.get(key))
    return row ? tables.readViewer(row) : null
  }
  return {
    assertCapacity: queue.assertCapacity,
    hashingQueue: queue.load,
    authenticate: hashedSignIn({
      queue,
      passwords,
      warn,
      load,
      decoyHash: (key) => {
        const row = query(() => decoyHash.get(key))
        return typeof row?.password_hash === 'string' ? row.password_hash : null
      },
      replaceHash: (key, oldHash, hash) => void query(() => newHash.run(hash, key, oldHash)),
    }),
    passwordChanges: ownPasswordChanges(tables, { queue, passwords, byAddress }),
    passkeys: ownPasskeys(tables),
    findByAddress: ownAddressLookup(tables, byAddress),
    find: (username) =>
      ask(() => {
        const stored = faultInUsername(username) === null ? load(usernameKey(username)) : null
        return stored === null || stored.disabled ? null : toViewer(stored)
      }),
    inspect: (username) => tables.run(inspectViewer(tables, username)),
    isEmpty: () => query(() => anyRow.get()) === undefined,
    checkHealth: () => ask(() => void anyRow.get()),
    close: () => Promise.try(() => (database.isOpen ? database.close() : undefined)),
  }
}
