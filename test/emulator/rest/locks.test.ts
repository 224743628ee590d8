import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RoomApp, startRoomApp } from '../oauth/room-app.ts'
import { CLIENT_CREDENTIALS_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call, type RestRequest } from './rest-client.ts'

const SETTINGS = { url: 'https://login.example/entry?a=1&b=2', secret: 'correct horse battery staple' }
const CHANNEL = '/channels/1001/locks/hash'
const VIDEO = '/videos/2001/locks/hash.json'

let app: RoomApp
let token: string

beforeAll(async () => {
  app = await startRoomApp()
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})
beforeEach(() => {
  app.database.exec('DELETE FROM locks')
})
afterAll(() => app.close())

function set(path: string, request: RestRequest = { form: SETTINGS }) {
  return call(app, 'PUT', path, { token, ...request })
}
function read(path: string) {
  return call(app, 'GET', path, { token })
}
function remove(path: string) {
  return call(app, 'DELETE', path, { token })
}

describe('Channel level', () => {
  test.each(['json', 'xml'])('Set up (%s): 201 Created when new, 204 No Content when replaced', async (format) => {
    const first = await set(`${CHANNEL}/advanced.${format}`)
    const second = await set(`${CHANNEL}/advanced.${format}`, { form: { ...SETTINGS, url: 'https://other.example/' } })
    expect([first.status, second.status, second.text]).toEqual([201, 204, ''])
    expect((await read(`${CHANNEL}.json`)).json).toMatchObject({ hashlock: { url: 'https://other.example/' } })
  })

  test('Set up: url and secret as JSON are the same as in a form', async () => {
    expect((await set(`${CHANNEL}/advanced.json`, { json: SETTINGS })).status).toBe(201)
    expect((await read(`${CHANNEL}.json`)).json).toMatchObject({ hashlock: { url: SETTINGS.url } })
  })

  test('Read: type, url, message, button_caption, popup_width and popup_height under "hashlock"', async () => {
    await set(`${CHANNEL}/advanced.json`)
    const { status, json } = await read(`${CHANNEL}.json`)
    expect(status).toBe(200)
    expect(json).toEqual({
      hashlock: {
        type: 'advanced',
        url: SETTINGS.url,
        message: null,
        button_caption: null,
        popup_width: '640',
        popup_height: '480',
      },
    })
  })

  test('Read: the secret is never shown', async () => {
    await set(`${CHANNEL}/advanced.json`)
    expect((await read(`${CHANNEL}.json`)).text + (await read(`${CHANNEL}.xml`)).text).not.toContain(SETTINGS.secret)
  })

  test('Read in XML: the root is hashlock, an empty element stands for null', async () => {
    await set(`${CHANNEL}/advanced.xml`)
    const { headers, text, xml } = await read(`${CHANNEL}.xml`)
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<hashlock>/)
    expect(text).toContain('<message/>')
    expect(xml).toMatchObject({ hashlock: { type: 'advanced', message: '', popup_width: '640' } })
  })

  test('message, button_caption, popup_width and popup_height can be set, and a replacement takes them back', async () => {
    const all = { message: 'For staff', button_caption: 'Log in', popup_width: '400', popup_height: '300px' }
    await set(`${CHANNEL}/advanced.json`, { form: { ...SETTINGS, ...all } })
    expect((await read(`${CHANNEL}.json`)).json).toEqual({ hashlock: { type: 'advanced', url: SETTINGS.url, ...all } })
    await set(`${CHANNEL}/advanced.json`)
    expect((await read(`${CHANNEL}.json`)).json).toMatchObject({ hashlock: { message: null, popup_width: '640' } })
  })

  test('what XML could take for its own is escaped', async () => {
    const message = `</hashlock><!-- ]]> <![CDATA[ &amp; &#0; <?x ?> "'`
    await set(`${CHANNEL}/advanced.xml`, { form: { ...SETTINGS, message } })
    const { text } = await read(`${CHANNEL}.xml`)
    // Written by Python: xml.sax.saxutils.escape(message, {'"': '&quot;', "'": '&apos;'}).
    const escaped = '&lt;/hashlock&gt;&lt;!-- ]]&gt; &lt;![CDATA[ &amp;amp; &amp;#0; &lt;?x ?&gt; &quot;&apos;'
    expect(text).toContain(`<message>${escaped}</message>`)
    expect(text).toContain('<url>https://login.example/entry?a=1&amp;b=2</url>')
  })

  test('control characters that a seed brought along are left out of XML', async () => {
    app.database
      .prepare(
        `INSERT INTO locks (content_type, content_id, url, secret, message) VALUES ('live', 1001, 'https://a.example/', 's', ?)`,
      )
      .run('a\u0000b\u001bc\ufffed\tend')
    expect((await read(`${CHANNEL}.xml`)).text).toContain('<message>abcd\tend</message>')
  })

  test.each(['json', 'xml'])('Remove (%s): 200 OK, and there is nothing to read then', async (format) => {
    await set(`${CHANNEL}/advanced.json`)
    expect((await remove(`${CHANNEL}.${format}`)).status).toBe(200)
    expect((await read(`${CHANNEL}.${format}`)).status).toBe(404)
    expect((await remove(`${CHANNEL}.${format}`)).status).toBe(404)
  })

  test('a removed lock is new again', async () => {
    await set(`${CHANNEL}/advanced.json`)
    await remove(`${CHANNEL}.json`)
    expect((await set(`${CHANNEL}/advanced.json`)).status).toBe(201)
  })

  test('of many at once exactly one is new', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => set(`${CHANNEL}/advanced.json`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(9)
  })
})

