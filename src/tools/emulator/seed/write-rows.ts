import type { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import { freeSlug } from '../rest/channels.ts'
import type { Seed } from './seed.ts'

/**
 * Deletes the rows of all tables and writes the rows of the seed, in one transaction.
 * @param last called at the end of the transaction.
 */
export async function writeRows(
  database: DatabaseSync,
  seed: Seed,
  nowSeconds: number,
  last: () => void,
): Promise<void> {
  const users = await Promise.all(
    seed.users.map(async ({ username, password }) => ({ username, passwordHash: await hash(password) })),
  )
  inTransaction(database, () => {
    database.exec('PRAGMA defer_foreign_keys = ON')
    emptyAllTables(database)
    const insert = database.prepare('INSERT INTO users (username, password_hash, created_at_seconds) VALUES (?, ?, ?)')
    const ids = users.map(({ username, passwordHash }) => {
      return [username, Number(insert.run(username, passwordHash, nowSeconds).lastInsertRowid)] as const
    })
    const userIds = new Map(ids)
    writeClients(database, seed, userIds)
    writeContents(database, seed, userIds, nowSeconds)
    writeLocks(database, seed)
    writeViewerAuth(database, seed)
    last()
  })
}

/** Adds one channel of the seed with its lock or viewer auth. */
export function addChannel(
  database: DatabaseSync,
  channel: Seed['channels'][number],
  { locks, viewer_auth }: Pick<Seed, 'locks' | 'viewer_auth'>,
  nowSeconds: number,
): void {
  const { id } = database.prepare('SELECT id FROM users WHERE username = ?').get(channel.owner) ?? {}
  const owner = new Map([[channel.owner, Number(id)]])
  inTransaction(database, () => {
    writeContents(database, { channels: [channel], videos: [] }, owner, nowSeconds)
    const isOfChannel = (lock: { content_type: string; content_id: string }) =>
      lock.content_type === 'live' && lock.content_id === channel.id
    writeLocks(database, { locks: locks.filter(isOfChannel) })
    writeViewerAuth(database, { viewer_auth: viewer_auth.filter(isOfChannel) })
  })
}

/** Login apps keep the service's keys for hours, so a reset must not replace them. */
function emptyAllTables(database: DatabaseSync): void {
  const tables = database.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'service_keys'`,
  )
  for (const { name } of tables.all()) database.exec(`DELETE FROM "${String(name)}"`)
}

type UserIds = ReadonlyMap<string, number>

function writeClients(database: DatabaseSync, { clients }: Seed, userIds: UserIds): void {
  const insert = database.prepare(
    'INSERT INTO clients (client_id, client_secret, name, redirect_uri_prefix, owner_id) VALUES (?, ?, ?, ?, ?)',
  )
  for (const client of clients) {
    const { client_id: id, client_secret: secret, name, redirect_uri_prefixes: prefixes, owner } = client
    insert.run(id, secret, name, prefixes.join(' '), userIds.get(owner) ?? null)
  }
}

function writeContents(
  database: DatabaseSync,
  { channels, videos }: Pick<Seed, 'channels' | 'videos'>,
  userIds: UserIds,
  nowSeconds: number,
): void {
  const insertChannel = database.prepare(
    'INSERT INTO channels (id, title, url, owner_id, created_at_seconds) VALUES (?, ?, ?, ?, ?)',
  )
  const insertVideo = database.prepare(
    'INSERT INTO videos (id, title, channel_id, owner_id, created_at_seconds) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { id, title, owner } of channels) {
    insertChannel.run(Number(id), title, freeSlug(database, title, Number(id)), userIds.get(owner) ?? null, nowSeconds)
  }
  for (const { id, title, channel_id, owner } of videos) {
    insertVideo.run(Number(id), title, Number(channel_id), userIds.get(owner) ?? null, nowSeconds)
  }
}

function writeLocks(database: DatabaseSync, { locks }: Pick<Seed, 'locks'>): void {
  const insert = database.prepare('INSERT INTO locks VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  for (const lock of locks) {
    const { message = null, button_caption = null, popup_width = null, popup_height = null } = lock
    const texts = [message, button_caption, popup_width, popup_height]
    insert.run(lock.content_type, Number(lock.content_id), lock.url, lock.secret, ...texts)
  }
}

function writeViewerAuth(database: DatabaseSync, { viewer_auth }: Pick<Seed, 'viewer_auth'>): void {
  const insert = database.prepare('INSERT INTO viewer_auth VALUES (?, ?, ?, ?)')
  for (const { content_type, content_id, auth_url, public_key } of viewer_auth) {
    insert.run(content_type, Number(content_id), auth_url, public_key)
  }
}
