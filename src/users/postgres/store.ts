import { ConfigError, UpstreamError } from '../../errors.ts'
import { createQueue, type WorkQueue } from '../../server/work-queue.ts'
import { ownPasswordChanges } from '../account/own-password-links.ts'
import { ownAddressLookup } from '../mail/address-lookup.ts'
import { inspectViewer, type ViewerTables } from '../own-tables/viewer-tables.ts'
import { ownPasskeys } from '../passkeys/own-passkeys.ts'
import type { PasswordHashing } from '../passwords/argon2.ts'
import { hashingQueueOptions } from '../passwords/hashing-queue.ts'
import { storedPasswords } from '../passwords/stored-passwords.ts'
import { hashedSignIn, type StoredViewer, toViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore, Warn } from '../user-store.ts'
import { toViewerState } from '../viewer-changes.ts'
import { canonicalText, faultInUsername, usernameKey } from '../viewer-fields.ts'
import { type ConnectOptions, connectPostgres, type PostgresConnection, serverSeconds } from './connection.ts'
import { queriedTable } from './customer-table/query.ts'
import { refusalAsUpstreamError, settingFault } from './fault.ts'
import { byAddress } from './own-table/mail/address-lookup.ts'
import { ownTable } from './own-table/own-table.ts'
import { rightsOf } from './own-table/rights.ts'
import { postgresTables } from './own-table/tables.ts'
import type { PostgresSettings } from './settings.ts'
import type { PostgresTable } from './table.ts'

export interface PostgresStoreOptions extends Omit<ConnectOptions, 'timeoutMs'> {
  readonly queue?: WorkQueue
  readonly passwords?: PasswordHashing
  readonly warn?: Warn
}

/**
 * Opens a store in PostgreSQL: the app's own table, or the customer's. The app starts even if the server is down: until
 * the server is back, readiness fails and sign-ins get 503.
 * @throws ConfigError when the server refuses the settings: password, database, certificate, table or query.
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
    const fault = faultAtStart(error, settings)
    if (fault === null) {
      options.warn?.('The user store is unavailable. The app starts, and tries again at the next sign-in.', error)
      return store
    }
    await store.close()
    throw new ConfigError(fault, { cause: error })
  }
}

/** Creates the store. Closing the store closes the connection. */
export function createPostgresStore(
  connection: PostgresConnection,
  {
    queue = createQueue(hashingQueueOptions()),
    passwords = passwordsFor(connection.settings),
    warn = () => {},
  }: PostgresStoreOptions = {},
): UserStore {
  const { query } = connection.settings
  const table = query === null ? ownTable(connection) : queriedTable(connection, query, warn)
  const assertUsable = untilPassed(table.check)

  async function load(key: string, username: string): Promise<StoredViewer | { readonly decoyHash: string | null }> {
    await assertUsable()
    const loaded = await refusalAsUpstreamError(table.load(key, username))
    return loaded.viewer ?? { decoyHash: loaded.decoyHash }
  }
  async function lookUp(username: string): Promise<StoredViewer | null> {
    if (faultInUsername(username) !== null) return null
    await assertUsable()
    return await refusalAsUpstreamError(table.find(usernameKey(username), canonicalText(username)))
  }
  return {
    assertCapacity: queue.assertCapacity,
    hashingQueue: queue.load,
    authenticate: hashedSignIn({ queue, passwords, warn, load, ...replaceHashOf(table) }),
    async inspect(username) {
      const stored = await lookUp(username)
      return stored && toViewerState(stored, null)
    },
    ...(query === null &&
      ofOwnTables({
        tables: postgresTables(connection, assertUsable),
        settings: connection.settings,
        queue,
        passwords,
      })),
    async find(username) {
      const stored = await lookUp(username)
      return stored && !stored.disabled ? toViewer(stored) : null
    },
    async checkHealth() {
      await assertUsable()
      await refusalAsUpstreamError(connection.probe(table.ping))
    },
    nowSeconds: () => serverSeconds(connection),
    close: () => connection.close(),
  }
}

interface OwnTablesDeps extends Required<Pick<PostgresStoreOptions, 'queue' | 'passwords'>> {
  readonly tables: ViewerTables
  readonly settings: PostgresSettings
}

/** Returns what only a store with the app's own tables has. */
export function ofOwnTables(deps: OwnTablesDeps) {
  return {
    passwordChanges: ownPasswordChanges(deps.tables, {
      queue: deps.queue,
      passwords: deps.passwords,
      byAddress,
      assertRights: rightsOf(deps.tables, deps.settings),
    }),
    passkeys: ownPasskeys(deps.tables, rightsOf(deps.tables, deps.settings)),
    findByAddress: ownAddressLookup(deps.tables, byAddress),
    inspect: (username: string) => deps.tables.run(inspectViewer(deps.tables, username)),
  }
}

/** A table of this app has hashes that are easy to guess only if an import accepted them. */
function passwordsFor({ query }: PostgresSettings): PasswordHashing {
  const acceptsWeakHashes = query === null || query.acceptsWeakHashes
  const strict = storedPasswords.withoutWeakHashes?.('with POSTGRES_WEAK_HASHES=accept')
  return acceptsWeakHashes ? storedPasswords : (strict ?? storedPasswords)
}

/** Returns what is wrong with the settings; null if the server is only unavailable. */
function faultAtStart(error: unknown, settings: PostgresSettings): string | null {
  if (!(error instanceof UpstreamError)) throw error
  return error.cause instanceof ConfigError ? error.cause.message : settingFault(error.cause, settings)
}

/** Runs the check until it passes once. After the start, a wrong table is an unavailable store. */
function untilPassed(check: PostgresTable['check']): () => Promise<void> {
  let hasPassed = false
  return async () => {
    if (hasPassed) return
    try {
      await check()
      hasPassed = true
    } catch (cause) {
      if (!(cause instanceof ConfigError)) throw cause
      throw new UpstreamError('user-store', cause.message.replace(/\.$/, ''), { cause })
    }
  }
}

function replaceHashOf({ replaceHash }: PostgresTable): Pick<PostgresTable, 'replaceHash'> {
  return replaceHash ? { replaceHash } : {}
}
