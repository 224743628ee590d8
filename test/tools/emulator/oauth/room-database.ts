import type { DatabaseSync } from 'node:sqlite'
import { hashSync } from '@node-rs/argon2'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'
import { SERVICE_FEATURES } from '../../../../src/tools/emulator/service-features.ts'

export const STUDIO = { id: 1, username: 'studio', password: 'correct horse battery' }
export const NEWSROOM = { id: 2, username: 'newsroom', password: 'staple tractor window' }

export const STUDIO_CLIENT = {
  clientId: '1'.repeat(40),
  clientSecret: 'a'.repeat(40),
  redirectUriPrefix: 'http://127.0.0.1/callback',
  ownerId: STUDIO.id,
}
export const NEWSROOM_CLIENT = {
  clientId: '2'.repeat(40),
  clientSecret: 'b'.repeat(40),
  redirectUriPrefix: 'https://newsroom.example/oauth/',
  ownerId: NEWSROOM.id,
}

const passwordHashes = new Map(
  [STUDIO, NEWSROOM].map(({ id, password }) => [id, hashSync(password, { memoryCost: 19_456, timeCost: 2 })]),
)

/** Opens a database with two users. Each has a client, a channel and a video. */
export function openRoomDatabase(file = ':memory:'): DatabaseSync {
  const database = openDatabase(
    file,
    SERVICE_FEATURES.map(({ tables }) => tables),
  )
  const user = database.prepare('INSERT OR IGNORE INTO users VALUES (?, ?, ?, NULL, 1)')
  for (const { id, username } of [STUDIO, NEWSROOM]) user.run(id, username, passwordHashes.get(id) ?? '')
  const client = database.prepare('INSERT OR IGNORE INTO clients VALUES (?, ?, ?, ?, ?)')
  for (const { clientId, clientSecret, redirectUriPrefix, ownerId } of [STUDIO_CLIENT, NEWSROOM_CLIENT]) {
    client.run(clientId, clientSecret, `Client of ${ownerId}`, redirectUriPrefix, ownerId)
  }
  database.exec(`
    INSERT OR IGNORE INTO channels VALUES (1001, 'Town hall', 'town-hall', 1, 1), (1002, 'News', 'news', 2, 1);
    INSERT OR IGNORE INTO videos VALUES (2001, 'Recording', 1001, 1, 1), (2002, 'Headlines', 1002, 2, 1);
  `)
  return database
}
