import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { issueCode } from '../../../../src/tools/emulator/oauth/tokens/code-store.ts'
import { findToken } from '../../../../src/tools/emulator/oauth/tokens/token-store.ts'
import { call } from '../rest/rest-client.ts'
import { type EmulatorProcess, startEmulatorProcess } from './emulator-process.ts'
import { askForToken, basic, type TokenResponse } from './token-client.ts'
import { openVisitor } from './visitor.ts'

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Opens the database file a second time, beside the process. */
function look<T>(file: string, at: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA busy_timeout = 5000')
    return at(database)
  } finally {
    database.close()
  }
}

function firstOf({ seed }: EmulatorProcess) {
  const [client, user] = [seed.clients[0], seed.users[0]]
  if (client === undefined || user === undefined) throw new Error('The seed has no client or no user')
  const [video, channel] = [
    seed.videos.find(({ owner }) => owner === client.owner),
    seed.channels.find(({ owner }) => owner === client.owner),
  ]
  return { client, user, video: video?.id ?? '', channel: channel?.id ?? '' }
}

/** Writes a code for the first client into the database file, as Allow does. */
export function codeFor(emulator: EmulatorProcess, file: string): string {
  const { client } = firstOf(emulator)
  return look(file, (database) => {
    const user = database.prepare('SELECT id FROM users WHERE username = ?').get(client.owner)
    const request = { clientId: client.client_id, redirectUri: client.redirect_uri_prefix, deviceName: null }
    return issueCode(database, { ...request, userId: Number(user?.id) }, nowSeconds())
  })
}

function ask(emulator: EmulatorProcess, fields: Record<string, string>): Promise<TokenResponse> {
  const { client } = firstOf(emulator)
  const authorization = basic({ clientId: client.client_id, clientSecret: client.client_secret })
  return askForToken(emulator, { client_id: client.client_id, ...fields }, { authorization })
}

export function redeem(emulator: EmulatorProcess, code: string): Promise<TokenResponse> {
  const { client } = firstOf(emulator)
  return ask(emulator, { grant_type: 'authorization_code', code, redirect_uri: client.redirect_uri_prefix })
}

async function bearerOf(emulator: EmulatorProcess): Promise<string> {
  return String((await ask(emulator, { grant_type: 'client_credentials' })).body.access_token)
}

/** Makes a change over HTTP. @returns a function that is true when the database holds the change. */
type Change = (emulator: EmulatorProcess, file: string) => Promise<(database: DatabaseSync) => boolean>

const CHANGES: Record<string, Change> = {
  async 'a token'(emulator) {
    const token = await bearerOf(emulator)
    return (database) => findToken(database, token, nowSeconds()).ok
  },
  async 'a token for a code'(emulator, file) {
    const { body } = await redeem(emulator, codeFor(emulator, file))
    return (database) => findToken(database, String(body.access_token), nowSeconds()).ok
  },
  async 'the use of a code'(emulator, file) {
    expect((await redeem(emulator, codeFor(emulator, file))).status).toBe(200)
    return (database) => database.prepare('SELECT 1 FROM oauth_codes WHERE used = 0').get() === undefined
  },
  async 'a channel'(emulator) {
    const request = { token: await bearerOf(emulator), form: { title: 'Kept' } }
    const { json } = await call(emulator, 'POST', '/users/self/channels.json', request)
    const { id } = (json as { channel: { id: string } }).channel
    return (database) => database.prepare('SELECT 1 FROM channels WHERE id = ?').get(Number(id)) !== undefined
  },
  async 'a lock'(emulator) {
    const secret = `secret ${Math.random()}`
    const request = { token: await bearerOf(emulator), form: { url: 'https://login.example/', secret } }
    const { video } = firstOf(emulator)
    expect((await call(emulator, 'PUT', `/videos/${video}/locks/hash.json`, request)).status).toBe(204)
    return (database) => database.prepare('SELECT 1 FROM locks WHERE secret = ?').get(secret) !== undefined
  },
  async 'the removal of a lock'(emulator) {
    const token = await bearerOf(emulator)
    const lock = `/channels/${firstOf(emulator).channel}/locks/hash`
    await call(emulator, 'PUT', `${lock}/advanced.json`, {
      token,
      form: { url: 'https://login.example/', secret: 's' },
    })
    expect((await call(emulator, 'DELETE', `${lock}.json`, { token })).status).toBe(200)
    const { channel } = firstOf(emulator)
    return (database) =>
      database.prepare(`SELECT 1 FROM locks WHERE content_type = 'live' AND content_id = ?`).get(Number(channel)) ===
      undefined
  },
  async 'an account'(emulator) {
    const username = `user-${Math.random()}`
    const { status } = await openVisitor(emulator.url).post('/account/sign-up', {
      username,
      password: 'four long words',
    })
    expect(status).toBe(303)
    return (database) => database.prepare('SELECT 1 FROM users WHERE username = ?').get(username) !== undefined
  },
  async 'a revoked grant'(emulator) {
    const token = await bearerOf(emulator)
    const { client, user } = firstOf(emulator)
    const visitor = openVisitor(emulator.url)
    await visitor.post('/account/sign-in', { username: user.username, password: user.password })
    const fields = { client_id: client.client_id, own_server: '1' }
    expect((await visitor.post('/account/clients/revoke', fields)).location).toBe('/account/clients?revoked=1')
    return (database) => !findToken(database, token, nowSeconds()).ok
  },
}

/** Enough kills for one of each kind of change. */
export const KINDS_OF_CHANGES = Object.keys(CHANGES).length

/**
 * Starts the emulator, makes one change, kills the emulator right after the response, and looks for the change in the
 * database. The kinds of changes alternate.
 * @returns the changes that were lost.
 */
export async function killAfterEachChange(file: string, kills: number): Promise<string[]> {
  const lost: string[] = []
  const changes = Object.entries(CHANGES)
  for (let kill = 0; kill < kills; kill += 1) {
    const [name, change] = changes[kill % changes.length] ?? []
    if (name === undefined || change === undefined) throw new Error('There is no change to make')
    const emulator = await startEmulatorProcess(file)
    const isThere = await change(emulator, file).finally(() => emulator.kill())
    if (!look(file, isThere)) lost.push(`${name}, in life ${kill}`)
  }
  return lost
}
