import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RoomApp, startRoomApp } from '../oauth/room-app.ts'
import {
  askForToken,
  CLIENT_CREDENTIALS_GRANT,
  PASSWORD_GRANT,
  type TokenResponse,
  tokenFrom,
} from '../oauth/token-client.ts'
import { call, type RestResponse } from './rest-client.ts'
import { signedHeader, type ToSign } from './signed-request.ts'

const PATH = '/users/self/channels.json'
const NOW = Math.floor(Date.now() / 1000)

let app: RoomApp
let credentials: TokenResponse['body']

beforeAll(async () => {
  app = await startRoomApp()
})
beforeEach(async () => {
  app.setClock(1_800_000_000)
  credentials = (await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac' })).body
})
afterAll(() => app.close())

async function callSigned(change: Partial<ToSign> = {}, method = 'GET', path = PATH): Promise<RestResponse> {
  const { hostname: host, port } = new URL(app.url)
  const authorization = signedHeader(credentials, { method, path, host, port: Number(port), ...change })
  return await call(app, method, path, { headers: { authorization } })
}

describe('A request signed under a MAC token', () => {
  test('reaches the same REST API resources as a bearer token', async () => {
    const signed = await callSigned()
    const bearer = await call(app, 'GET', PATH, { token: await tokenFrom(app, CLIENT_CREDENTIALS_GRANT) })
    expect([signed.status, signed.json]).toEqual([bearer.status, bearer.json])
  })

  test('works with ext and with a query', async () => {
    expect((await callSigned({ ext: 'a,b,c' })).status).toBe(200)
    expect((await callSigned({}, 'GET', `${PATH}?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q`)).status).toBe(200)
  })

  test('changes what it may change', async () => {
    const { hostname: host, port } = new URL(app.url)
    const authorization = signedHeader(credentials, { method: 'POST', path: PATH, host, port: Number(port) })
    const { status } = await call(app, 'POST', PATH, { form: { title: 'Signed' }, headers: { authorization } })
    expect(status).toBe(201)
  })

  test.each([
    ['method', { method: 'POST' }],
    ['path', { path: '/users/self/channels.xml' }],
    ['host', { host: 'localhost' }],
    ['port', { port: 1 }],
  ])('for another %s is refused', async (_part, change) => {
    const { status, json } = await callSigned(change)
    expect([status, json]).toMatchObject([401, { error_description: 'The signature does not match the request' }])
  })

  test('under another key is refused', async () => {
    credentials = { ...credentials, mac_key: 'f'.repeat(40) }
    expect((await callSigned()).status).toBe(401)
  })

  test('with the id of a bearer token is refused', async () => {
    credentials = { access_token: await tokenFrom(app, PASSWORD_GRANT), mac_key: '' }
    expect((await callSigned()).status).toBe(401)
  })

  test('with an id that nobody has is refused', async () => {
    credentials = { ...credentials, access_token: '0'.repeat(40) }
    expect((await callSigned()).json).toMatchObject({ error_description: 'The access token is not known' })
  })

  test('is refused after a day, whatever the clock of the client says', async () => {
    app.setClock(app.nowSeconds() + 86_400)
    expect((await callSigned()).json).toMatchObject({ error_description: 'The access token has expired' })
  })
})

describe('Replay of a signed request', () => {
  test('is refused: the nonce was used', async () => {
    const change = { nonce: 'once', ts: NOW }
    expect((await callSigned(change)).status).toBe(200)
    const { status, json } = await callSigned(change)
    expect([status, json]).toMatchObject([401, { error_description: expect.stringContaining('replay') }])
  })

  test('of ten at once one passes', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => callSigned({ nonce: 'race', ts: NOW })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)])
  })

  test('is no replay: another nonce, or the nonce in another second', async () => {
    expect((await callSigned({ nonce: 'first', ts: NOW })).status).toBe(200)
    expect((await callSigned({ nonce: 'second', ts: NOW })).status).toBe(200)
    expect((await callSigned({ nonce: 'first', ts: NOW + 1 })).status).toBe(200)
  })

  test('is no replay: the same nonce under another token', async () => {
    expect((await callSigned({ nonce: 'shared', ts: NOW })).status).toBe(200)
    credentials = (await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac' })).body
    expect((await callSigned({ nonce: 'shared', ts: NOW })).status).toBe(200)
  })

  test('a wrong signature does not use the nonce up', async () => {
    const change = { nonce: 'kept', ts: NOW }
    expect((await callSigned({ ...change, host: 'localhost' })).status).toBe(401)
    expect((await callSigned(change)).status).toBe(200)
  })

  test('a client whose clock is years off passes, as long as it keeps being so', async () => {
    const off = NOW - 200_000_000
    expect((await callSigned({ ts: off })).status).toBe(200)
    expect((await callSigned({ ts: off + 250 })).status).toBe(200)
    expect((await callSigned({ ts: off - 250 })).status).toBe(200)
  })

  test.each([400, -400])(
    'a ts that jumps by %d seconds from what the first request showed is refused',
    async (jump) => {
      expect((await callSigned({ ts: NOW })).status).toBe(200)
      expect((await callSigned({ ts: NOW + jump })).status).toBe(401)
      expect((await callSigned({ ts: NOW })).status).toBe(200)
    },
  )

  test('moving the emulator’s clock does not make a client’s requests stale', async () => {
    expect((await callSigned()).status).toBe(200)
    app.setClock(app.nowSeconds() + 40_000)
    expect((await callSigned()).status).toBe(200)
  })
})
