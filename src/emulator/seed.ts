import { randomBytes, randomInt } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import { z } from 'zod'
import { inTransaction } from '../server/sqlite-transaction.ts'
import { generateSegments } from './analytics/demo-views/generate-segments.ts'

/** Stores the seed, so that ids and secrets survive a restart and a reset. */
export const STATE_TABLES = `
  CREATE TABLE IF NOT EXISTS emulator_state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
`

const Account = z.object({ username: z.string(), password: z.string() })
const Content = z.object({ id: z.string(), title: z.string(), owner: z.string(), locked: z.boolean() })
const Lock = z.object({
  content_type: z.enum(['live', 'recorded']),
  content_id: z.string(),
  url: z.string(),
  secret: z.string(),
})
const Seed = z.object({
  clients: z.array(
    z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri_prefix: z.string(), owner: z.string() }),
  ),
  users: z.array(Account),
  channels: z.array(Content),
  videos: z.array(Content.extend({ channel_id: z.string() })),
  /** Viewers who can sign in to the login app of the seeded locks. */
  viewers: z.array(Account),
  locks: z.array(Lock),
})

export type Seed = z.infer<typeof Seed>
export type SeedAccount = z.infer<typeof Account>

export interface SeedOptions {
  /** Entry point and secret of every seeded lock. */
  readonly lock?: { readonly url: string; readonly secret?: string }
  readonly viewers?: readonly SeedAccount[]
  /** Least number of view segments, so that reports have data. Missing segments are generated. */
  readonly views?: number
}

/**
 * Returns the seed of this database: the stored seed, or a new one that it writes into the tables. The lock and the
 * viewers of the options also apply to a stored seed. A seeded lock that was removed stays removed.
 */
export async function openSeed(database: DatabaseSync, options: SeedOptions, nowSeconds: number): Promise<Seed> {
  const row = database.prepare(`SELECT value FROM emulator_state WHERE name = 'seed'`).get()
  if (row === undefined) {
    const seed = planSeed(options)
    await resetToSeed(database, seed, options, nowSeconds)
    return seed
  }
  const seed = withOptions(Seed.parse(JSON.parse(String(row.value))), options)
  const update = database.prepare('UPDATE locks SET url = ?, secret = ? WHERE content_type = ? AND content_id = ?')
  if (options.lock !== undefined) {
    for (const lock of seed.locks) update.run(lock.url, lock.secret, lock.content_type, Number(lock.content_id))
  }
  storeSeed(database, seed)
  addViews(database, options, nowSeconds)
  return seed
}

/** Deletes the rows of all tables and writes the seed again. */
export async function resetToSeed(
  database: DatabaseSync,
  seed: Seed,
  options: SeedOptions,
  nowSeconds: number,
): Promise<void> {
  await writeSeed(database, seed, nowSeconds)
  addViews(database, options, nowSeconds)
}

function addViews(database: DatabaseSync, { views = 0 }: SeedOptions, nowSeconds: number): void {
  const present = Number(database.prepare('SELECT count(*) AS present FROM segments').get()?.present)
  if (present < views) generateSegments(database, { count: views - present, seed: 1, nowSeconds })
}

/** Generates a password that is easy to read out and to type: syllables from a CSPRNG, 49 bits. */
export function readablePassword(): string {
  const consonants = 'bdfgklmnprstvz'
  const vowels = 'aeiou'
  const syllable = () => consonants.charAt(randomInt(consonants.length)) + vowels.charAt(randomInt(vowels.length))
  return Array.from({ length: 4 }, () => syllable() + syllable()).join('-')
}

