import { expect, test } from 'vitest'
import { entryPointAt, PLAYER } from '../../login/entry-point.ts'
import { cookieIn, idIn } from '../../login/signed-in.ts'
import { withSso } from './entry-point.ts'
import {
  cookiesOf,
  fieldOf,
  finishWindow,
  openWindow,
  pressContinue,
  refreshOf,
  type SsoApp,
  signIn,
  startHeaders,
  startSso,
  visitProvider,
} from './start-sso.ts'

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]
const outcomesOf = (app: SsoApp) => app.lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))

test('an SSO viewer gets a response in the frame, and a session', async () => {
  const app = await startSso()
  const answer = await signIn(app)
  expect(answer.status).toBe(303)
  expect(answer.location).toMatch(
    `${PLAYER}/embed/hashlock/pass?keep=a%20b&hash=%5B%7B%22user%22%3A%22ada%40example.com`,
  )
  const again = await app.get('/', { Cookie: cookiesOf(answer) })
  expect(again.status).toBe(303)
  expect(outcomesOf(app)).toEqual(['sso-started', 'sso-signed-in', 'signed-in', 'returned'])
  const [, , line] = app.lines.filter(({ event }) => event === 'sign-in')
  expect(line).toMatchObject({ viewer: 'ada@example.com', issuer: app.provider.issuer, subject: 'ada' })
})

test('the tokens of the provider reach neither the browser nor the store of sign-ins', async () => {
  const tokens: string[] = []
  const records: unknown[] = []
  const app = await startSso({
    provider: {
      changeAnswer(answer, path) {
        if (path === '/token') tokens.push(String(answer.id_token), String(answer.access_token))
        return answer
      },
    },
    changeSso: (sso) => ({
      ...sso,
      flows: {
        ...sso.flows,
        put(kind, key, record) {
          records.push(record)
          return sso.flows.put(kind, key, record)
        },
      },
    }),
  })
  const window = await openWindow(app)
  const answers = [await finishWindow(app, window), await pressContinue(app, window)]
  expect([tokens.length, records.length, answers.at(-1)?.status]).toEqual([2, 2, 303])
  const sent = JSON.stringify([answers, records])
  expect(tokens.filter((token) => sent.includes(token))).toEqual([])
})

test('the log contains neither state nor code nor a secret of the frame', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = await visitProvider(window.address)
  await app.get(callback, { Cookie: window.cookie })
  await pressContinue(app, window)
  const log = JSON.stringify(app.lines)
  const { searchParams } = new URL(callback, app.origin)
  for (const name of ['state', 'code']) expect(log).not.toContain(searchParams.get(name))
  for (const secret of [window.wait, window.flow, window.cookie.split('=')[1] ?? '?']) expect(log).not.toContain(secret)
})

