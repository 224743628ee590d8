import { beforeEach, describe, expect, test } from 'vitest'
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
