import { beforeAll, describe, expect, test } from 'vitest'
import { roomAppForFile } from '../oauth/room-app.ts'
import { NEWSROOM, NEWSROOM_CLIENT } from '../oauth/room-database.ts'
import { askForToken, basic, CLIENT_CREDENTIALS_GRANT, PASSWORD_GRANT, tokenFrom } from '../oauth/token-client.ts'
import { call, type RestRequest } from './rest-client.ts'

const PATH = '/users/self/channels.json'

const app = roomAppForFile()
let token: string

beforeAll(async () => {
  token = await tokenFrom(app, CLIENT_CREDENTIALS_GRANT)
})

function create(request: RestRequest) {
  return call(app, 'POST', PATH, { token, ...request })
}

describe('Channel creation', () => {
  test('a title in a form creates a channel with id, title, url and tiny_url', async () => {
    const { status, json, headers } = await create({ form: { title: 'Quarterly results' } })
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(json).toEqual({
      channel: {
        id: expect.stringMatching(/^\d+$/),
        title: 'Quarterly results',
        url: 'quarterly-results',
        tiny_url: expect.stringMatching(new RegExp(`^${app.url}/t/[0-9a-z]+$`)),
      },
    })
  })

  test('a tiny_url redirects to the channel', async () => {
    const { json } = await create({ form: { title: 'Short' } })
    const { id, tiny_url: tinyUrl } = (json as { channel: Record<string, string> }).channel
    const response = await fetch(tinyUrl ?? '', { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, `/channel/${id}`])
  })

  test.each(['zzzzzzzz', 'ZZ', '-1', '%27'])('the short link %s gets 404', async (code) => {
    expect((await call(app, 'GET', `/t/${code}`)).status).toBe(404)
  })

  test('a user’s token creates a channel of that user', async () => {
    const fields = {
      ...PASSWORD_GRANT,
      client_id: NEWSROOM_CLIENT.clientId,
      client_secret: NEWSROOM_CLIENT.clientSecret,
      username: NEWSROOM.username,
      password: NEWSROOM.password,
    }
    const { body } = await askForToken(app, fields, { authorization: basic(NEWSROOM_CLIENT) })
    const { json } = await create({ form: { title: 'Of the newsroom' }, token: String(body.access_token) })
    const { id } = (json as { channel: Record<string, string> }).channel
    expect((await call(app, 'GET', `/channels/${id}/locks/hash.json`, { token })).json).toMatchObject({
      error: 'lack_of_ownership',
    })
  })

  test.each([
    ['Käse & Brötchen', 'kase-brotchen'],
    ['  --Hello,   World!-- ', 'hello-world'],
    ['<script>alert(1)</script>', 'script-alert-1-script'],
    ['../../etc/passwd', 'etc-passwd'],
  ])('the url is a slug of the title %j', async (title, url) => {
    expect((await create({ form: { title } })).json).toMatchObject({ channel: { title, url } })
  })

  test('the url of a title without Latin letters holds the id', async () => {
    const { json } = await create({ form: { title: '東京の空' } })
    const { id, url, title } = (json as { channel: Record<string, string> }).channel
    expect([title, url]).toEqual(['東京の空', `channel-${id}`])
  })

  test('channels with the same title get different urls', async () => {
    const urls = await Promise.all([1, 2, 3].map(async () => (await create({ form: { title: 'Twice' } })).json))
    expect(new Set(urls.map((json) => (json as { channel: { url: string } }).channel.url)).size).toBe(3)
  })

  test.each([
    ['no body', {}],
    ['no title', { form: { name: 'x' } }],
    ['an empty title', { form: { title: '' } }],
    ['a blank title', { form: { title: '   ' } }],
    ['a title of 256 characters', { form: { title: 'x'.repeat(256) } }],
    ['a line break', { form: { title: 'a\nb' } }],
    ['NUL', { form: { title: 'a\0b' } }],
    ['half a character', { json: { title: '\ud800' } }],
    ['bytes that are not UTF-8', { form: 'title=%FF%FE' }],
    ['a repeated title', { form: 'title=a&title=b' }],
    ['a number in JSON', { json: { title: 7 } }],
    ['null in JSON', { json: { title: null } }],
    ['an object in JSON', { json: { title: { a: 1 } } }],
    ['an array as JSON', { json: ['title'] }],
    ['a text as JSON', { json: 'title' }],
    ['broken JSON', { form: '{"title":', headers: { 'content-type': 'application/json' } }],
    ['JSON that is not UTF-8', { form: '', json: undefined, headers: { 'content-type': 'application/json' } }],
  ] as [string, RestRequest][])('a channel creation with %s gets invalid_request', async (_case, request) => {
    const { status, json } = await create(request)
    expect([status, json]).toEqual([400, { error: 'invalid_request', error_description: expect.any(String) }])
  })

  test.each(['PUT', 'DELETE', 'PATCH'])('/users/self/channels.json answers %s with 405 and Allow', async (method) => {
    const { status, headers, json } = await call(app, method, PATH, { token })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect(json).toMatchObject({ error: 'invalid_request' })
  })

  test.each(['/users/self/channels.xml', '/videos/2001/locks/hash.xml', '/channels/1001/nothing.xml'])(
    'the unknown path %s gets not_found in XML',
    async (path) => {
      const { status, xml, headers } = await call(app, 'GET', path, { token })
      expect([status, xml]).toMatchObject([404, { response: { error: 'not_found' } }])
      expect(headers.get('content-type')).toBe('application/xml; charset=utf-8')
    },
  )

  test('a read-only database gets 503 in JSON, and no channel is left behind', async () => {
    app.database.exec('PRAGMA query_only = ON')
    const { status, json } = await create({ form: { title: 'Lost' } })
    app.database.exec('PRAGMA query_only = OFF')
    expect([status, json]).toMatchObject([503, { error: 'server_error' }])
    expect((await create({ form: { title: 'Found' } })).status).toBe(201)
    expect((await call(app, 'GET', PATH, { token })).text).not.toContain('Lost')
  })
})

describe('The list of the user’s channels', () => {
  test('the list of channels holds the created records, and none of another user', async () => {
    const { json: created } = await create({ form: { title: 'Listed' } })
    const { status, json } = await call(app, 'GET', PATH, { token })
    expect(status).toBe(200)
    const { channels } = json as { channels: { title: string }[] }
    expect(channels).toContainEqual((created as { channel: unknown }).channel)
    expect(channels.map(({ title }) => title)).not.toContain('News')
  })

  test('the list has pages with links, and a search in the titles', async () => {
    for (const title of ['Paged one', 'Paged two', 'Paged three']) await create({ form: { title } })
    const { json } = await call(app, 'GET', `${PATH}?q=Paged&pagesize=2`, { token })
    const first = json as { channels: { title: string }[]; paging: Record<string, { href: string }> }
    expect(first.channels.map(({ title }) => title)).toEqual(['Paged one', 'Paged two'])
    expect(Object.keys(first.paging)).toEqual(['actual', 'next'])
    const { pathname, search } = new URL(first.paging.next?.href ?? '')
    const { json: second } = await call(app, 'GET', pathname + search, { token })
    expect(second).toMatchObject({ channels: [{ title: 'Paged three' }], paging: { previous: {} } })
    expect(second).not.toHaveProperty('paging.next')
    expect((await call(app, 'GET', `${PATH}?p=0`, { token })).status).toBe(400)
  })
})
