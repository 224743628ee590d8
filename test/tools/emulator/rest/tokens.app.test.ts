import { beforeEach, describe, expect, test } from 'vitest'
import { checkAccess } from '../../../../src/tools/emulator/oauth/tokens/access.ts'
import { roomAppForFile } from '../oauth/room-app.ts'
import { CLIENT_CREDENTIALS_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call } from './rest-client.ts'

const PATH = '/users/self/channels.json'

const app = roomAppForFile()
let token: string

beforeEach(async () => {
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})

describe('Refused tokens', () => {
  test('a request without a token gets 401 unauthorized with a challenge', async () => {
    const { status, headers, json } = await call(app, 'GET', PATH)
    expect([status, json]).toEqual([401, { error: 'unauthorized', error_description: expect.any(String) }])
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="emulated video service", MAC realm="emulated video service"',
    )
  })

  test('an expired token gets 401 invalid_token', async () => {
    app.setClock(app.nowSeconds() + 86_399)
    expect((await call(app, 'GET', PATH, { token })).status).toBe(200)
    app.setClock(app.nowSeconds() + 1)
    const { status, headers, json } = await call(app, 'GET', PATH, { token })
    expect([status, json]).toEqual([
      401,
      { error: 'invalid_token', error_description: expect.stringContaining('expired') },
    ])
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('a revoked token gets 401 invalid_token', async () => {
    app.database
      .prepare('UPDATE oauth_tokens SET revoked_at_seconds = ? WHERE id = (SELECT MAX(id) FROM oauth_tokens)')
      .run(1)
    const { status, json } = await call(app, 'GET', PATH, { token })
    expect([status, json]).toEqual([
      401,
      { error: 'invalid_token', error_description: expect.stringContaining('revoked') },
    ])
  })

  test('an unknown token gets 401 invalid_token', async () => {
    const { status, json } = await call(app, 'GET', PATH, { token: '0'.repeat(40) })
    expect([status, json]).toEqual([
      401,
      { error: 'invalid_token', error_description: expect.stringContaining('unknown') },
    ])
  })

  test('a token of the analytics API gets 401', async () => {
    const jwt = await tokenFrom(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'jwt' })
    const { jti } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    for (const wrong of [jwt, jti]) expect((await call(app, 'GET', PATH, { token: wrong })).status).toBe(401)
  })

  test('a MAC token that is sent as a bearer token gets 401', async () => {
    const mac = await tokenFrom(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac' })
    const { status, json } = await call(app, 'GET', PATH, { token: mac })
    expect([status, json]).toMatchObject([401, { error_description: expect.stringContaining('MAC') }])
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Basic abc',
    '0000',
    'Bearer a b',
    'Bearer "x"',
    'MAC',
    'MAC id="x"',
    `Bearer ${'x'.repeat(5_000)}`,
  ])('the Authorization header %j gets 401 invalid_token', async (authorization) => {
    const { status, json } = await call(app, 'GET', PATH, { headers: { authorization } })
    expect([status, json]).toMatchObject([401, { error: 'invalid_token' }])
  })

  test('the token is checked before the body is read', async () => {
    const { status } = await call(app, 'POST', PATH, { form: { title: 'x'.repeat(100_000) } })
    expect(status).toBe(401)
  })

  test('the scheme Bearer is accepted in any case', async () => {
    expect((await call(app, 'GET', PATH, { headers: { authorization: `bEARER ${token}` } })).status).toBe(200)
  })
})

describe('Bearer tokens only over HTTPS', () => {
  const request = () => ({
    method: 'GET',
    requestUri: PATH,
    authorizationHeader: `Bearer ${token}`,
    hostHeader: '127.0.0.1:4000',
    localAddress: '127.0.0.1',
    isEncrypted: false,
  })
  const check = (change: object) => checkAccess(app, { ...request(), ...change }).ok

  test.each(['127.0.0.1:4000', 'localhost:4000', 'page.localhost', '[::1]:4000', '127.8.8.8'])(
    'a bearer token is accepted over http at the loopback host %s',
    (hostHeader) => {
      expect(check({ hostHeader })).toBe(true)
    },
  )

  test.each(['service.example', '10.0.0.1', 'localhost.example', '127.0.0.1.example', '', undefined])(
    'a bearer token is refused over http at the host %s',
    (hostHeader) => {
      expect(check({ hostHeader })).toBe(false)
    },
  )

  test.each(['10.0.0.1', '::ffff:10.0.0.1', undefined])(
    'a bearer token is refused over http if the request arrives at %s',
    (localAddress) => {
      expect(check({ localAddress })).toBe(false)
    },
  )

  test('a bearer token is accepted over https at every host', () => {
    expect(check({ hostHeader: 'service.example', localAddress: '10.0.0.1', isEncrypted: true })).toBe(true)
  })

  test('a MAC token is accepted over http at every host', async () => {
    const { body } = await import('../oauth/token-client.ts').then(({ askForToken }) =>
      askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac' }),
    )
    const { signedHeader } = await import('./signed-request.ts')
    const authorizationHeader = signedHeader(body, { method: 'GET', path: PATH, host: 'service.example', port: 80 })
    expect(check({ authorizationHeader, hostHeader: 'service.example', localAddress: '10.0.0.1' })).toBe(true)
  })
})
