import { describe, expect, test } from 'vitest'
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM, STUDIO } from '../room-database.ts'
import { askForToken, CLIENT_CREDENTIALS_GRANT, PASSWORD_GRANT, without } from '../token-client.ts'

const HEX_40 = /^[0-9a-f]{40}$/

const app = roomAppForFile()

describe('Token endpoint: grant password', () => {
  test.each(['grant_type', 'client_id', 'client_secret', 'username', 'password'])(
    'the password grant requires %s',
    async (name) => {
      const { status, body } = await askForToken(app, without(PASSWORD_GRANT, name))
      expect([status, body]).toEqual([400, { error: 'invalid_request' }])
      expect(app.explanation()).toContain(name)
    },
  )

  test('the password grant returns access_token, expires_in and token_type, but no refresh_token', async () => {
    const { status, body } = await askForToken(app, PASSWORD_GRANT)
    expect(status).toBe(200)
    expect(body).toEqual({ access_token: expect.stringMatching(HEX_40), expires_in: 86_400, token_type: 'bearer' })
  })

  test.each([
    ['a wrong password', { password: 'wrong' }],
    ['an unknown user', { username: 'nobody' }],
    ['the password of another user', { password: NEWSROOM.password }],
    ['a password in other case', { password: STUDIO.password.toUpperCase() }],
    ['a user name of 2,000 characters', { username: 'x'.repeat(2_000) }],
  ])('%s gets invalid_grant', async (_case, fields) => {
    const answer = await askForToken(app, { ...PASSWORD_GRANT, ...fields })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a wrong client_secret parameter gets invalid_client, even with a right Authorization header', async () => {
    const answer = await askForToken(app, { ...PASSWORD_GRANT, client_secret: 'f'.repeat(40) })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })

  test('the client_secret parameter does not replace the Authorization header', async () => {
    const answer = await askForToken(app, PASSWORD_GRANT, {})
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })
})

describe('Token endpoint: grant client_credentials', () => {
  test.each(['grant_type', 'client_id'])('the client credentials grant requires %s', async (name) => {
    const { status, body } = await askForToken(app, without(CLIENT_CREDENTIALS_GRANT, name))
    expect([status, body]).toEqual([400, { error: 'invalid_request' }])
  })

  test('the client credentials grant returns access_token, expires_in and token_type', async () => {
    const { body } = await askForToken(app, CLIENT_CREDENTIALS_GRANT)
    expect(body).toEqual({ access_token: expect.stringMatching(HEX_40), expires_in: 86_400, token_type: 'bearer' })
  })

  test('token_type=mac adds mac_key, created_at and mac_algorithm in the documented order', async () => {
    const { body } = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'mac', scope: 'broadcaster' })
    expect(Object.keys(body)).toEqual([
      'access_token',
      'expires_in',
      'token_type',
      'mac_key',
      'created_at',
      'mac_algorithm',
    ])
    expect(Number.isInteger(body.created_at)).toBe(true)
  })

  test('token_type=jwt returns a token for the analytics API, which is named bearer as by the service', async () => {
    const { body } = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, token_type: 'jwt' })
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expires_in: 86_400,
      token_type: 'bearer',
    })
  })

  test('the device_name of a client credentials grant is stored with the token', async () => {
    await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, device_name: 'Report server' })
    expect(app.database.prepare('SELECT device_name FROM oauth_tokens ORDER BY id DESC').get()).toEqual({
      device_name: 'Report server',
    })
  })

  test.each([
    ['longer than 255 characters', 'x'.repeat(256)],
    ['with a line break', 'a\nb'],
    ['that reverses the text direction', 'phone\u202eenohp'],
  ])('a device_name %s gets invalid_request', async (_case, deviceName) => {
    const answer = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, device_name: deviceName })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each([
    ['broadcaster without token_type=mac', { scope: 'broadcaster' }],
    ['broadcaster with token_type=bearer', { scope: 'broadcaster', token_type: 'bearer' }],
    ['broadcaster with token_type=jwt', { scope: 'broadcaster', token_type: 'jwt' }],
    ['broadcaster among others, without token_type=mac', { scope: 'reports broadcaster' }],
    ['with a quotation mark', { scope: 'reports "x"' }],
  ])('a scope %s gets invalid_scope', async (_case, fields) => {
    const answer = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, ...fields })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  })

  test('several scopes are kept, each once', async () => {
    const scope = 'reports broadcaster reports'
    const { status } = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, scope, token_type: 'mac' })
    expect(status).toBe(200)
    expect(app.database.prepare('SELECT scope FROM oauth_tokens ORDER BY id DESC').get()).toEqual({
      scope: 'reports broadcaster',
    })
  })
})
