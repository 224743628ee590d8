import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createDoor } from '../../../src/tools/manager/door/door.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type Browser, startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
const ONE = `/people/one/${encodeURIComponent(ADA)}`
const GOLD = { ...ENTRY_POINT, name: 'gold', allowedGroups: ['gold'] }
const SILVER = { ...ENTRY_POINT, name: 'silver', allowedGroups: ['silver'] }

async function withAda(groups: readonly string[] = []) {
  const manager = await startManager({ entryPoints: [GOLD, SILVER] })
  await manager.users.add({ username: ADA, groups, attributes: {} }, null)
  return manager
}

const POSTS = [
  '/people/add',
  '/people/many',
  '/people/invite',
  '/people/import',
  '/people/import/confirm',
  '/people/import/cancel',
  ...['edit', 'disable', 'enable', 'end-sessions', 'put-out', 'remove', 'forget'].map((act) => `${ONE}/${act}`),
]
const EDITOR_PAGES = ['/people/add', '/people/many?work=remove&all=on', '/people/import', `${ONE}/remove`]
const PAGES = ['/evening', '/people', ONE, '/acts', '/account', '/after']

test.each(['help-desk', 'reader'] as const)('a %s changes nothing, at any address', async (role) => {
  const manager = await withAda()
  const browser = await manager.signedIn(role)
  await browser.get('/account')
  for (const path of POSTS)
    expect([path, (await browser.post(path, { username: 'x', work: 'remove', all: 'on', count: '1' })).status]).toEqual(
      [path, 403],
    )
  // A help desk also sends links for passwords.
  const sent = await browser.post(`${ONE}/send-link`)
  expect(sent.status).toBe(role === 'help-desk' ? 303 : 403)
  for (const path of EDITOR_PAGES) expect([path, (await browser.get(path)).status]).toEqual([path, 403])
  expect((await manager.users.show(ADA)).ok).toBe(true)
  for (const path of PAGES) expect([path, (await browser.get(path)).status]).toEqual([path, 200])
})

test('a help desk lets a person in again, and a reader does not', async () => {
  const manager = await withAda()
  const desk = await manager.signedIn('help-desk')
  await desk.get('/account')
  expect((await desk.post(`${ONE}/unlock`)).status).toBe(303)
  const reader = await manager.signedIn('reader')
  await reader.get('/account')
  expect((await reader.post(`${ONE}/unlock`)).status).toBe(403)
  expect((await reader.post('/evening/unlock-address', { address: '192.0.2.1' })).status).toBe(403)
})

test.each([...PAGES, '/', '/evening/stream', '/people/import/preview'])(
  '%s without a session leads to the sign-in',
  async (path) => {
    const manager = await withAda()
    expect(await manager.browser().get(path)).toMatchObject({ status: 303, location: '/sign-in' })
  },
)

test('a post without a session changes nothing', async () => {
  const manager = await withAda()
  for (const path of POSTS) expect((await manager.browser().post(path)).location).toBe('/sign-in')
  expect(await manager.users.show(ADA)).toMatchObject({ ok: true, viewer: { disabled: false } })
})

test.each([
  ['no token', { token: '' }, {}],
  ['the token of another session', { token: 'x'.repeat(43) }, {}],
  ['a page of another site', {}, { 'Sec-Fetch-Site': 'cross-site' }],
  ['the login app on the same host', {}, { 'Sec-Fetch-Site': 'same-site' }],
  ['another origin in an old browser', {}, { Origin: 'https://evil.example' }],
  ['a sandboxed frame', {}, { Origin: 'null' }],
] as const)('a form with %s is refused', async (_name, fields, headers) => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/account')
  expect((await browser.post(`${ONE}/remove`, fields, headers)).status).toBe(403)
  expect((await manager.users.show(ADA)).ok).toBe(true)
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'viewer-removed-refused', viewer: ADA })
})

test('the token of one manager is of no use to another', async () => {
  const manager = await withAda()
  const eve = await manager.signedIn()
  const joe = await manager.signedIn('event-manager', null, 'joe@example.com')
  await eve.get('/account')
  await joe.get('/account')
  expect((await joe.post(`${ONE}/remove`, { token: eve.token() })).status).toBe(403)
})

