import { ConfigError, UpstreamError } from '../../errors.ts'
import type { PasswordHashing } from '../passwords/argon2.ts'
import { createGate, type Gate, hashingGateOptions } from '../passwords/hashing-queue.ts'
import { knownPasswords } from '../passwords/known-hashes.ts'
import { hashedSignIn, type StoredViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore, Warn } from '../user-store.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { type ConnectOptions, connectPostgres, type PostgresConnection } from './connection.ts'
import { settingFault, unrefused } from './fault.ts'
import { ownTable } from './own-table.ts'
import { queriedTable } from './query.ts'
import type { PostgresSettings } from './settings.ts'
import type { PostgresTable } from './table.ts'

export interface PostgresStoreOptions extends Omit<ConnectOptions, 'timeoutMs'> {
  readonly gate?: Gate
  readonly passwords?: PasswordHashing
  readonly warn?: Warn
}

/**
 * Opens the store in a PostgreSQL database: the table of this app, or the customer's own. A server that is away does not
 * stop the app from starting: readiness fails and sign-ins are answered with 503 until it is there.
 * @throws ConfigError when the server is there and the settings are wrong: password, database, certificate, table, query.
 */
export async function openPostgresStore(
  settings: PostgresSettings,
  options: PostgresStoreOptions = {},
): Promise<UserStore> {
  const connection = connectPostgres(settings, options)
  const store = createPostgresStore(connection, options)
  try {
    await store.checkHealth()
    return store
  } catch (error) {
    const fault = startFault(error, settings)
    if (fault === null) {
      options.warn?.('The app starts without its user store, which will be tried again.', error)
      return store
    }
    await store.close()
    throw new ConfigError(fault, { cause: error })
  }
}

/** The store over a connection, which is closed with it. */
export function createPostgresStore(
  connection: PostgresConnection,
  { gate = createGate(hashingGateOptions()), passwords = knownPasswords, warn = () => {} }: PostgresStoreOptions = {},
): UserStore {
  const { query } = connection.settings
  const table = query === null ? ownTable(connection) : queriedTable(connection, query, warn)
  const assertChecked = onceDone(table.check)

  async function load(key: string, username: string): Promise<StoredViewer | { readonly standIn: string | null }> {
    await assertChecked()
    const loaded = await unrefused(table.load(key, username))
    return loaded.viewer ?? { standIn: loaded.standIn }
  }
  return {
    assertRoom: gate.assertRoom,
    authenticate: hashedSignIn({ gate, passwords, warn, load, ...replacing(table) }),
    async find(username) {
      if (faultInUsername(username) !== null) return null
      await assertChecked()
      const { viewer } = await unrefused(table.load(usernameKey(username), canonicalText(username)))
      return viewer && !viewer.disabled ? viewer.viewer : null
    },
    async checkHealth() {
      await assertChecked()
      await unrefused(connection.probe(table.ping))
    },
    close: () => connection.close(),
  }
}

/** What is wrong with the settings; null for a store that is only away. */
function startFault(error: unknown, settings: PostgresSettings): string | null {
  if (!(error instanceof UpstreamError)) throw error
  return error.cause instanceof ConfigError ? error.cause.message : settingFault(error.cause, settings)
}

/**
 * Checks the table until it was found right once. What is wrong with it then is, to those who sign in, a store that is away.
 */
function onceDone(check: PostgresTable['check']): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone) return
    try {
      await check()
      isDone = true
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause
      throw new UpstreamError('user-store', cause.message.replace(/\.$/, ''), { cause })
    }
  }
}

function replacing({ replaceHash }: PostgresTable): Pick<PostgresTable, 'replaceHash'> {
  return replaceHash ? { replaceHash } : {}
}
