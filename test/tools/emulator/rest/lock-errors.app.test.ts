import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { roomAppForFile } from '../oauth/room-app.ts'
import { CLIENT_CREDENTIALS_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call, type RestRequest } from './rest-client.ts'

const SETTINGS = { url: 'https://login.example/entry?a=1&b=2', secret: 'correct horse battery staple' }
const CHANNEL = '/channels/1001/locks/hash'
const VIDEO = '/videos/2001/locks/hash.json'

const app = roomAppForFile()
let token: string

beforeAll(async () => {
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})
beforeEach(() => {
  app.database.exec('DELETE FROM locks')
})

function set(path: string, request: RestRequest = { form: SETTINGS }) {
  return call(app, 'PUT', path, { token, ...request })
}
function read(path: string) {
  return call(app, 'GET', path, { token })
}

describe('Errors of viewer authentication management', () => {
  const set_up = [`${CHANNEL}/advanced.json`, VIDEO]
  const all: [string, string][] = [
    ['PUT', '/channels/ID/locks/hash/advanced.json'],
    ['GET', '/channels/ID/locks/hash.json'],
    ['DELETE', '/channels/ID/locks/hash.json'],
    ['PUT', '/videos/ID/locks/hash.json'],
    ['GET', '/videos/ID/locks/hash.json'],
    ['DELETE', '/videos/ID/locks/hash.json'],
  ]

  describe.each(set_up)('%s', (path) => {
    test.each([
      ['url', { secret: 's' }],
      ['secret', { url: 'https://a.example/' }],
      ['url and secret', {}],
      ['url, with an empty value', { url: '', secret: 's' }],
    ])('a PUT without %s gets invalid_request', async (missing, form) => {
      const { status, json } = await set(path, { form: form as Record<string, string> })
      expect([status, json]).toMatchObject([400, { error: 'invalid_request' }])
      expect(app.explanation()).toContain(missing.split(',')[0])
    })

    test.each([
      'login.example',
      '/entry',
      'ftp://login.example/',
      'javascript:alert(1)',
      'https://',
      'https://user:pass@login.example/',
      'https://login.example/ x',
      'https:\\\\login.example',
      `https://login.example/${'x'.repeat(2_048)}`,
    ])('a PUT with the url %s gets invalid_type', async (url) => {
      const { status, json } = await set(path, { form: { ...SETTINGS, url } })
      expect([status, json]).toMatchObject([400, { error: 'invalid_type' }])
    })

    test.each([
      { secret: 'x'.repeat(256) },
      { secret: 'a\nb' },
      { message: 'x'.repeat(1_001) },
      { message: 'a\u0007' },
      { button_caption: 'x'.repeat(101) },
      { popup_width: 'wide' },
      { popup_width: '-1' },
      { popup_height: '00' },
      { popup_height: '100000' },
    ])('a PUT with %j gets invalid_request', async (change) => {
      const { status, json } = await set(path, { form: { ...SETTINGS, ...change } as Record<string, string> })
      expect([status, json]).toMatchObject([400, { error: 'invalid_request' }])
      expect(app.database.prepare('SELECT COUNT(*) AS count FROM locks').get()).toEqual({ count: 0 })
    })

    test('a refused PUT leaves the lock unchanged', async () => {
      await set(path)
      await set(path, { form: { url: 'nowhere', secret: 's' } })
      const stored = app.database.prepare('SELECT url, secret FROM locks').all()
      expect(stored).toEqual([SETTINGS])
    })

    test.each([
      ['repeated parameters', { form: 'url=https%3A%2F%2Fa.example&secret=a&secret=b' }, 400],
      ['XML', { form: '<a/>', headers: { 'content-type': 'application/xml' } }, 415],
      ['1 MB', { form: { ...SETTINGS, message: 'x'.repeat(1_000_000) } }, 413],
      ['broken JSON', { form: '{', headers: { 'content-type': 'application/json' } }, 400],
      [
        'a deep JSON',
        { form: `${'['.repeat(5_000)}${']'.repeat(5_000)}`, headers: { 'content-type': 'application/json' } },
        400,
      ],
    ] as [string, RestRequest, number][])('a PUT with %s is refused', async (_case, request, status) => {
      const answer = await set(path, request)
      expect([answer.status, answer.json]).toMatchObject([status, { error: 'invalid_request' }])
    })
  })

  test.each(all)('%s %s of another user gets lack_of_ownership', async (method, path) => {
    const own = path.startsWith('/channels') ? '1002' : '2002'
    const { status, json } = await call(app, method, path.replace('ID', own), {
      token,
      ...(method === 'PUT' ? { form: SETTINGS } : {}),
    })
    expect([status, json]).toMatchObject([403, { error: 'lack_of_ownership' }])
    expect(app.database.prepare('SELECT COUNT(*) AS count FROM locks').get()).toEqual({ count: 0 })
  })

  test.each(all)('%s %s with an unknown or malformed ID gets not_found', async (method, path) => {
    for (const id of [
      '9999',
      'abc',
      '-1',
      '1e3',
      '0x3e9',
      '1001.0',
      '01001',
      '%20',
      '9'.repeat(30),
      "1001' OR '1'='1",
    ]) {
      const request = { token, ...(method === 'PUT' ? { form: SETTINGS } : {}) }
      const { status, json } = await call(
        app,
        method,
        path.replace('ID', encodeURIComponent(id).replace('%2520', '%20')),
        request,
      )
      expect([id, status, json]).toMatchObject([id, 404, { error: 'not_found' }])
    }
  })

  test('XML has the same errors as JSON', async () => {
    const missing = await set(`${CHANNEL}/advanced.xml`, { form: {} })
    const foreign = await read('/channels/1002/locks/hash.xml')
    const invalid = await set(`${CHANNEL}/advanced.xml`, { form: { ...SETTINGS, url: 'x' } })
    expect([missing.status, missing.xml]).toMatchObject([400, { response: { error: 'invalid_request' } }])
    expect([foreign.status, foreign.xml]).toMatchObject([403, { response: { error: 'lack_of_ownership' } }])
    expect([invalid.status, invalid.xml]).toMatchObject([400, { response: { error: 'invalid_type' } }])
  })

  test.each([
    [`${CHANNEL}/advanced.json`, 'GET', 'PUT'],
    [`${CHANNEL}/advanced.xml`, 'DELETE', 'PUT'],
    [`${CHANNEL}.json`, 'PUT', 'GET, HEAD, DELETE'],
    [`${CHANNEL}.xml`, 'POST', 'GET, HEAD, DELETE'],
    [VIDEO, 'POST', 'GET, HEAD, PUT, DELETE'],
  ])('%s answers %s with 405 and Allow: %s', async (path, method, allow) => {
    const { status, headers } = await call(app, method, path, { token })
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })
})