test('nothing is done by GET', async () => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  for (const path of POSTS) await browser.get(`${path}?username=x&work=remove&all=on&count=1&token=${browser.token()}`)
  expect(await manager.users.show(ADA)).toMatchObject({ ok: true, viewer: { disabled: false } })
  expect(await manager.users.count({ text: '', group: '', state: 'all', oneOf: null })).toBe(1)
})

test('a route without a role, and a post without an act, stop the start', () => {
  const route = {
    method: 'get',
    path: '/',
    roles: [],
    handle: () => ({ kind: 'redirect', to: '/' }),
  } as const
  expect(() => createDoor({ routes: [route] } as never)).toThrow('has no role')
  expect(() => createDoor({ routes: [{ ...route, method: 'post', roles: ['reader'] }] } as never)).toThrow('has no act')
})

test('no page may be framed, cached or run foreign code', async () => {
  const manager = await startManager({ url: 'https://manager.example.com' })
  for (const path of ['/sign-in', '/people', '/unknown', '/health/live']) {
    const { headers } = await manager.browser().get(path)
    const policy = headers.get('Content-Security-Policy')
    expect([path, policy]).toEqual([path, expect.stringMatching(/default-src 'none';.*frame-ancestors 'none'/)])
    expect(policy).not.toContain('unsafe')
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Strict-Transport-Security')).toContain('max-age=63072000')
  }
})

test('a manager of one entry point sees no viewers of another', async () => {
  const manager = await withAda(['silver'])
  await manager.users.add({ username: 'gold@example.com', groups: ['gold'], attributes: {} }, null)
  const browser = await manager.signedIn('event-manager', ['gold'])
  const { text } = await browser.get('/people')
  expect(text).toContain('gold@example.com')
  expect(text).not.toContain(ADA)
  expect((await browser.get(ONE)).status).toBe(404)
  expect((await browser.get('/people?text=ada&group=silver')).text).not.toContain(`>${ADA}<`)
  for (const act of ['edit', 'disable', 'remove', 'forget', 'unlock', 'put-out', 'end-sessions']) {
    expect([act, (await browser.post(`${ONE}/${act}`)).status]).toEqual([act, 404])
  }
  expect((await manager.users.show(ADA)).ok).toBe(true)
})

test('a manager of one entry point gives no group of another', async () => {
  const manager = await withAda(['silver'])
  const browser = await manager.signedIn('event-manager', ['gold'])
  await browser.get('/people/add')
  expect((await browser.post('/people/add', { username: 'bob@example.com', groups: 'silver' })).status).toBe(400)
  expect((await browser.post('/people/add', { username: 'bob@example.com', groups: 'gold, silver' })).status).toBe(400)
  expect((await browser.post('/people/add', { username: 'bob@example.com', groups: '' })).status).toBe(400)
  expect((await browser.post('/people/add', { username: 'bob@example.com', groups: 'gold' })).status).toBe(303)
  await browser.post('/people/many', { work: 'remove', name: [ADA, 'bob@example.com'], count: '2' })
  await browser.post('/people/many', { work: 'remove', name: [ADA], count: '0' })
  expect((await manager.users.show(ADA)).ok).toBe(true)
})

test('fields that a form does not have change nothing', async () => {
  const manager = await withAda(['gold'])
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  const extra = { password_hash: '$argon2id$x', disabled: 'true', role: 'event-manager', key: 'x', entryPoints: 'null' }
  await browser.post('/people/add', { username: 'bob@example.com', ...extra })
  expect(await manager.users.inspect('bob@example.com')).toMatchObject({
    hasPassword: false,
    viewer: { disabled: false, attributes: {} },
  })
  const reader = await manager.signedIn('reader')
  await reader.get('/account')
  await reader.post('/account', { password: 'x', newPassword: 'y', role: 'event-manager' })
  expect(manager.store.find('reader@example.com')?.role).toBe('reader')
})

test('every act is a line in the log and on the page: who, what, whom, from where', async () => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/account')
  await browser.post(`${ONE}/disable`)
  const line = {
    event: 'manager',
    category: 'security',
    outcome: 'viewer-disabled',
    manager: browser.name,
    role: 'event-manager',
  }
  expect(manager.acts().at(-1)).toMatchObject({ ...line, viewer: ADA, address: '192.0.2.7' })
  const { text } = await browser.get('/acts')
  expect(text).toContain('blocked a person')
  expect(text).toContain(ADA)
})

