import { describe, expect, test } from 'vitest'
import { roomAppForFile } from '../room-app.ts'
import { NEWSROOM_CLIENT, STUDIO_CLIENT } from '../room-database.ts'
import { askForToken, basic, CLIENT_CREDENTIALS_GRANT, PASSWORD_GRANT } from '../token-client.ts'

const app = roomAppForFile()

describe('Token endpoint: client authentication', () => {
  test.each([
    ['base64 of client_id:client_secret', basic(STUDIO_CLIENT)],
    ['the bare client secret', `Basic ${STUDIO_CLIENT.clientSecret}`],
    ['base64 of the client secret', `Basic ${Buffer.from(STUDIO_CLIENT.clientSecret).toString('base64')}`],
    ['the scheme in other case', basic(STUDIO_CLIENT).replace('Basic', 'bAsIc')],
  ])('client authentication accepts %s', async (_case, authorization) => {
    expect((await askForToken(app, CLIENT_CREDENTIALS_GRANT, { authorization })).status).toBe(200)
  })

  test.each([
    ['no header', undefined],
    ['a wrong secret', basic({ ...STUDIO_CLIENT, clientSecret: 'c'.repeat(40) })],
    ['a wrong bare secret', `Basic ${'c'.repeat(40)}`],
    ['an empty secret', basic({ ...STUDIO_CLIENT, clientSecret: '' })],
    ['the secret of another client', basic({ ...STUDIO_CLIENT, clientSecret: NEWSROOM_CLIENT.clientSecret })],
    ['credentials of another client', basic(NEWSROOM_CLIENT)],
    ['the bare secret of another client', `Basic ${NEWSROOM_CLIENT.clientSecret}`],
    ['Bearer', `Bearer ${STUDIO_CLIENT.clientSecret}`],
    ['base64 of the secret of another client', `Basic ${Buffer.from(NEWSROOM_CLIENT.clientSecret).toString('base64')}`],
    ['Basic alone', 'Basic'],
    ['a secret with something after it', `${basic(STUDIO_CLIENT)} x`],
  ])('client authentication refuses %s with invalid_client', async (_case, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const answer = await askForToken(app, CLIENT_CREDENTIALS_GRANT, headers)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })

  test('an unknown client_id gets invalid_client', async () => {
    const answer = await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, client_id: '9'.repeat(40) })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })
})

describe('Token endpoint: errors', () => {
  test.each(['device_code', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code', '__proto__', 'constructor'])(
    'grant type %s gets unsupported_grant_type 501',
    async (grantType) => {
      const answer = await askForToken(app, { grant_type: grantType })
      expect(answer).toMatchObject({ status: 501, body: { error: 'unsupported_grant_type' } })
    },
  )

  test('a read-only database gets server_error 503 with Retry-After', async () => {
    app.database.exec('PRAGMA query_only = ON')
    const answer = await askForToken(app, CLIENT_CREDENTIALS_GRANT)
    expect([answer.status, answer.body]).toEqual([503, { error: 'server_error' }])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    app.database.exec('PRAGMA query_only = OFF')
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])(
    'the token endpoint answers %s with 405 in JSON, and with Allow',
    async (method) => {
      const response = await fetch(`${app.url}/oauth2/token`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      expect(await response.json()).toEqual({ error: 'invalid_request' })
    },
  )

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml'])(
    'a body of type %s gets 415',
    async (type) => {
      const answer = await askForToken(app, JSON.stringify(CLIENT_CREDENTIALS_GRANT), {
        'content-type': type,
        authorization: basic(STUDIO_CLIENT),
      })
      expect([answer.status, answer.body]).toEqual([415, { error: 'invalid_request' }])
    },
  )

  test('a compressed body gets 415', async () => {
    const answer = await askForToken(app, CLIENT_CREDENTIALS_GRANT, { 'content-encoding': 'gzip' })
    expect([answer.status, answer.body]).toEqual([415, { error: 'invalid_request' }])
  })

  test('a body of 1 MB gets 413', async () => {
    const answer = await askForToken(app, `grant_type=password&x=${'a'.repeat(1_000_000)}`)
    expect([answer.status, answer.body]).toEqual([413, { error: 'invalid_request' }])
  })

  test('a request without a body gets invalid_request', async () => {
    const response = await fetch(`${app.url}/oauth2/token`, { method: 'POST' })
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_request' }])
  })

  test.each([
    ['a repeated parameter', 'grant_type=client_credentials&grant_type=password'],
    ['a repeated unknown parameter', `${new URLSearchParams(CLIENT_CREDENTIALS_GRANT)}&x=1&x=2`],
    ['a client_id of 3,000 characters', `grant_type=client_credentials&client_id=${'a'.repeat(3_000)}`],
  ])('%s gets invalid_request', async (_case, text) => {
    const answer = await askForToken(app, text)
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_request' }])
  })

  test.each(['/oauth2/token/', '/OAuth2/Token', '/token'])('the path %s is not the token endpoint', async (path) => {
    expect((await fetch(app.url + path, { method: 'POST' })).status).toBe(404)
  })

  test('the token endpoint ignores unknown parameters', async () => {
    expect((await askForToken(app, { ...CLIENT_CREDENTIALS_GRANT, code_verifier: 'x', foo: 'bar' })).status).toBe(200)
  })
})

describe('Token endpoint: which check comes first', () => {
  const wrong = { authorization: basic({ ...STUDIO_CLIENT, clientSecret: 'c'.repeat(40) }) }
  const inOrder: [string, Record<string, string> | string, Record<string, string>, number, string][] = [
    ['the type of the body', '{}', { ...wrong, 'content-type': 'application/json' }, 415, 'invalid_request'],
    ['repeated parameters', 'grant_type=x&a=1&a=2', wrong, 400, 'invalid_request'],
    ['the grant type missing', {}, wrong, 400, 'invalid_request'],
    ['the grant type unknown', { grant_type: 'x' }, wrong, 501, 'unsupported_grant_type'],
    ['required parameters', { grant_type: 'password', token_type: 'x' }, wrong, 400, 'invalid_request'],
    ['the client', { ...PASSWORD_GRANT, password: 'wrong', token_type: 'x' }, wrong, 400, 'invalid_client'],
    [
      'token_type, then scope',
      { ...PASSWORD_GRANT, password: 'wrong', token_type: 'x', scope: 'x' },
      { authorization: basic(STUDIO_CLIENT) },
      400,
      'invalid_request',
    ],
    [
      'scope',
      { ...PASSWORD_GRANT, password: 'wrong', scope: 'a"b' },
      { authorization: basic(STUDIO_CLIENT) },
      400,
      'invalid_scope',
    ],
    [
      'the password or the code, last',
      { ...PASSWORD_GRANT, password: 'wrong' },
      { authorization: basic(STUDIO_CLIENT) },
      400,
      'invalid_grant',
    ],
  ]
  test.each(inOrder)('the order of checks: %s', async (_check, fields, headers, status, error) => {
    const answer = await askForToken(app, fields, headers)
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })
})
