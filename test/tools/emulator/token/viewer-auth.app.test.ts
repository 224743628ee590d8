import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { roomAppForFile } from '../oauth/room-app.ts'
import { CLIENT_CREDENTIALS_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call, type RestRequest } from '../rest/rest-client.ts'
import { PUBLIC_KEY } from './token-service.ts'

const SETTINGS = { auth_url: 'https://login.example/entry?a=1&b=2', public_key: PUBLIC_KEY }
const CHANNEL = '/channels/1001/viewer-auth.json'
const VIDEO = '/videos/2001/viewer-auth.json'
const SHORT_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' })
const EC_KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const app = roomAppForFile()
let token: string

beforeAll(async () => {
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})
beforeEach(() => {
  app.database.exec('DELETE FROM viewer_auth')
})

function put(path: string, request: RestRequest = { form: SETTINGS }) {
  return call(app, 'PUT', path, { token, ...request })
}

function stored(): unknown {
  return app.database.prepare('SELECT content_type, content_id, auth_url, public_key FROM viewer_auth').all()
}

describe.each([
  [CHANNEL, 'live', 1001],
  [VIDEO, 'recorded', 2001],
])('viewer auth at %s', (path, type, id) => {
  test('a PUT gets 204 and no body, for new and for replaced settings', async () => {
    const first = await put(path)
    const second = await put(path, { form: { ...SETTINGS, auth_url: 'https://other.example/' } })
    expect([first.status, first.text, second.status, second.text]).toEqual([204, '', 204, ''])
    expect(stored()).toEqual([{ content_type: type, content_id: id, ...SETTINGS, auth_url: 'https://other.example/' }])
  })

  test('a key with blanks in place of line ends, as in a sample of the service, is accepted', async () => {
    expect(
      (await put(path, { form: { ...SETTINGS, public_key: PUBLIC_KEY.trim().replaceAll('\n', ' ') } })).status,
    ).toBe(204)
  })

  test('a DELETE gets 204, and the next one not_found', async () => {
    await put(path)
    const first = await call(app, 'DELETE', path, { token })
    const second = await call(app, 'DELETE', path, { token })
    expect([first.status, first.text, second.status, second.json]).toEqual([
      204,
      '',
      404,
      { error: 'not_found', error_description: expect.any(String) },
    ])
    expect(stored()).toEqual([])
  })

  test.each([
    ['without auth_url', { public_key: PUBLIC_KEY }, 'auth_url'],
    ['without public_key', { auth_url: SETTINGS.auth_url }, 'public_key'],
    ['without both', {}, 'auth_url and public_key'],
    ['with a relative auth_url', { ...SETTINGS, auth_url: '/entry' }, 'auth_url'],
    ['with a script as auth_url', { ...SETTINGS, auth_url: 'javascript:alert(1)' }, 'auth_url'],
    ['with a password in auth_url', { ...SETTINGS, auth_url: 'https://a:b@login.example/' }, 'auth_url'],
    ['with text as public_key', { ...SETTINGS, public_key: 'a key' }, 'is not a public key'],
    ['with a cut public_key', { ...SETTINGS, public_key: PUBLIC_KEY.slice(0, 200) }, 'is not a readable public key'],
    ['with a short public_key', { ...SETTINGS, public_key: String(SHORT_KEY) }, '1024 bits'],
    [
      'with a public_key of an elliptic curve',
      { ...SETTINGS, public_key: String(EC_KEYS.publicKey.export({ type: 'spki', format: 'pem' })) },
      'is not an RSA key',
    ],
    [
      'with a private key',
      { ...SETTINGS, public_key: String(EC_KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' })) },
      'is the private key',
    ],
  ])('a PUT %s gets invalid_request and changes nothing', async (_case, form, named) => {
    await put(path)
    const { status, json } = await put(path, { form: form as Record<string, string> })
    expect([status, json]).toMatchObject([400, { error: 'invalid_request' }])
    expect(app.explanation()).toContain(named)
    expect(stored()).toMatchObject([SETTINGS])
  })

  test.each<[string, RestRequest, number]>([
    ['of 20 kB', { form: { ...SETTINGS, auth_url: `https://login.example/${'x'.repeat(20_000)}` } }, 413],
    ['of XML', { form: '<a/>', headers: { 'content-type': 'application/xml' } }, 415],
    ['that repeats auth_url', { form: `${new URLSearchParams(SETTINGS)}&auth_url=https://other.example/` }, 400],
    [
      'with a "+" of the key as a space, as curl -d sends it',
      { form: `auth_url=https://login.example/&public_key=${PUBLIC_KEY.replace('A', '+')}` },
      400,
    ],
  ])('a PUT with a body %s changes nothing', async (_case, request, expected) => {
    await put(path)
    const { status, json } = await put(path, request)
    expect([status, json]).toMatchObject([expected, { error: 'invalid_request' }])
    expect(stored()).toMatchObject([SETTINGS])
  })

  test.each(['PUT', 'DELETE'])('%s without a token, or with a wrong one, gets 401', async (method) => {
    const without = await call(app, method, path, { form: SETTINGS })
    const wrong = await call(app, method, path, { form: SETTINGS, token: '0'.repeat(40) })
    expect([without.status, wrong.status, wrong.json]).toMatchObject([401, 401, { error: 'invalid_token' }])
  })

  test.each(['PUT', 'DELETE'])('%s for a channel or video of another user gets lack_of_ownership', async (method) => {
    const foreign = path.replace('1001', '1002').replace('2001', '2002')
    const { status, json } = await call(app, method, foreign, { token, form: SETTINGS })
    expect([status, json, stored()]).toMatchObject([403, { error: 'lack_of_ownership' }, []])
  })

  test.each(['GET', 'POST', 'PATCH'])('%s gets 405 with Allow', async (method) => {
    const { status, headers } = await call(app, method, path, { token })
    expect([status, headers.get('allow')]).toEqual([405, 'PUT, DELETE'])
  })
})