function planSeed(options: SeedOptions): Seed {
  const [studio, newsroom] = ['studio', 'newsroom']
  const client = (owner: string, redirectUriPrefix: string) => ({
    client_id: randomBytes(20).toString('hex'),
    client_secret: randomBytes(20).toString('hex'),
    redirect_uri_prefix: redirectUriPrefix,
    owner,
  })
  const lock = { url: 'http://localhost:3000/', secret: randomBytes(20).toString('hex') }
  const seed: Seed = {
    clients: [client(studio, 'http://127.0.0.1/callback'), client(newsroom, 'http://127.0.0.1/newsroom/callback')],
    users: [studio, newsroom].map((username) => ({ username, password: readablePassword() })),
    channels: [
      { id: '1001', title: 'Town hall', owner: studio, locked: true },
      { id: '1002', title: 'Open studio', owner: studio, locked: false },
      { id: '1003', title: 'Morning news', owner: newsroom, locked: false },
    ],
    videos: [
      { id: '2001', title: 'Product launch, the recording', channel_id: '1002', owner: studio, locked: true },
      { id: '2002', title: 'Town hall, last month', channel_id: '1001', owner: studio, locked: true },
      { id: '2003', title: 'Studio tour', channel_id: '1002', owner: studio, locked: false },
      { id: '2004', title: 'Headlines of the week', channel_id: '1003', owner: newsroom, locked: false },
    ],
    viewers: [],
    locks: [
      { content_type: 'live', content_id: '1001', ...lock },
      // Video 2002 has no lock of its own: it inherits the lock of its channel.
      { content_type: 'recorded', content_id: '2001', ...lock },
    ],
  }
  return withOptions(seed, options)
}

function withOptions(seed: Seed, { lock, viewers }: SeedOptions): Seed {
  const locks = seed.locks.map((stored) => ({
    ...stored,
    url: lock?.url ?? stored.url,
    secret: lock?.secret ?? stored.secret,
  }))
  return { ...seed, locks, viewers: viewers ? [...viewers] : seed.viewers }
}

function storeSeed(database: DatabaseSync, seed: Seed): void {
  database.prepare(`INSERT OR REPLACE INTO emulator_state (name, value) VALUES ('seed', ?)`).run(JSON.stringify(seed))
}

async function writeSeed(database: DatabaseSync, seed: Seed, nowSeconds: number): Promise<void> {
  const users = await Promise.all(
    seed.users.map(async ({ username, password }) => ({ username, passwordHash: await hash(password) })),
  )
  inTransaction(database, () => {
    database.exec('PRAGMA defer_foreign_keys = ON')
    emptyAllTables(database)
    storeSeed(database, seed)
    insertSeed(database, seed, users, nowSeconds)
  })
}

function emptyAllTables(database: DatabaseSync): void {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
  for (const { name } of tables.all()) database.exec(`DELETE FROM "${String(name)}"`)
}

function insertSeed(
  database: DatabaseSync,
  seed: Seed,
  users: readonly { username: string; passwordHash: string }[],
  nowSeconds: number,
): void {
  const ownerId = new Map<string, number | bigint>()
  const user = database.prepare('INSERT INTO users (username, password_hash, created_at_seconds) VALUES (?, ?, ?)')
  for (const { username, passwordHash } of users) {
    ownerId.set(username, user.run(username, passwordHash, nowSeconds).lastInsertRowid)
  }
  const idOf = (username: string) => ownerId.get(username) ?? null
  const client = database.prepare(
    'INSERT INTO clients (client_id, client_secret, name, redirect_uri_prefix, owner_id) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { client_id, client_secret, redirect_uri_prefix, owner } of seed.clients) {
    client.run(client_id, client_secret, `Demo client of ${owner}`, redirect_uri_prefix, idOf(owner))
  }
  const channel = database.prepare(
    'INSERT INTO channels (id, title, url, owner_id, created_at_seconds) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { id, title, owner } of seed.channels) {
    channel.run(Number(id), title, title.toLowerCase().replaceAll(' ', '-'), idOf(owner), nowSeconds)
  }
  const video = database.prepare(
    'INSERT INTO videos (id, title, channel_id, owner_id, created_at_seconds) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { id, title, channel_id, owner } of seed.videos) {
    video.run(Number(id), title, Number(channel_id), idOf(owner), nowSeconds)
  }
  const lock = database.prepare('INSERT INTO locks (content_type, content_id, url, secret) VALUES (?, ?, ?, ?)')
  for (const { content_type, content_id, url, secret } of seed.locks) {
    lock.run(content_type, Number(content_id), url, secret)
  }
}
