import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ENTRY_POINT, entryPointAt, PLAYER } from './login/entry-point.ts'
import { STORE_DOWN } from './login/memory-users.ts'
import { expectRefused } from './login/refused-answer.ts'
import { responseOf } from './login/response-of.ts'
import { ADA, startLoginApp } from './login/start-login-app.ts'

/** Sends bytes that no HTTP client would send, and returns the answer. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

test.each(['/health/live', '/health/ready', '/health/address'])(
  '%s answers each GET and HEAD, and refuses other methods',
  async (path) => {
    const app = await startLoginApp()
    expect((await app.send('HEAD', path)).status).toBe(200)
    expect((await app.get(path, { 'If-None-Match': '*' })).status).toBe(200)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await app.send(method, path)
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
  },
)

test('the app is live while the program answers, and ready while the stores answer', async () => {
  const app = await startLoginApp()
  expect(await app.get('/health/live')).toMatchObject({ status: 200, text: '{"status":"live"}' })
  expect(await app.get('/health/ready')).toMatchObject({ status: 200, text: '{"status":"ready"}' })
  app.users.fail(STORE_DOWN)
  expect(await app.get('/health/live')).toMatchObject({ status: 200 })
  expect(await app.get('/health/ready')).toMatchObject({
    status: 503,
    text: '{"status":"unavailable","away":["USER_STORE_URL"]}',
  })
  expect(app.lines).toMatchObject([{ event: 'not-ready', msg: expect.stringContaining('USER_STORE_URL') }])
  app.users.fail(null)
  expect(await app.get('/health/ready')).toMatchObject({ status: 200 })
})

test('a caller sees the address that the limits count, and no other', async () => {
  const headers = { 'X-Forwarded-For': '192.0.2.1' }
  const direct = await startLoginApp()
  expect(await direct.get('/health/address', headers)).toMatchObject({ status: 200, text: '{"address":"127.0.0.1"}' })
  const proxied = await startLoginApp({ trustProxyHops: 1 })
  expect(await proxied.get('/health/address', headers)).toMatchObject({ text: '{"address":"192.0.2.1"}' })
})

test('the app is not ready when the session store is closed', async () => {
  const app = await startLoginApp()
  app.sessionStore.close()
  expect(await app.get('/health/ready')).toMatchObject({
    status: 503,
    text: '{"status":"unavailable","away":["SESSION_STORE_URL"]}',
  })
})

test('a stopping app is not ready, but still accepts sign-ins', async () => {
  let isAccepting = true
  const app = await startLoginApp({ isAccepting: () => isAccepting })
  isAccepting = false
  expect(await app.get('/health/ready')).toMatchObject({ status: 503, text: '{"status":"stopping"}' })
  expect(await app.get('/health/live')).toMatchObject({ status: 200 })
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test('a readiness check does not show the cause of the fault', async () => {
  const app = await startLoginApp()
  app.users.fail(STORE_DOWN)
  expect((await app.get('/health/ready')).text).not.toContain('INTERNAL')
})

test.each([
  ['/', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']],
  ['/sign-in', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']],
  ['/continue', 'POST', ['GET', 'PUT', 'DELETE']],
  ['/cancel', 'POST', ['GET', 'PUT', 'DELETE']],
  ['/sign-out', 'POST', ['GET', 'PUT', 'DELETE']],
])('the path %s accepts only %s', async (path, allowed, refused) => {
  const app = await startLoginApp()
  for (const method of refused) {
    const answer = await app.send(method, path)
    expectRefused(answer, 405)
    expect(answer.headers.allow).toBe(allowed)
  }
  expect((await app.send('HEAD', path)).status).toBe(path === '/' ? 200 : 405)
})

test('a query or header cannot override the method', async () => {
  const app = await startLoginApp()
  const { setCookies } = await app.post('/sign-in', ADA)
  const cookie = (setCookies[0] ?? '').split(';')[0] ?? ''
  for (const path of ['/sign-out?_method=POST', '/sign-in?_method=POST', '/cancel?_method=POST']) {
    expect((await app.get(path, { Cookie: cookie, 'X-HTTP-Method-Override': 'POST' })).status).toBe(405)
  }
  expect((await app.get('/', { Cookie: cookie })).status).toBe(303)
})

test('the app sends no CORS headers to scripts of other origins', async () => {
  const app = await startLoginApp()
  const answer = await app.send('OPTIONS', '/sign-in', { Origin: PLAYER, 'Access-Control-Request-Method': 'POST' })
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test.each([
  [
    'a body with two lengths',
    `POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
  ],
  [
    'a body with a length and chunks',
    `POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['a header folded over two lines', `GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c: d\r\n\r\n`],
  ['a header of 20 kB', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`],
])('%s is refused, and the connection is closed', async (_case, bytes) => {
  const app = await startLoginApp()
  expect(await sendRaw(app.port, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect((await app.get('/')).status).toBe(200)
})

test('an asterisk or an absolute address in place of a path gives 404', async () => {
  const app = await startLoginApp()
  const close = 'Host: a\r\nConnection: close\r\n\r\n'
  expect(await sendRaw(app.port, `OPTIONS * HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 404 /)
  expect(await sendRaw(app.port, `GET http://evil.example/nowhere HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 404 /)
})

describe('entry points', () => {
  const first = entryPointAt('first', { secret: 'FIRSTSECRET-1a2b3c4d5e6f' })
  const second = entryPointAt('second', {
    secret: 'SECONDSECRET-6f5e4d3c2b1a',
    parameters: [
      { name: 'customer', attribute: 'company' },
      { name: 'user', attribute: 'username' },
    ],
    lifetimeSeconds: 0,
    playerAddress: { url: 'https://second.example/pass', origin: 'https://second.example' },
    consumers: [],
    allowedGroups: ['gold'],
  })

  test('each entry point answers with its own secret, parameters, lifetime and address', async () => {
    const app = await startLoginApp({ entryPoints: [first, second] })
    app.users.add('bob', 'pw', { groups: ['gold'], attributes: { company: 'Acme' } })
    const form = { username: 'bob', password: 'pw' }
    expect(responseOf((await app.post('/e/first/sign-in', form)).location, first.secret)).toMatchObject({
      parameters: [['user', 'bob']],
      expiresAtSeconds: expect.any(Number),
    })
    expect(responseOf((await app.post('/e/second/sign-in', form)).location, second.secret)).toEqual({
      address: 'https://second.example/pass',
      parameters: [
        ['customer', 'Acme'],
        ['user', 'bob'],
      ],
      expiresAtSeconds: null,
    })
    expect(app.lines.map(({ entryPoint }) => entryPoint)).toEqual(['first', 'second'])
  })

  test('the groups of one entry point do not open another, not even with a session', async () => {
    const app = await startLoginApp({ entryPoints: [first, second] })
    const eve = { username: 'eve', password: 'pw' }
    app.users.add(eve.username, eve.password, { groups: ['silver'], attributes: { company: 'Acme' } })
    const { setCookies } = await app.post('/e/first/sign-in', eve)
    const cookie = (setCookies[0] ?? '').split(';')[0] ?? ''
    expect((await app.get('/e/first', { Cookie: cookie })).status).toBe(303)
    expectRefused(await app.get('/e/second', { Cookie: cookie }), 403)
    expectRefused(await app.post('/e/second/sign-in', eve), 403)
  })

  test('a consumer of one entry point is refused at another', async () => {
    const app = await startLoginApp({ entryPoints: [first, second] })
    const query = `?hashConsumer=${encodeURIComponent('https://chat.example/customer/')}`
    expect((await app.get(`/e/first${query}`)).status).toBe(200)
    expectRefused(await app.get(`/e/second${query}`), 400)
  })

  test('the screen of an entry point posts to its own paths, and a sign-out leads back to it', async () => {
    const app = await startLoginApp({ entryPoints: [first, second] })
    const { text } = await app.get('/e/second?ustreamContentId=7')
    expect([...text.matchAll(/action="([^"]*)"/g)].map(([, action]) => action)).toEqual([
      '/e/second/sign-in',
      '/e/second/cancel',
    ])
    expect((await app.post('/e/second/cancel', '')).location).toBe('https://second.example/pass?hash=false')
    expect((await app.post('/e/second/sign-out', 'ustreamContentId=7')).location).toBe('/e/second?ustreamContentId=7')
    const named = await app.post('/e/second/sign-in', { ...ADA, password: 'x' })
    expect(named.text).toContain('action="/e/second/sign-in"')
  })

  test('without an entry point named default, "/" gives 404', async () => {
    const app = await startLoginApp({ entryPoints: [first, second] })
    expectRefused(await app.get('/'), 404)
    for (const path of ['/sign-in', '/cancel', '/sign-out']) expectRefused(await app.post(path, ADA), 404)
    for (const path of [
      '/e',
      '/e/',
      '/e/third',
      '/e/firstsecond',
      '/E/first',
      '/e/FIRST',
      '/e/first/x',
      '/e/__proto__',
      '/e/%66irst',
      '/e/%',
      '/e//first',
    ]) {
      expectRefused(await app.get(path), 404)
    }
    expect(app.users.asked).toEqual([])
  })

  test('the entry point named default is served at "/" and "/e/default"', async () => {
    const app = await startLoginApp({ entryPoints: [first, ENTRY_POINT] })
    for (const path of ['/', '/e/default', '/e/first']) expect((await app.get(path)).status).toBe(200)
    for (const path of ['/sign-in', '/e/default/sign-in']) {
      expect(responseOf((await app.post(path, ADA)).location, ENTRY_POINT.secret).address).toBe(
        ENTRY_POINT.playerAddress.url,
      )
    }
  })
})