describe('Video level', () => {
  test('Set up: 204 No Content, new and replaced', async () => {
    expect([(await set(VIDEO)).status, (await set(VIDEO)).status]).toEqual([204, 204])
  })

  test('Read: url and secret under "hashlock"', async () => {
    await set(VIDEO)
    const { status, json } = await read(VIDEO)
    expect([status, json]).toEqual([200, { hashlock: SETTINGS }])
  })

  test('Remove: 204 No Content, then not_found', async () => {
    await set(VIDEO)
    expect((await remove(VIDEO)).status).toBe(204)
    expect((await read(VIDEO)).json).toMatchObject({ error: 'not_found' })
  })

  test('the settings of the channel are not those of the video', async () => {
    await set(`${CHANNEL}/advanced.json`)
    expect((await read(VIDEO)).status).toBe(404)
    await set(VIDEO, { form: { ...SETTINGS, secret: 'of the video' } })
    await remove(VIDEO)
    expect((await read(`${CHANNEL}.json`)).status).toBe(200)
  })

  test.each(['/videos/2001/locks/hash.xml', '/videos/2001/locks/hash/advanced.json'])(
    '%s does not exist',
    async (path) => {
      expect((await read(path)).status).toBe(404)
    },
  )
})

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
      ['url, since it is empty', { url: '', secret: 's' }],
    ])('invalid_request 400: missing %s', async (missing, form) => {
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
    ])('invalid_type 400: url %s', async (url) => {
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
      { popup_height: '0' },
      { popup_height: '100000' },
    ])('invalid_request 400: %j', async (change) => {
      const { status, json } = await set(path, { form: { ...SETTINGS, ...change } as Record<string, string> })
      expect([status, json]).toMatchObject([400, { error: 'invalid_request' }])
      expect(app.database.prepare('SELECT COUNT(*) AS count FROM locks').get()).toEqual({ count: 0 })
    })

    test('a refused replacement leaves the lock as it was', async () => {
      await set(path)
      await set(path, { form: { url: 'nowhere', secret: 's' } })
      const kept = app.database.prepare('SELECT url, secret FROM locks').all()
      expect(kept).toEqual([SETTINGS])
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
    ] as [string, RestRequest, number][])('%s', async (_case, request, status) => {
      const answer = await set(path, request)
      expect([answer.status, answer.json]).toMatchObject([status, { error: 'invalid_request' }])
    })
  })

  test.each(all)('lack_of_ownership 403: %s %s of another user', async (method, path) => {
    const own = path.startsWith('/channels') ? '1002' : '2002'
    const { status, json } = await call(app, method, path.replace('ID', own), {
      token,
      ...(method === 'PUT' ? { form: SETTINGS } : {}),
    })
    expect([status, json]).toMatchObject([403, { error: 'lack_of_ownership' }])
    expect(app.database.prepare('SELECT COUNT(*) AS count FROM locks').get()).toEqual({ count: 0 })
  })

  test.each(all)('not_found 404: %s %s that does not exist, or whose number is none', async (method, path) => {
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

  test('not_found 404: settings that are not there, in JSON and in XML', async () => {
    expect([(await read(`${CHANNEL}.json`)).json, (await read(VIDEO)).json]).toMatchObject([
      { error: 'not_found' },
      { error: 'not_found' },
    ])
    expect((await read(`${CHANNEL}.xml`)).xml).toMatchObject({ response: { error: 'not_found' } })
  })

  test('the errors are the same in XML', async () => {
    const missing = await set(`${CHANNEL}/advanced.xml`, { form: {} })
    const foreign = await read('/channels/1002/locks/hash.xml')
    const invalid = await set(`${CHANNEL}/advanced.xml`, { form: { ...SETTINGS, url: 'x' } })
    expect([missing.status, missing.xml]).toMatchObject([400, { response: { error: 'invalid_request' } }])
    expect([foreign.status, foreign.xml]).toMatchObject([403, { response: { error: 'lack_of_ownership' } }])
    expect([invalid.status, invalid.xml]).toMatchObject([400, { response: { error: 'invalid_type' } }])
  })

  test.each([`${CHANNEL}.yaml`, `${CHANNEL}/advanced.html`, `${CHANNEL}.JSON`])(
    '%s: there is no such format',
    async (path) => {
      const method = path.includes('advanced') ? 'PUT' : 'GET'
      const { status, json } = await call(app, method, path, { token, ...(method === 'PUT' ? { form: SETTINGS } : {}) })
      expect([status, json]).toMatchObject([404, { error: 'not_found' }])
    },
  )

  test.each([
    [`${CHANNEL}/advanced.json`, 'GET', 'PUT'],
    [`${CHANNEL}/advanced.xml`, 'DELETE', 'PUT'],
    [`${CHANNEL}.json`, 'PUT', 'GET, HEAD, DELETE'],
    [`${CHANNEL}.xml`, 'POST', 'GET, HEAD, DELETE'],
    [VIDEO, 'POST', 'GET, HEAD, PUT, DELETE'],
  ])('%s: %s is 405 with Allow: %s', async (path, method, allow) => {
    const { status, headers } = await call(app, method, path, { token })
    expect([status, headers.get('allow')]).toEqual([405, allow])
  })

  test('a path that cannot be decoded is 400, in the format of the path', async () => {
    expect((await read('/channels/%ff/locks/hash.json')).json).toMatchObject({ error: 'invalid_request' })
    expect((await read('/channels/%ff/locks/hash.xml')).xml).toMatchObject({ response: { error: 'invalid_request' } })
  })

  test('a database that cannot be written is 503', async () => {
    app.database.exec('PRAGMA query_only = ON')
    const answer = await set(VIDEO)
    app.database.exec('PRAGMA query_only = OFF')
    expect([answer.status, answer.json, answer.headers.get('retry-after')]).toMatchObject([
      503,
      { error: 'server_error' },
      '1',
    ])
  })
})
