import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../login/entry-point.ts'
import { cookieIn, expectScreen, idIn, rowsIn, signIn } from '../login/signed-in.ts'
import { ADA, type LoginApp, SESSION_LIMITS, startLoginApp } from '../login/start-login-app.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

test('the cookie over https is host-only, not readable by scripts, and partitioned', async () => {
  const app = await startLoginApp()
  const { setCookies } = await app.post('/sign-in', ADA)
  expect(setCookies).toEqual([
    expect.stringMatching(
      /^__Host-viewer=s%3A[\w-]{32}\.[^;]+; Max-Age=28800; Path=\/; Expires=[^;]+ GMT; HttpOnly; Secure; Partitioned; SameSite=None$/,
    ),
  ])
})

test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
  'the cookie at %s has another name and the same protection',
  async (publicUrl) => {
    const app = await startLoginApp({ publicUrl })
    const answer = await app.post('/sign-in', ADA)
    expect(answer.setCookies).toEqual([
      expect.stringMatching(
        /^viewer=s%3A[^;]+; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; Secure; Partitioned; SameSite=None$/,
      ),
    ])
    expect((await app.get('/', { Cookie: cookieIn(answer) })).status).toBe(303)
  },
)

test('the cookie ends in the browser when the session ends on the server', async () => {
  const app = await startLoginApp()
  const before = Date.now()
  const { setCookies } = await app.post('/sign-in', ADA)
  expect(setCookies[0]).toContain(`; Max-Age=${SESSION_LIMITS.lifetimeSeconds};`)
  const expires = Date.parse(/Expires=([^;]+)/.exec(setCookies[0] ?? '')?.[1] ?? '')
  const lifetime = (expires - before) / 1000
  expect(lifetime).toBeGreaterThan(SESSION_LIMITS.lifetimeSeconds - 2)
  expect(lifetime).toBeLessThan(SESSION_LIMITS.lifetimeSeconds + 60)
})

test.each([
  ['a wrong password', { ...ADA, password: 'x' }],
  ['an empty form', { username: '', password: '' }],
  ['a disabled viewer', { username: 'off', password: 'pw' }],
  ['a viewer who may not watch', { username: 'poor', password: 'pw' }],
])('no cookie is set for %s', async (_case, form) => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file, entryPoints: [{ ...ENTRY_POINT, allowedGroups: ['gold'] }] })
  app.users.add('off', 'pw', { groups: ['gold'] })
  app.users.disable('off')
  app.users.add('poor', 'pw')
  expect((await app.post('/sign-in', form)).setCookies).toEqual([])
  expect(rowsIn(file)).toEqual([])
})

test('no cookie or session is created for 200 screens', async () => {
  const file = join(temporaryFolder(), 'sessions.db')
  const app = await startLoginApp({ sessionFile: file })
  for (let visit = 0; visit < 200; visit += 1) {
    const headers = visit % 2 === 0 ? {} : { Cookie: `__Host-viewer=s%3A${visit}.forged` }
    expect((await app.get('/', headers)).setCookies).toEqual([])
  }
  expect(rowsIn(file)).toEqual([])
})

test('a cookie with a changed id, signature or form opens no session', async () => {
  const app = await startLoginApp()
  const cookie = await signIn(app)
  const id = idIn(cookie)
  for (const Cookie of [
    cookie.replace(id.slice(0, 3), 'AAA'),
    cookie.slice(0, -1),
    `${cookie}A`,
    `__Host-viewer=${id}`,
    `__Host-viewer=s%3A${id}.`,
    `__Host-viewer=s%3A${id}`,
    '__Host-viewer=',
    '__Host-viewer=%ff',
    `viewer=${cookie.split('=')[1]}`,
    `x__Host-viewer=${cookie.split('=')[1]}`,
    `__Host-viewer=s%3A${'x'.repeat(4000)}.y`,
    `__Host-viewer=j%3A%7B%22viewer%22%3A1%7D`,
  ]) {
    expectScreen(await app.get('/', { Cookie }))
  }
  expect((await app.get('/', { Cookie: `a=b; ${cookie}; c=d` })).status).toBe(303)
})

test('a cookie is accepted only while its session secret is configured', async () => {
  const sessionFile = join(temporaryFolder(), 'sessions.db')
  const old = await startLoginApp({ sessionFile, sessionSecrets: ['old secret'] })
  const cookie = await signIn(old)
  const both = await startLoginApp({ sessionFile, sessionSecrets: ['new secret', 'old secret'] })
  expect((await both.get('/', { Cookie: cookie })).status).toBe(303)
  const renewed = await signIn(both)
  const next = await startLoginApp({ sessionFile, sessionSecrets: ['new secret'] })
  expectScreen(await next.get('/', { Cookie: cookie }))
  expect((await next.get('/', { Cookie: renewed })).status).toBe(303)
})

test('a viewer stays signed in while two copies change their session secret one after another', async () => {
  const sessionFile = join(temporaryFolder(), 'sessions.db')
  const copy = (...sessionSecrets: string[]) => startLoginApp({ sessionFile, sessionSecrets })
  // The steps in src/sessions/README.md. Each pair of copies runs at the same time.
  const steps = [['old'], ['old', 'new'], ['new', 'old']]
  const copies: LoginApp[] = []
  for (const secrets of steps) copies.push(await copy(...secrets))
  for (const [index, one] of copies.entries()) {
    const cookie = await signIn(one)
    const beside = [copies[index - 1], copies[index + 1]].filter((other) => other !== undefined)
    for (const other of beside) expect((await other.get('/', { Cookie: cookie })).status).toBe(303)
  }
})