test('the window gets 200 with Refresh, a cookie for itself, and no Cross-Origin-Opener-Policy', async () => {
  const app = await startSso()
  const screen = await app.get('/')
  const { status, headers, setCookies, text } = await app.post(
    '/sso/start',
    { flow: fieldOf(screen, 'flow') },
    startHeaders(app),
  )
  expect(status).toBe(200)
  expect(headers.refresh).toMatch(`0; url=${app.provider.issuer}/auth?`)
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(headers['cache-control']).toBe('no-store')
  expect(headers).not.toHaveProperty('cross-origin-opener-policy')
  expect(setCookies).toHaveLength(1)
  expect(setCookies[0]).toMatch(/^sso-[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
  expect(text).toContain('href="http')
})

test('the authorization request has a state, a nonce and PKCE, and asks for another account only if the viewer does', async () => {
  const app = await startSso()
  const names = ['state', 'nonce', 'code_challenge']
  await finishWindow(app, await openWindow(app))
  const first = app.provider.lastRequest()
  expect(names.every((name) => (first.get(name)?.length ?? 0) >= 43)).toBe(true)
  expect(Object.fromEntries(first)).toMatchObject({
    response_type: 'code',
    response_mode: 'query',
    code_challenge_method: 'S256',
    redirect_uri: `${app.origin}/sso/callback`,
    scope: 'openid profile email',
  })
  expect(first.get('prompt')).toBeNull()
  const screen = await app.get('/?prompt=login')
  const fields = { flow: fieldOf(screen, 'flow'), account: fieldOf(screen, 'account') }
  const second = new URL(refreshOf(await app.post('/sso/start', fields, startHeaders(app)))).searchParams
  expect(second.get('prompt')).toBe('select_account')
})

test.each([
  ['without an origin', { 'Sec-Fetch-Site': 'same-origin' }],
  ['from an opaque origin', { Origin: 'null' }],
  ['from another site', { Origin: 'https://evil.example' }],
  ['from another port', { Origin: 'http://localhost:1' }],
  ['into a frame', { Origin: 'OWN', 'Sec-Fetch-Dest': 'iframe' }],
])('a start %s is refused', async (_case, headers) => {
  const app = await startSso()
  const flow = fieldOf(await app.get('/'), 'flow')
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', app.origin)]),
  )
  const answer = await app.post('/sso/start', { flow }, own)
  expect([answer.status, reasonOf(answer), answer.setCookies]).toEqual([403, 'not-from-own-page', []])
})

test('a start from our own form passes, whatever Sec-Fetch-Site says: WebKit says cross-site', async () => {
  const app = await startSso()
  const flow = fieldOf(await app.get('/'), 'flow')
  const answer = await app.post('/sso/start', { flow }, { Origin: app.origin, 'Sec-Fetch-Site': 'cross-site' })
  expect(answer.status).toBe(200)
})

test('a link can neither start a sign-in nor collect one', async () => {
  const app = await startSso()
  for (const path of ['/sso/start', '/sso/continue', '/sso/status']) {
    const answer = await app.get(path)
    expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, 'POST'])
  }
  expect((await app.send('HEAD', '/sso/callback')).status).toBe(405)
})

test('a callback without the cookie of its window is refused, and uses up the sign-in', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = await visitProvider(window.address)
  const lured = await app.get(callback)
  expect([lured.status, reasonOf(lured)]).toEqual([400, 'no-cookie'])
  const again = await app.get(callback, { Cookie: window.cookie })
  expect([again.status, reasonOf(again)]).toEqual([400, 'expired'])
  expect(reasonOf(await pressContinue(app, window))).toBe('no-cookie')
})

test('the cookie of another window does not help', async () => {
  const app = await startSso()
  const victim = await openWindow(app)
  const attacker = await openWindow(app)
  const callback = await visitProvider(victim.address)
  const [name] = victim.cookie.split('=')
  const cookie = `${name}=${attacker.cookie.split('=')[1]}`
  expect(reasonOf(await app.get(callback, { Cookie: cookie }))).toBe('no-cookie')
})

test('an answer without an issuer is refused if the provider promises one', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const callback = new URL(await visitProvider(window.address), app.origin)
  callback.searchParams.delete('iss')
  const answer = await app.get(`${callback.pathname}${callback.search}`, { Cookie: window.cookie })
  expect(reasonOf(answer)).toBe('invalid')
  expect(reasonOf(await pressContinue(app, window))).toBe('invalid')
})

test('only the secret of the frame collects the result, once', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  await finishWindow(app, window)
  expect((await pressContinue(app, { wait: window.flow })).status).toBe(409)
  expect((await pressContinue(app, window)).status).toBe(303)
  expect((await pressContinue(app, window)).status).toBe(409)
})

test('the form of the button sent twice begins two sign-ins, and each of them signs in', async () => {
  const app = await startSso()
  for (const last of [0, 1]) {
    const { wait, flow } = await openWindow(app)
    const start = async () => {
      const started = await app.post('/sso/start', { flow }, startHeaders(app))
      return { wait, flow, cookie: cookiesOf(started), address: refreshOf(started) }
    }
    const both = await Promise.all([start(), start()])
    const window = both[last] ?? expect.unreachable()
    expect((await finishWindow(app, window)).status).toBe(200)
    expect((await pressContinue(app, window)).status).toBe(303)
  }
})

test('the form of the frame sent twice starts one session, and a text of another page opens nothing', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const page = fieldOf(await pressContinue(app, window), 'page')
  await finishWindow(app, window)
  const press = (fields: object) => pressContinue(app, window, '', fields)
  const both = await Promise.all([press({ page }), press({ page })])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(new Set(both.map((answer) => idIn(cookieIn(answer)))).size).toBe(1)
  const others = [{}, { page: 'x'.repeat(16) }, { page, ustreamContentId: '7' }]
  for (const fields of others) expect((await press(fields)).status).toBe(409)
})

