import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SeedOptions } from '../../../../src/tools/emulator/seed/open-seed.ts'
import { checkSeedFile, readSeedFile } from '../../../../src/tools/emulator/seed/seed-file.ts'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { settingsFor } from '../../../with-emulator/video-service/client.ts'
import { OTHER_KEY_PEM, PUBLIC_KEY } from '../token/token-service.ts'

const EXAMPLE = fileURLToPath(new URL('../../../../src/tools/emulator/seed/example.json', import.meta.url))
/** The smallest seed file. */
const SMALL = {
  clients: [{ redirect_uri_prefixes: ['http://127.0.0.1/cb'], owner: 'studio' }],
  users: [{ username: 'studio', password: 'seven quiet herons' }],
}

let folder: string
const running: RunningEmulator[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'))
})

afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close()
  await rm(folder, { recursive: true })
})

async function start(seed: SeedOptions, dataFile = ':memory:'): Promise<RunningEmulator> {
  const emulator = await startEmulator({ port: 0, dataFile, seed })
  running.push(emulator)
  return emulator
}

async function json({ url }: RunningEmulator, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  return (await fetch(url + path, { headers })).json()
}

async function tokenOf(emulator: RunningEmulator, owner: string, type: 'bearer' | 'jwt'): Promise<string> {
  const { clientId, clientSecret } = settingsFor(emulator, owner)
  const answer = await fetch(`${emulator.url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, token_type: type }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

function checked(content: unknown) {
  const check = checkSeedFile(content)
  if (!check.ok) throw new Error(check.mistakes.join('\n'))
  return check.file
}

describe('the example of a seed file', () => {
  const lock = { url: 'http://localhost:3000/', secret: 'the secret of the settings' }

  test('the emulator shows its content at /emulator/seed, completed', async () => {
    const emulator = await start({ file: readSeedFile(EXAMPLE), lock })
    const seed = await json(emulator, '/emulator/seed')
    expect(seed).toMatchObject({
      clients: [
        {
          client_id: '1'.repeat(40),
          client_secret: 'a'.repeat(40),
          redirect_uri_prefix: 'http://127.0.0.1:5000/callback',
          redirect_uri_prefixes: ['http://127.0.0.1:5000/callback', 'https://tools.example.com/oauth/'],
        },
        { name: 'Demo client of newsroom' },
      ],
      channels: [{ id: '1001', locked: true }, { locked: false }, { locked: false }],
      videos: [
        { id: '2001', owner: 'studio', locked: true },
        { id: '2002', owner: 'studio', locked: true },
      ],
      viewers: [{ username: 'ada@example.com' }],
      locks: [lock, { url: 'https://login.example.com/e/tour', secret: '0123456789abcdef0123456789abcdef' }],
    })
  })

  test.each([
    ['the first prefix', 'http://127.0.0.1:5000/callback/done', 200],
    ['the second prefix', 'https://tools.example.com/oauth/return', 200],
    ['no prefix', 'https://tools.example.com/other', 400],
  ])('a redirect_uri below %s gets the status of the sign-in page or of the refusal', async (_what, uri, status) => {
    const { url, seed } = await start({ file: readSeedFile(EXAMPLE) })
    const client_id = seed.clients[0]?.client_id ?? ''
    const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: uri })
    expect((await fetch(`${url}/authorize?${query}`, { redirect: 'manual' })).status).toBe(status)
  })

  test('the locks of the file are in the REST API', async () => {
    const emulator = await start({ file: readSeedFile(EXAMPLE), lock })
    const bearer = { Authorization: `Bearer ${await tokenOf(emulator, 'studio', 'bearer')}` }
    expect(await json(emulator, '/channels/1001/locks/hash.json', bearer)).toMatchObject({
      hashlock: { url: lock.url },
    })
    expect(await json(emulator, '/videos/2002/locks/hash.json', bearer)).toMatchObject({
      hashlock: { url: 'https://login.example.com/e/tour' },
    })
  })

  test('a reset and a restart keep generated secrets and views', async () => {
    const dataFile = join(folder, 'emulator.db')
    const file = readSeedFile(EXAMPLE)
    const first = await start({ file }, dataFile)
    await fetch(`${first.url}/emulator/reset`, { method: 'POST' })
    const seed = await json(first, '/emulator/seed')
    const viewersOf = async (emulator: RunningEmulator) =>
      await json(emulator, '/v1/viewers', { Authorization: await tokenOf(emulator, 'studio', 'jwt') })
    const viewers = await viewersOf(first)
    expect(viewers).toMatchObject({ data: Array(10).fill({ type: 'Viewer' }) })
    await running.pop()?.close()
    for (const options of [{ file }, {}, { file, lock }]) {
      const again = await start(options, dataFile)
      expect(await json(again, '/emulator/seed')).toEqual(seed)
      expect(await viewersOf(again)).toEqual(viewers)
      await running.pop()?.close()
    }
  })

  test('a data file with another seed is not overwritten', async () => {
    const dataFile = join(folder, 'emulator.db')
    const { clients } = (await start({}, dataFile)).seed
    await running.pop()?.close()
    await expect(start({ file: checked(SMALL) }, dataFile)).rejects.toThrow(/another seed.*EMULATOR_DATA_FILE/)
    expect((await start({}, dataFile)).seed.clients).toEqual(clients)
  })
})

test('/emulator/seed returns a valid seed file, which makes the same seed', async () => {
  const { seed } = await start({ views: 40, viewers: [{ username: 'ada', password: 'four green lanterns' }] })
  const copy = await start({ file: checked(JSON.parse(JSON.stringify(seed))) })
  expect(copy.seed).toEqual(seed)
})

describe('viewer auth in a seed', () => {
  const viewerAuth = { auth_url: 'http://localhost:3000/e/token', public_key: PUBLIC_KEY }
  const channel = { id: '1200', title: 'Members evening' }
  const channels = [{ ...channel, viewerAuth }]

  test('a seed file locks a channel and its videos with viewer tokens', async () => {
    const file = {
      ...SMALL,
      channels: [{ id: 7, title: 'One', owner: 'studio' }],
      videos: [{ id: 8, title: 'Two', channel_id: 7 }],
      viewer_auth: [{ content_type: 'live', content_id: 7, auth_url: 'https://a.example/', public_key: PUBLIC_KEY }],
    }
    const emulator = await start({ file: checked(file) })
    expect(emulator.seed).toMatchObject({ channels: [{ locked: true }], videos: [{ locked: true }] })
    expect((await fetch(`${emulator.url}/embed/recorded/8`, { redirect: 'manual' })).status).toBe(302)
    const copy = await start({ file: checked(JSON.parse(JSON.stringify(emulator.seed))) })
    expect(copy.seed).toEqual(emulator.seed)
  })

  test('the default seed gets one more channel, also in an existing data file', async () => {
    const dataFile = join(folder, 'emulator.db')
    const before = (await start({}, dataFile)).seed.channels
    await running.pop()?.close()
    const { url, seed } = await start({ channels }, dataFile)
    const added = seed.channels.at(-1)
    expect(seed.channels).toEqual([...before, { ...added, locked: true }])
    await fetch(`${url}/emulator/reset`, { method: 'POST' })
    const answer = await fetch(`${url}/embed/${added?.id}`, { redirect: 'manual' })
    expect(answer.headers.get('location')).toContain('http://localhost:3000/e/token?ref=')
  })

  test('a new start replaces the key and address, but not of a lock that was removed', async () => {
    const dataFile = join(folder, 'emulator.db')
    const { seed } = await start({ channels }, dataFile)
    await running.pop()?.close()
    await start({ channels: [{ ...channel, viewerAuth: { ...viewerAuth, public_key: OTHER_KEY_PEM } }] }, dataFile)
    const database = new DatabaseSync(dataFile)
    const keys = () => database.prepare('SELECT public_key FROM viewer_auth').all()
    expect(keys()).toEqual([{ public_key: OTHER_KEY_PEM }])
    database.exec('DELETE FROM viewer_auth')
    await running.pop()?.close()
    expect((await start({ channels }, dataFile)).seed).toEqual(seed)
    expect(keys()).toEqual([])
    database.close()
  })
})

test('generated_views of a seed file is the least number of views', async () => {
  const channels = [{ id: 7, title: 'One', owner: 'studio' }]
  const emulator = await start({ file: checked({ ...SMALL, channels, generated_views: 30 }) })
  const range = 'date_time_from=2020-01-01T00:00:00&date_time_to=2099-01-01T00:00:00'
  const headers = { Authorization: await tokenOf(emulator, 'studio', 'jwt') }
  expect(await json(emulator, `/v1/views?${range}`, headers)).toMatchObject({ pagination: { count: 30 } })
})

function placesOf(content: unknown): (string | undefined)[] {
  const check = checkSeedFile(content)
  return check.ok ? [] : check.mistakes.map((line) => line.split(' ')[0]).toSorted()
}

test('all wrong values of a seed file are listed at once, with their places', () => {
  const content = {
    clients: [
      { client_id: 'ABC', redirect_uri_prefixes: [], owner: 'nobody' },
      { redirect_uri_prefixes: ['/cb', 'http://127.0.0.1/#x'], owner: 'studio' },
      { redirect_uri_prefixes: ['http://a.example/'], owner: 'studio', secret: 'x' },
    ],
    users: [{ username: 'studio', password: '' }],
    channels: [{ id: 0, title: 'Zero', owner: 'studio' }],
    locks: [
      { content_type: 'live', content_id: 77, url: 'ftp://a.example/' },
      { content_type: 'recorded', content_id: 5, popup_width: 'wide' },
    ],
    viewer_auth: [{ content_type: 'recorded', content_id: 5, auth_url: 'ftp://a.example/', public_key: 7 }],
    generated_views: -1,
  }
  expect(placesOf(content)).toEqual(
    [
      'channels[0].id',
      'clients[0].client_id',
      'clients[0].redirect_uri_prefixes',
      'clients[1].redirect_uri_prefixes[0]',
      'clients[1].redirect_uri_prefixes[1]',
      'clients[2]',
      'generated_views',
      'locks[0].url',
      'locks[1].popup_width',
      'users[0].password',
      'viewer_auth[0].auth_url',
      'viewer_auth[0].public_key',
    ].toSorted(),
  )
})

test('all wrong references of a seed file are listed at once, with their places', () => {
  const client = { client_id: '1'.repeat(40), redirect_uri_prefixes: ['http://127.0.0.1/cb'], owner: 'studio' }
  const content = {
    clients: [{ ...client, owner: 'nobody' }, client],
    users: SMALL.users,
    videos: [{ id: 5, title: 'Lost', channel_id: 9 }],
    locks: [
      { content_type: 'live', content_id: 77 },
      { content_type: 'recorded', content_id: 5 },
    ],
    viewer_auth: [
      { content_type: 'live', content_id: 78, auth_url: 'https://a.example/', public_key: PUBLIC_KEY },
      { content_type: 'recorded', content_id: 5, auth_url: 'https://b.example/', public_key: 'a key' },
    ],
  }
  expect(placesOf(content)).toEqual(
    [
      'clients[0].owner',
      'locks[0].content_id',
      'videos[0].channel_id',
      'viewer_auth[0].content_id',
      'viewer_auth[1].public_key',
    ].toSorted(),
  )
})

const CHANNEL = { id: 1, title: 'One', owner: 'studio' }
const LOCK = { content_type: 'live', content_id: 1 }
const AUTH = { ...LOCK, auth_url: 'https://a.example/', public_key: PUBLIC_KEY }
const [CLIENT] = SMALL.clients

test.each<[what: string, column: string, lists: object]>([
  ['users', 'users.username', { users: [...SMALL.users, { username: 'Studio', password: 'x' }] }],
  ['clients', 'clients.client_id', { clients: [1, 2].map(() => ({ ...CLIENT, client_id: '1'.repeat(40) })) }],
  ['channels', 'channels.id', { channels: [CHANNEL, { ...CHANNEL, id: '1' }] }],
  ['videos', 'videos.id', { videos: [1, 2].map(() => ({ id: 5, title: 'Two', channel_id: 1 })) }],
  ['locks', 'locks.content_id', { locks: [LOCK, { ...LOCK, content_id: '1' }] }],
  ['viewer auth', 'viewer_auth.content_id', { viewer_auth: [AUTH, AUTH] }],
])('a seed file with the same id twice is refused: %s', async (_what, column, lists) => {
  const file = checked({ ...SMALL, channels: [CHANNEL], ...lists })
  await expect(start({ file })).rejects.toThrow(column)
  await expect(start({ file })).rejects.toThrow('The seed contradicts itself')
})

test.each([
  ['a missing file', null, /cannot be read/],
  ['a file that is not JSON', '{"clients": [', /is not JSON/],
  ['a file that is a list', '[]', /has mistakes:\n {2}The file /],
])('%s gets one message that names the file', async (_what, text, message) => {
  const path = join(folder, 'my-seed.json')
  if (text !== null) await writeFile(path, text)
  expect(() => readSeedFile(path)).toThrow(message)
  expect(() => readSeedFile(path)).toThrow(path)
})
