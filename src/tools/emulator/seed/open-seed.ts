import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { refreshDemoWeeks } from '../analytics/demo-views/demo-weeks.ts'
import { generateSegments } from '../analytics/demo-views/generate-segments.ts'
import { EmulatorStartError } from '../companion.ts'
import DEFAULT_SEED from './default-seed.json' with { type: 'json' }
import { readablePassword } from './secrets.ts'
import { completeSeed, type Seed, type SeedDefaults, type SeededChannel } from './seed.ts'
import { SeedFile } from './seed-schema.ts'
import { addChannel, writeRows } from './write-rows.ts'

/** The name of the state with the fingerprint of the seed file. */
const ORIGIN = 'seed_file'

export interface SeedOptions extends SeedDefaults {
  /** A checked seed file, in place of the default seed. */
  readonly file?: SeedFile
  /** Least number of view segments, so that reports have data. Missing segments are generated. */
  readonly views?: number
  /** Fills the last four weeks with views and an event. */
  readonly demoWeeks?: boolean
}

/**
 * Returns the seed of this database: the stored seed, or a new one that it writes into the tables. The lock and the
 * viewers of the options also apply to a stored default seed. A seeded lock that was removed stays removed.
 * @throws EmulatorStartError if the database has another seed than the file.
 */
export async function openSeed(database: DatabaseSync, options: SeedOptions, nowSeconds: number): Promise<Seed> {
  const stored = readState(database, 'seed')
  if (stored === null) {
    const seed =
      options.file === undefined ? withOptions(planDefaultSeed(), options) : completeSeed(options.file, options)
    await resetToSeed(database, seed, options, nowSeconds)
    return seed
  }
  const origin = readState(database, ORIGIN)
  if (options.file !== undefined && fingerprint(options.file) !== origin) {
    throw new EmulatorStartError(
      'The data file has another seed than the seed file. Delete it, or set EMULATOR_DATA_FILE to a new file.',
    )
  }
  // Written by this program only. Data files of older releases lack some lists.
  const parsed: Seed = { viewer_auth: [], generated_views: 0, ...JSON.parse(stored) }
  const seed = origin === null ? withOptions(parsed, options) : parsed
  if (origin === null) updateLocks(database, seed, options)
  for (const channel of seed.channels.slice(parsed.channels.length)) addChannel(database, channel, seed, nowSeconds)
  writeState(database, 'seed', JSON.stringify(seed))
  addViews(database, seed, options, nowSeconds)
  return seed
}

/** Deletes the rows of all tables and writes the seed again. @throws EmulatorStartError if an id comes twice. */
export async function resetToSeed(
  database: DatabaseSync,
  seed: Seed,
  options: SeedOptions,
  nowSeconds: number,
): Promise<void> {
  const origin = options.file === undefined ? readState(database, ORIGIN) : fingerprint(options.file)
  await writeRows(database, seed, nowSeconds, () => {
    writeState(database, 'seed', JSON.stringify(seed))
    if (origin !== null) writeState(database, ORIGIN, origin)
  }).catch((cause: Error) => {
    throw new EmulatorStartError(`The seed contradicts itself: ${cause.message}`, { cause })
  })
  addViews(database, seed, options, nowSeconds)
}

/** Updates the seeded locks that are still there. */
function updateLocks(database: DatabaseSync, seed: Seed, { lock: newLock, channels = [] }: SeedDefaults): void {
  const hash = database.prepare('UPDATE locks SET url = ?, secret = ? WHERE content_type = ? AND content_id = ?')
  const viewerAuth = database.prepare(
    'UPDATE viewer_auth SET auth_url = ?, public_key = ? WHERE content_type = ? AND content_id = ?',
  )
  const isAdded = ({ content_id }: { content_id: string }) => channels.some(({ id }) => id === content_id)
  for (const lock of newLock === undefined ? seed.locks.filter(isAdded) : seed.locks) {
    hash.run(lock.url, lock.secret, lock.content_type, Number(lock.content_id))
  }
  for (const lock of seed.viewer_auth.filter(isAdded)) {
    viewerAuth.run(lock.auth_url, lock.public_key, lock.content_type, Number(lock.content_id))
  }
}

function addViews(database: DatabaseSync, seed: Seed, options: SeedOptions, nowSeconds: number): void {
  const { views = 0, demoWeeks = false } = options
  if (demoWeeks) refreshDemoWeeks(database, nowSeconds)
  const wanted = Math.max(views, seed.generated_views)
  const present = Number(database.prepare('SELECT count(*) AS present FROM watched_segments').get()?.present)
  if (present < wanted) generateSegments(database, { count: wanted - present, seed: 1, nowSeconds })
}

/** Returns the seed of an emulator without a seed file, with new ids, secrets and passwords. */
function planDefaultSeed(): Seed {
  const users = ['studio', 'newsroom'].map((username) => ({ username, password: readablePassword() }))
  return completeSeed(SeedFile.parse({ ...DEFAULT_SEED, users }), {})
}

function withOptions(seed: Seed, { lock, viewers, channels = [] }: SeedDefaults): Seed {
  const added = channels.filter((channel) => !seed.channels.some(({ id }) => id === channel.id))
  const live = ({ id }: SeededChannel) => ({ content_type: 'live' as const, content_id: id })
  const locks = [...seed.locks, ...added.flatMap((one) => (one.lock ? { ...live(one), ...one.lock } : []))]
  const viewerAuth = added.flatMap((one) => (one.viewerAuth ? { ...live(one), ...one.viewerAuth } : []))
  const channelOf = (one: { content_id: string }) => channels.find(({ id }) => id === one.content_id)
  return {
    ...seed,
    channels: [...seed.channels, ...added.map(({ id, title }) => ({ id, title, owner: 'studio', locked: true }))],
    locks: locks.map((one) => ({ ...one, ...(channelOf(one)?.lock ?? lock) })),
    viewer_auth: [...seed.viewer_auth, ...viewerAuth].map((one) => ({ ...one, ...channelOf(one)?.viewerAuth })),
    viewers: viewers ? [...viewers] : seed.viewers,
  }
}

function fingerprint(file: SeedFile): string {
  return createHash('sha256').update(JSON.stringify(file)).digest('hex')
}

function readState(database: DatabaseSync, name: string): string | null {
  const row = database.prepare('SELECT value FROM emulator_state WHERE name = ?').get(name)
  return row === undefined ? null : String(row.value)
}

function writeState(database: DatabaseSync, name: string, value: string): void {
  database.prepare('INSERT OR REPLACE INTO emulator_state (name, value) VALUES (?, ?)').run(name, value)
}