test('a frame that comes too early keeps its secret, and the screen says why', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const early = await pressContinue(app, window)
  expect([early.status, reasonOf(early), fieldOf(early, 'wait')]).toEqual([409, 'sso-not-yet', window.wait])
  await finishWindow(app, window)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('a continue from another site is refused, and leaves the result', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  await finishWindow(app, window)
  const foreign = await app.post('/sso/continue', { wait: window.wait }, { 'Sec-Fetch-Site': 'cross-site' })
  expect(foreign.status).toBe(403)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('the script of the frame learns when the result is there, and leaves it', async () => {
  const app = await startSso()
  const window = await openWindow(app)
  const ask = (site: string) => app.post('/sso/status', { wait: window.wait }, { 'Sec-Fetch-Site': site })
  expect((await ask('same-origin')).text).toBe('{"status":"waiting"}')
  await finishWindow(app, window)
  expect((await ask('same-origin')).text).toBe('{"status":"ready"}')
  expect((await ask('cross-site')).status).toBe(403)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('a result counts only at the entry point where the sign-in began', async () => {
  const app = await startSso({
    entryPointsWith: (sso) => ['one', 'two'].map((name) => withSso(sso, entryPointAt(name))),
  })
  const window = await openWindow(app, '/e/one')
  await finishWindow(app, window)
  expect((await pressContinue(app, window, '/e/two')).status).toBe(409)
  expect((await signIn(app, '/e/one')).status).toBe(303)
})

test('the access policy decides with the groups of the provider', async () => {
  const app = await startSso({ entryPoint: { allowedGroups: ['gold'] } })
  expect((await signIn(app)).status).toBe(303)
  app.provider.accounts.set('ada', { preferred_username: 'ada@example.com', groups: ['silver'] })
  const refused = await signIn(app)
  expect([refused.status, reasonOf(refused), refused.setCookies]).toEqual([403, 'not-entitled', []])
  const reason = 'groups: ["silver"] of 1'
  expect(app.lines).toContainEqual(expect.objectContaining({ outcome: 'not-entitled', reason }))
  const groups = Array.from({ length: 900 }, (_, index) => `${index} ${'x'.repeat(200)}`)
  app.provider.accounts.set('ada', { preferred_username: 'ada@example.com', groups })
  await signIn(app)
  const lines = app.lines.filter(({ outcome }) => outcome === 'not-entitled')
  expect(lines.map((line) => String(line.reason).length <= 520)).toEqual([true, true])
})

test('a user name with "|" gets no hash', async () => {
  const app = await startSso()
  app.provider.accounts.set('ada', { preferred_username: 'ada|1900000000' })
  const refused = await signIn(app)
  expect([refused.status, reasonOf(refused), refused.setCookies]).toEqual([403, 'unusable-attribute', []])
})

test('hashConsumer is checked again, and gets the response', async () => {
  const app = await startSso()
  const consumer = 'https://chat.example/customer/7'
  expect((await signIn(app, '', { hashConsumer: consumer })).location).toMatch(`${consumer}?hash=`)
  expect((await signIn(app, '', { hashConsumer: 'https://evil.example/' })).status).toBe(400)
})

test('with SSO_ONLY there is no password form, and no password is accepted', async () => {
  const app = await startSso({ settings: { isOnly: true } })
  expect((await app.get('/')).text).not.toContain('password')
  const answer = await app.post('/sign-in', { username: 'ada@example.com', password: 'PASSWORDMARKER correct horse' })
  expect(answer.status).toBe(404)
})

test('without single sign-on, its addresses do not exist', async () => {
  const app = await startSso({ entryPointsWith: (sso) => [withSso(sso, entryPointAt('sso')), entryPointAt('plain')] })
  const posts = await Promise.all(['start', 'continue', 'status'].map((name) => app.post(`/e/plain/sso/${name}`, '')))
  expect(posts.map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await app.get('/e/plain')).text).not.toContain('sso')
})
