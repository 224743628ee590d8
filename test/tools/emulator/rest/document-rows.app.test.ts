import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { askForToken, basic } from '../oauth/token-client.ts'
import { openVisitor } from '../oauth/visitor.ts'
import { call } from './rest-client.ts'

/** One test for each row of the tables under "Resources and their fields". */
const HEX_40 = /^[0-9a-f]{40}$/

let emulator: RunningEmulator
let client: RunningEmulator['seed']['clients'][number]
let user: RunningEmulator['seed']['users'][number]
let bearer: Record<string, unknown>
let mac: Record<string, unknown>
let fromCode: Record<string, unknown>
let code: string

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  const [firstClient, firstUser] = [emulator.seed.clients[0], emulator.seed.users[0]]
  if (firstClient === undefined || firstUser === undefined) throw new Error('The seed has no client or no user')
  client = firstClient
  user = firstUser
  bearer = await ask({ grant_type: 'client_credentials' })
  mac = await ask({ grant_type: 'client_credentials', token_type: 'mac', scope: 'broadcaster' })
  code = new URL(await decide({ response_type: 'code' })).searchParams.get('code') ?? ''
  fromCode = await ask({ grant_type: 'authorization_code', code, redirect_uri: client.redirect_uri_prefix })
})
afterAll(() => emulator.close())

async function ask(fields: Record<string, string>): Promise<Record<string, unknown>> {
  const authorization = basic({ clientId: client.client_id, clientSecret: client.client_secret })
  return (await askForToken(emulator, { client_id: client.client_id, ...fields }, { authorization })).body
}

/** Presses Allow. Returns the redirect, or the status of the page that was shown instead. */
async function decide(change: Record<string, string>): Promise<string> {
  const visitor = openVisitor(emulator.url)
  await visitor.post('/account/sign-in', { username: user.username, password: user.password })
  const request = { client_id: client.client_id, redirect_uri: client.redirect_uri_prefix, ...change }
  const page = await visitor.get(`/authorize?${new URLSearchParams(request)}`)
  if (page.status !== 200) return `stayed with ${page.status}`
  return (await visitor.submit(page, { decision: 'allow' })).location ?? ''
}

describe('Client', () => {
  test('client_id: 40-character hexadecimal hash issued by the service', () => {
    expect(emulator.seed.clients.map(({ client_id: id }) => HEX_40.test(id))).not.toContain(false)
  })
  test('client secret: 40-character hexadecimal hash that authenticates the client at the token endpoint', () => {
    expect(client.client_secret).toMatch(HEX_40)
    expect(bearer.access_token).toMatch(HEX_40)
  })
  test('redirect_uri prefix: every redirect_uri must start with the registered one', async () => {
    expect(await decide({ response_type: 'code', redirect_uri: `${client.redirect_uri_prefix}/x` })).toContain('code=')
    expect(await decide({ response_type: 'code', redirect_uri: 'https://other.example/' })).toBe('stayed with 400')
  })
})

test('Authorization code: a 40-character hexadecimal hash, exchanged at the token endpoint', () => {
  expect(code).toMatch(HEX_40)
  expect(fromCode.access_token).toMatch(HEX_40)
})

describe('Access token', () => {
  test('access_token: 40-character hexadecimal hash, for MAC tokens the MAC id', () => {
    expect([bearer.access_token, mac.access_token, fromCode.access_token].map((id) => HEX_40.test(String(id)))).toEqual(
      [true, true, true],
    )
  })
  test('refresh_token: 40-character hexadecimal hash in the authorization code flow response', () => {
    expect(fromCode.refresh_token).toMatch(HEX_40)
    expect([bearer.refresh_token, mac.refresh_token]).toEqual([undefined, undefined])
  })
  test('expires_in: integer, remaining lifetime in seconds, one day by default', () => {
    expect([bearer.expires_in, mac.expires_in, fromCode.expires_in]).toEqual([86_400, 86_400, 86_400])
  })
  test('token_type: bearer or mac', () => {
    expect([bearer.token_type, mac.token_type, fromCode.token_type]).toEqual(['bearer', 'mac', 'bearer'])
  })
  test('mac_key: 40-character hexadecimal hash', () => {
    expect(mac.mac_key).toMatch(HEX_40)
    expect(mac.mac_key).not.toBe(mac.access_token)
  })
  test('created_at: UTC creation time, a whole-number seconds value', () => {
    expect(Number.isSafeInteger(mac.created_at)).toBe(true)
    expect(Math.abs(Number(mac.created_at) - Date.now() / 1000)).toBeLessThan(120)
  })
  test('mac_algorithm: always hmac-sha-1', () => {
    expect(mac.mac_algorithm).toBe('hmac-sha-1')
  })
})

describe('Channel (as returned by channel creation)', () => {
  let channel: Record<string, unknown>
  beforeAll(async () => {
    const request = { token: String(bearer.access_token), form: { title: 'The Münster organ' } }
    const { json } = await call(emulator, 'POST', '/users/self/channels.json', request)
    channel = (json as { channel: Record<string, unknown> }).channel
  })
  test('id: string', () => expect(channel.id).toMatch(/^\d+$/))
  test('title: string', () => expect(channel.title).toBe('The Münster organ'))
  test('url: string, a slug derived from the title', () => expect(channel.url).toBe('the-munster-organ'))
  test('tiny_url: string, a short link', () => expect(channel.tiny_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/t\/\w+$/))
})

describe('Hash lock settings', () => {
  const settings = { url: 'https://login.example/entry', secret: 'a shared secret' }
  const lockOf = async (path: string): Promise<Record<string, unknown>> => {
    const { json } = await call(emulator, 'GET', path, { token: String(bearer.access_token) })
    return (json as { hashlock: Record<string, unknown> }).hashlock
  }
  let channelLock: Record<string, unknown>
  let videoLock: Record<string, unknown>

  beforeAll(async () => {
    const request = { token: String(bearer.access_token), form: settings }
    const channel = emulator.seed.channels.find(({ owner }) => owner === client.owner)?.id
    const video = emulator.seed.videos.find(({ owner }) => owner === client.owner)?.id
    await call(emulator, 'PUT', `/channels/${channel}/locks/hash/advanced.json`, request)
    await call(emulator, 'PUT', `/videos/${video}/locks/hash.json`, request)
    channelLock = await lockOf(`/channels/${channel}/locks/hash.json`)
    videoLock = await lockOf(`/videos/${video}/locks/hash.json`)
  })

  test('Channel, type: string, the documented value "advanced"', () => expect(channelLock.type).toBe('advanced'))
  test('Channel, url: string', () => expect(channelLock.url).toBe(settings.url))
  test('Channel, message: string or null', () => expect(channelLock.message).toBeNull())
  test('Channel, button_caption: string or null', () => expect(channelLock.button_caption).toBeNull())
  test('Channel, popup_width: string', () => expect(channelLock.popup_width).toBeTypeOf('string'))
  test('Channel, popup_height: string', () => expect(channelLock.popup_height).toBeTypeOf('string'))
  test('Video, url: string', () => expect(videoLock.url).toBe(settings.url))
  test('Video, secret: string', () => expect(videoLock.secret).toBe(settings.secret))
})
