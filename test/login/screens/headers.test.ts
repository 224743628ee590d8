import { describe, expect, test } from 'vitest'
import { OverloadedError } from '../../../src/errors.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt, PLAYER } from '../entry-point.ts'
import { STORE_DOWN } from '../memory-users.ts'
import { ADA, type Answer, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

const LOCALHOST = 'http://localhost:3000'
const FOREIGN = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
const NAVIGATION = { 'Sec-Fetch-Dest': 'iframe' }
const HTML = 'text/html; charset=utf-8'

interface Expected {
  readonly formTo?: string
  readonly framedBy?: string
  readonly hasScript?: boolean
  readonly others?: Readonly<Record<string, string>>
}

const TLS_ONLY = { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }
const SCREEN_OF_PLAYER = { formTo: ` ${PLAYER}`, framedBy: `${PLAYER} https://customer.example` }
const SIGN_IN_SCREEN = { ...SCREEN_OF_PLAYER, hasScript: true }
const SCREEN_LEADING_NOWHERE = { formTo: '', framedBy: `${PLAYER} https://customer.example` }
const CLOSED = { formTo: '', framedBy: "'none'" }

/** Compares all headers except the ones for time, length and redirect. */
function expectHeaders(answer: Answer, isTls: boolean, expected: Expected) {
  const { formTo = '', framedBy = "'none'", hasScript = false, others = {} } = expected
  const policy = [
    "default-src 'none'",
    ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action 'self'${formTo}`,
    `frame-ancestors ${framedBy}`,
    ...(isTls ? ['upgrade-insecure-requests'] : []),
  ]
  const {
    date: _date,
    connection: _connection,
    location: _location,
    'content-length': length,
    ...headers
  } = answer.headers
  expect(headers).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': policy.join(';'),
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    ...(isTls ? TLS_ONLY : {}),
    ...others,
  })
  expect(length).toMatch(/^\d+$/)
}

async function cookieOf(app: LoginApp): Promise<{ Cookie: string }> {
  const { setCookies } = await app.post('/sign-in', ADA)
  return { Cookie: (setCookies[0] ?? '').split(';')[0] ?? '' }
}

async function spentTries(app: LoginApp): Promise<Answer> {
  const tries = Array.from({ length: 8 }, () => app.post('/sign-in', { ...ADA, password: 'wrong' }))
  return (await Promise.all(tries)).find(({ status }) => status === 429) ?? expect.unreachable('no try was refused')
}

async function withStore(error: unknown, app: LoginApp): Promise<Answer> {
  app.users.fail(error)
  return await app.post('/sign-in', ADA)
}

async function loop(app: LoginApp): Promise<Answer> {
  const cookie = await cookieOf(app)
  await app.get('/', cookie)
  await app.get('/', cookie)
  return await app.get('/', cookie)
}

type Case = readonly [string, number, (app: LoginApp) => Promise<Answer>, Expected]

const PAGE = { others: { 'content-type': HTML } }
const CASES: readonly Case[] = [
  ['the sign-in screen', 200, (app) => app.get('/'), { ...SIGN_IN_SCREEN, ...PAGE }],
  ['a HEAD request for the sign-in screen', 200, (app) => app.send('HEAD', '/'), { ...SIGN_IN_SCREEN, ...PAGE }],
  [
    'the screen for a consumer',
    200,
    (app) => app.get(`/?${formOf({ hashConsumer: CONSUMER })}`),
    { ...SIGN_IN_SCREEN, formTo: ' https://chat.example', ...PAGE },
  ],
  ['the redirect after a sign-in', 303, (app) => app.post('/sign-in', ADA), SCREEN_OF_PLAYER],
  [
    'the redirect of a returning viewer',
    303,
    async (app) => app.get('/', { ...(await cookieOf(app)), ...NAVIGATION }),
    SCREEN_OF_PLAYER,
  ],
  ['the redirect after a cancel', 303, (app) => app.post('/cancel', ''), SCREEN_OF_PLAYER],
  [
    'the redirect after signing out',
    303,
    async (app) => app.post('/sign-out', '', await cookieOf(app)),
    SCREEN_OF_PLAYER,
  ],
  [
    'the redirect to a consumer',
    303,
    (app) => app.post('/sign-in', { ...ADA, hashConsumer: CONSUMER }),
    { ...SCREEN_OF_PLAYER, formTo: ' https://chat.example' },
  ],
  ['an empty form', 400, (app) => app.post('/sign-in', 'username=&password='), { ...SIGN_IN_SCREEN, ...PAGE }],
  ['a consumer that is not allowed', 400, (app) => app.get('/?hashConsumer=x'), { ...SCREEN_LEADING_NOWHERE, ...PAGE }],
  ['a wrong password', 401, (app) => app.post('/sign-in', { ...ADA, password: 'x' }), { ...SIGN_IN_SCREEN, ...PAGE }],
  [
    'a wrong password on the way to a consumer',
    401,
    (app) => app.post('/sign-in', { ...ADA, password: 'x', hashConsumer: CONSUMER }),
    { ...SIGN_IN_SCREEN, formTo: ' https://chat.example', ...PAGE },
  ],
  ['a post from another site', 403, (app) => app.post('/sign-in', ADA, FOREIGN), { ...SIGN_IN_SCREEN, ...PAGE }],
  [
    'an attribute that cannot be sent',
    403,
    (app) => {
      app.users.add('a|b', 'pw')
      return app.post('/sign-in', { username: 'a|b', password: 'pw' })
    },
    { ...SCREEN_OF_PLAYER, ...PAGE },
  ],
  ['a page that does not exist', 404, (app) => app.get('/nowhere'), { ...CLOSED, ...PAGE }],
  [
    'a method that the screen does not take',
    405,
    (app) => app.send('DELETE', '/'),
    { ...SCREEN_LEADING_NOWHERE, others: { 'content-type': HTML, allow: 'GET, HEAD' } },
  ],
  [
    'a GET request for the address of a form',
    405,
    (app) => app.get('/sign-in'),
    { ...SCREEN_LEADING_NOWHERE, others: { 'content-type': HTML, allow: 'POST' } },
  ],
  ['a redirect loop', 409, loop, { ...SCREEN_OF_PLAYER, ...PAGE }],
  ['a form of 1 MB', 413, (app) => app.post('/sign-in', 'x'.repeat(1_000_000)), { ...SCREEN_OF_PLAYER, ...PAGE }],
  ['a body that is not a form', 415, (app) => app.post('/sign-in'), { ...SCREEN_LEADING_NOWHERE, ...PAGE }],
  [
    'too many failed sign-ins',
    429,
    spentTries,
    { ...SIGN_IN_SCREEN, others: { 'content-type': HTML, 'retry-after': '1' } },
  ],
  ['an exception', 500, (app) => withStore(new Error('x'), app), { ...SIGN_IN_SCREEN, ...PAGE }],
  [
    'a user store that is down',
    503,
    (app) => withStore(STORE_DOWN, app),
    { ...SIGN_IN_SCREEN, others: { 'content-type': HTML, 'retry-after': '30' } },
  ],
  [
    'an overloaded user store',
    503,
    (app) => withStore(new OverloadedError('x', 2), app),
    { ...SIGN_IN_SCREEN, others: { 'content-type': HTML, 'retry-after': '2' } },
  ],
  [
    'a user store that is down when a viewer returns',
    503,
    async (app) => {
      const cookie = await cookieOf(app)
      app.users.fail(STORE_DOWN)
      return await app.get('/', cookie)
    },
    { ...SCREEN_OF_PLAYER, others: { 'content-type': HTML, 'retry-after': '30' } },
  ],
  [
    'the liveness check',
    200,
    (app) => app.get('/health/live'),
    { ...CLOSED, others: { 'content-type': 'application/json; charset=utf-8' } },
  ],
  [
    'a failed readiness check',
    503,
    (app) => {
      app.users.fail(STORE_DOWN)
      return app.get('/health/ready')
    },
    { ...CLOSED, others: { 'content-type': 'application/json; charset=utf-8' } },
  ],
]

describe.each([
  ['https', 'https://login.example', true],
  ['http on localhost', LOCALHOST, false],
])('headers over %s', (scheme, publicUrl, isTls) => {
  test.each(CASES)(
    `over ${scheme}, exactly the expected headers come with %s (status %i)`,
    async (_case, status, ask, expected) => {
      const app = await startLoginApp({ publicUrl })
      const answer = await ask(app)
      expect(answer.status).toBe(status)
      expectHeaders(answer, isTls, expected)
    },
  )
})

describe('what may frame a screen, and where its forms may lead', () => {
  const secondPlayer = 'https://second.example'
  const entryPoints = [
    entryPointAt('first'),
    {
      ...ENTRY_POINT,
      name: 'second',
      basePath: '/e/second',
      playerOrigins: [secondPlayer],
      playerAddress: { url: `${secondPlayer}:8443/pass`, origin: `${secondPlayer}:8443` },
      consumers: [],
    },
  ]

  test('the policy of a screen names only the addresses of its entry point', async () => {
    const app = await startLoginApp({ entryPoints })
    for (const path of ['/e/second', '/e/second/sign-in']) {
      const answer = path.endsWith('sign-in') ? await app.post(path, { ...ADA, password: 'x' }) : await app.get(path)
      expectHeaders(answer, true, { formTo: ` ${secondPlayer}:8443`, framedBy: secondPlayer, hasScript: true, ...PAGE })
    }
    expectHeaders(await app.get('/e/first'), true, { ...SIGN_IN_SCREEN, ...PAGE })
    expectHeaders(await app.get('/'), true, { ...CLOSED, ...PAGE })
  })

  test('the policy leaves out the default port of an address', async () => {
    const app = await startLoginApp()
    const answer = await app.get(`/?${formOf({ hashConsumer: 'https://chat.example:443/customer/' })}`)
    expectHeaders(answer, true, { ...SIGN_IN_SCREEN, formTo: ' https://chat.example', ...PAGE })
  })
})

test('an entry point without the script allows none', async () => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, hasScript: false }] })
  for (const answer of [await app.get('/'), await app.post('/sign-in', { ...ADA, password: 'x' })]) {
    expectHeaders(answer, true, { ...SCREEN_OF_PLAYER, ...PAGE })
    expect(answer.text).not.toMatch(/<script|data-/)
  }
})

test('forwarding headers of a client change neither headers nor cookie', async () => {
  const app = await startLoginApp({ trustProxyHops: 1 })
  const claims = {
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-For': '192.0.2.1',
    Forwarded: 'proto=http;host=evil.example',
    Host: 'evil.example',
  }
  const answer = await app.post('/sign-in', ADA, claims)
  expectHeaders(answer, true, SCREEN_OF_PLAYER)
  expect(answer.setCookies[0]).toMatch(/^__Host-viewer=/)
  const { text } = await app.get('/', claims)
  expect(text).not.toContain('evil.example')
})