test('names cannot forge lines of the log or HTML', async () => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  const evil = '<script>alert(1)</script>"\'\n{"event":"manager"}'
  await browser.post('/people/add', { username: evil, groups: '<img src=x onerror=alert(1)>', attributes: 'a=<b>' })
  await browser.get(`/people/one/${encodeURIComponent(evil)}`)
  await browser.post(`/people/one/${encodeURIComponent(evil)}/disable`)
  const html = '<b>x</b>@example.com'
  await browser.post('/people/add', { username: html, groups: '<i>g</i>', attributes: 'a=<u>v</u>' })
  for (const path of [
    '/people',
    `/people/one/${encodeURIComponent(html)}`,
    '/acts',
    `/people?text=${encodeURIComponent(evil)}`,
  ]) {
    const { text } = await browser.get(path)
    expect([path, /<script>|<img|<b>|<i>|<u>/.test(text)]).toEqual([path, false])
  }
  expect(manager.acts().every(({ event }) => event === 'manager')).toBe(true)
})

test('a name that looks like an option is a name', async () => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/account')
  for (const name of ['--all', '--help', '--json', '-x']) {
    await manager.users.add({ username: name, groups: [], attributes: {} }, null)
    const { status, text } = await browser.get(`/people/one/${encodeURIComponent(name)}`)
    expect([name, status, text.includes(`<h1>${name} `)]).toEqual([name, 200, true])
    expect((await browser.post(`/people/one/${encodeURIComponent(name)}/end-sessions`)).status).toBe(303)
  }
  expect(manager.faults).toEqual([])
})

test('a fault of the program shows an id, and neither a file nor a setting', async () => {
  const manager = await startManager({
    env: { SESSION_STORE_URL: 'sqlite:/proc/none/x.db', USER_STORE_URL: 'nonsense:' },
  })
  const browser = await manager.signedIn()
  const { status, text } = await browser.get('/people/one/ada')
  expect(status).toBe(404)
  expect(text).not.toMatch(/_URL|sqlite|\/proc/)
})

test('only a manager who may import has an upload read', async () => {
  const manager = await withAda()
  const large = 'a'.repeat(8_100_000)
  const upload = (browser: Browser) => browser.upload('/people/import', 'x.csv', large)
  expect(await upload(manager.browser())).toMatchObject({ status: 303, location: '/sign-in' })
  const reader = await manager.signedIn('reader')
  await reader.get('/account')
  expect((await upload(reader)).status).toBe(403)
  const editor = await manager.signedIn()
  await editor.get('/people/import')
  expect((await upload(editor)).status).toBe(413)
})

test.each([
  ['an override of the method', {}, { 'X-HTTP-Method-Override': 'POST', 'X-Method-Override': 'POST' }],
  ['a field that overrides the method', { _method: 'POST' }, {}],
])('a GET with %s does nothing', async (_what, fields, headers) => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/account')
  const query = new URLSearchParams({ ...fields, token: browser.token() })
  expect((await browser.get(`${ONE}/disable?${query}`, headers)).status).toBe(404)
  expect(await manager.users.show(ADA)).toMatchObject({ ok: true, viewer: { disabled: false } })
})

test('a token from before the sign-out, and a second session, are of no use', async () => {
  const manager = await withAda()
  const browser = await manager.signedIn()
  await browser.get('/account')
  const token = browser.token()
  const cookies = new Map(browser.cookies)
  await browser.post('/sign-out')
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  expect((await browser.post(`${ONE}/disable`, { token })).location).toBe('/sign-in')
  expect(await manager.users.show(ADA)).toMatchObject({ ok: true, viewer: { disabled: false } })
})

test('the host of a request is in no answer', async () => {
  const manager = await withAda()
  const port = Number(new URL(manager.origin).port)
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }
  for (const path of ['/', '/people', '/sign-in', '//evil.example/people', '/unknown']) {
    const [answer] = await once(request({ port, path, headers }).end(), 'response')
    const all = JSON.stringify(answer.headers) + (await text(answer))
    expect([path, all]).toEqual([path, expect.not.stringContaining('evil.example')])
  }
})
