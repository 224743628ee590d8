import { createHmac, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { roomAppForFile } from '../oauth/room-app.ts'
import {
  askForToken,
  CLIENT_CREDENTIALS_GRANT,
  PASSWORD_GRANT,
  type TokenResponse,
  tokenFrom,
} from '../oauth/token-client.ts'
import { call, type RestResponse } from './rest-client.ts'

interface Credentials {
  readonly access_token?: unknown
  readonly mac_key?: unknown
}

interface ToSign {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly port: number
  readonly ts?: number
  readonly nonce?: string
  readonly ext?: string
}

/** Signs a request by draft-ietf-oauth-v2-http-mac-02, without code of the emulator. */
function signedHeader(credentials: Credentials, request: ToSign): string {
  const { method, path, host, port, ts = Math.floor(Date.now() / 1000), nonce = randomUUID(), ext = '' } = request
  const text = `${ts}\n${nonce}\n${method}\n${path}\n${host}\n${port}\n${ext}\n`
  const mac = createHmac('sha1', String(credentials.mac_key)).update(text).digest('base64')
  const extPart = ext === '' ? '' : `ext="${ext}", `
  return `MAC id="${credentials.access_token}", ts="${ts}", nonce="${nonce}", ${extPart}mac="${mac}"`
}

const PATH = '/users/self/channels.json'

const app = roomAppForFile()
let credentials: TokenResponse['body']

beforeEach(async () => {
  credentials = (await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac' })).body
})

async function callSigned(change: Partial<ToSign> = {}, method = 'GET', path = PATH): Promise<RestResponse> {
  const { hostname: host, port } = new URL(app.url)
  const authorization = signedHeader(credentials, { method, path, host, port: Number(port), ...change })
  return await call(app, method, path, { headers: { authorization } })
}

describe('A request signed under a MAC token', () => {
  test('a signed request gets the same response as a bearer token', async () => {
    const signed = await callSigned()
    const bearer = await call(app, 'GET', PATH, { token: await tokenFrom(app, CLIENT_CREDENTIALS_GRANT) })
    expect([signed.status, signed.json]).toEqual([bearer.status, bearer.json])
  })

  test('a signed request can have an ext and a query', async () => {
    expect((await callSigned({ ext: 'a,b,c' })).status).toBe(200)
    expect((await callSigned({}, 'GET', `${PATH}?b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q`)).status).toBe(200)
  })

  test.each([
    ['method', { method: 'POST' }],
    ['path', { path: '/users/self/channels.xml' }],
    ['host', { host: 'localhost' }],
    ['port', { port: 1 }],
  ])('a signature for another %s is refused', async (_part, change) => {
    const { status, json } = await callSigned(change)
    expect([status, json]).toMatchObject([401, { error_description: expect.stringContaining('signature') }])
  })

  test('a signature with another key is refused', async () => {
    credentials = { ...credentials, mac_key: 'f'.repeat(40) }
    expect((await callSigned()).status).toBe(401)
  })

  test('a signature with the id of a bearer token is refused', async () => {
    credentials = { access_token: await tokenFrom(app, PASSWORD_GRANT), mac_key: '' }
    expect((await callSigned()).status).toBe(401)
  })

  test('a MAC token expires after one day by the emulator’s clock', async () => {
    app.setClock(app.nowSeconds() + 86_400)
    expect((await callSigned()).json).toMatchObject({ error_description: expect.stringContaining('expired') })
  })
})
