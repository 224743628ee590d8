import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import type { PasswordHashing } from '../passwords/argon2.ts'
import { createQueue, hashingQueueOptions, type WorkQueue } from '../passwords/hashing-queue.ts'
import { knownPasswords } from '../passwords/known-hashes.ts'
import { hashedSignIn, type StoredViewer } from '../passwords/verify-sign-in.ts'
import type { UserStore, Warn } from '../user-store.ts'
import { faultInUsername, usernameKey } from '../viewer-fields.ts'
import { openViewersFile, queryViewers } from './database-file.ts'

export interface SqliteStoreOptions {
  readonly queue?: WorkQueue
  readonly passwords?: PasswordHashing
  readonly warn?: Warn
}

/** Short, since all viewers wait with it. The only write of the app renews a hash, which the next sign-in can do. */
const BUSY_TIMEOUT_MS = 100

const ViewerRow = z.object({
  username: z.string(),
  password_hash: z.string(),
  disabled: z.union([z.literal(0), z.literal(1)]),
  group_names: json(z.array(z.string())),
  attributes: json(z.record(z.string(), z.string())),
})

/**
 * Opens the store in a file. The command line may change the file at the same time.
 * @throws ConfigError when the file cannot be used, with what to do.
 */
export function openSqliteStore(file: string, options: SqliteStoreOptions = {}): UserStore {
  return createSqliteStore(openViewersFile(file, BUSY_TIMEOUT_MS), file, options)
}

/** Makes the store of an open file. Closing the store closes the file. */
export function createSqliteStore(
  database: DatabaseSync,
  file: string,
  { queue = createQueue(hashingQueueOptions()), passwords = knownPasswords, warn = () => {} }: SqliteStoreOptions,
): UserStore {
  const load = viewerLoader(database, file)
  const anyRow = database.prepare('SELECT key FROM viewers LIMIT 1')
  const decoyHash = database.prepare(
    `SELECT coalesce((SELECT password_hash FROM viewers WHERE key >= ? ORDER BY key LIMIT 1),
                     (SELECT password_hash FROM viewers ORDER BY key LIMIT 1)) AS password_hash`,
  )
  const newHash = database.prepare('UPDATE viewers SET password_hash = ? WHERE key = ? AND password_hash = ?')
  return {
    assertCapacity: queue.assertCapacity,
    authenticate: hashedSignIn({
      queue,
      passwords,
      warn,
      load,
      decoyHash: (key) => {
        const row = queryViewers(file, () => decoyHash.get(key))
        return typeof row?.password_hash === 'string' ? row.password_hash : null
      },
      replaceHash: (key, oldHash, hash) => {
        queryViewers(file, () => newHash.run(hash, key, oldHash))
      },
    }),
    find: (username) =>
      promised(() => {
        const stored = faultInUsername(username) === null ? load(usernameKey(username)) : null
        return stored && !stored.disabled ? stored.viewer : null
      }),
    checkHealth: () =>
      promised(() => {
        queryViewers(file, () => anyRow.get())
      }),
    close: () =>
      promised(() => {
        if (database.isOpen) database.close()
      }),
  }
}

/** Looks up viewers by the key of the name. */
export function viewerLoader(database: DatabaseSync, file: string): (key: string) => StoredViewer | null {
  const byKey = database.prepare('SELECT * FROM viewers WHERE key = ?')
  return function load(key) {
    const row = queryViewers(file, () => byKey.get(key))
    return row ? readViewerRow(row, file) : null
  }
}

/** Runs a synchronous query as a promise, which rejects if the query throws. */
export function promised<T>(query: () => T): Promise<T> {
  return new Promise((resolve) => resolve(query()))
}

/** @throws UpstreamError for a row that this app did not write. */
export function readViewerRow(row: unknown, file: string): StoredViewer {
  const parsed = ViewerRow.safeParse(row)
  if (!parsed.success) {
    throw new UpstreamError('user-store', `A row of the viewer database ${file} is damaged: ${parsed.error.message}`)
  }
  const { username, password_hash, disabled, group_names, attributes } = parsed.data
  return {
    viewer: { username, groups: group_names, attributes },
    passwordHash: password_hash,
    disabled: disabled === 1,
  }
}

function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue('is not JSON')
        return z.NEVER
      }
    })
    .pipe(schema)
}
