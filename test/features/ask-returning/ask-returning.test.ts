import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { expectRefused } from '../../login/refused-answer.ts'
import { expectScreen } from '../../login/signed-in.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from '../../login/start-login-app.ts'
import { SETTINGS } from '../../settings.ts'
import { withScreenLimit } from '../screen-limit/entry-point.ts'
import { asking } from './asking.ts'

const ASKING = asking(ENTRY_POINT)

/** Returns the cookies that an answer sets, as a browser sends them back. */
function cookiesIn({ setCookies }: Answer): string[] {
  return setCookies.map((cookie) => cookie.split(';')[0] ?? '')
}

/** Signs in, and returns the cookies of the session and of the visit. */
async function signIn(app: LoginApp, headers = {}): Promise<{ session: string; visit: string }> {
  const cookies = cookiesIn(await app.post('/sign-in', ADA, headers))
  expect(cookies).toHaveLength(2)
  const of = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? expect.unreachable(name)
  return { session: of('__Host-viewer'), visit: of('__Host-visit-default') }
}

/** Expects the question, without a response for the player. */
function expectQuestion(answer: Answer): void {
  expectScreen(answer)
  expect(answer.text).toContain(ADA.username)
  expect(answer.setCookies).toEqual([])
}

test('a returning viewer is asked before the player gets a response', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session } = await signIn(app)
  expectQuestion(await app.get('/?ustreamContentId=7', { Cookie: session }))
})

test('a viewer is asked once in a visit: not after the sign-in, and not after choosing to continue', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session, visit } = await signIn(app)
  expect((await app.get('/', { Cookie: `${session}; ${visit}` })).status).toBe(303)
  app.clock.seconds += 10
  const [later] = cookiesIn(await app.post('/continue', {}, { Cookie: session }))
  expect((await app.get('/', { Cookie: `other=1; ${later}; ${session}` })).status).toBe(303)
})

test('a visit lasts until a response has been expired for five minutes', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session, visit } = await signIn(app)
  const { setCookies } = await app.get('/', { Cookie: `${session}; ${visit}` })
  expect(setCookies).toEqual([
    expect.stringMatching(
      /^__Host-visit-default=[\w-]{22}; Max-Age=3900; Path=\/; Expires=[^;]+; HttpOnly; Secure; Partitioned; SameSite=None$/,
    ),
  ])
})

test('a visit lasts for an hour and five minutes if a response never expires', async () => {
  const app = await startLoginApp({ entryPoints: [asking({ ...ENTRY_POINT, lifetimeSeconds: 0 })] })
  const { setCookies } = await app.post('/sign-in', ADA)
  expect(setCookies.join()).toContain('Max-Age=3900')
})

test('the visit of one session does not continue another', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { visit } = await signIn(app)
  const { session } = await signIn(app)
  expectQuestion(await app.get('/', { Cookie: `${session}; ${visit}` }))
})

test('prompt=login and a request that is not a navigation show the question also in a visit', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session, visit } = await signIn(app)
  const Cookie = `${session}; ${visit}`
  expectQuestion(await app.get('/?prompt=login', { Cookie }))
  expectQuestion(await app.get('/', { Cookie, 'Sec-Fetch-Dest': 'empty' }))
  expectQuestion(await app.post('/continue', {}, { Cookie, 'Sec-Fetch-Dest': 'empty' }))
  expect(await app.send('HEAD', '/', { Cookie })).toMatchObject({ status: 200, location: undefined })
})

test('a player that keeps sending a viewer back is stopped in a visit, and when the viewer keeps continuing', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session, visit } = await signIn(app)
  const Cookie = `${session}; ${visit}`
  for (const status of [303, 303, 409, 409]) expect((await app.get('/', { Cookie })).status).toBe(status)
  const refused = await app.post('/continue', {}, { Cookie })
  expectRefused(refused, 409)
  app.clock.seconds += 10
  for (const status of [303, 303, 303, 409]) {
    expect((await app.post('/continue', {}, { Cookie: session })).status).toBe(status)
  }
})

test.each(['/?continue', '/?continue=1', '/?prompt=continue', '/continue'])(
  'the address %s does not continue',
  async (path) => {
    const app = await startLoginApp({ entryPoints: [ASKING] })
    const { session } = await signIn(app)
    expect((await app.get(path, { Cookie: session })).location).toBeUndefined()
  },
)

test('a viewer whose session has ended meanwhile gets the sign-in screen', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  const { session, visit } = await signIn(app)
  await app.post('/sign-out', {}, { Cookie: session })
  const answer = await app.post('/continue', { ustreamContentId: '7' }, { Cookie: `${session}; ${visit}` })
  expectScreen(answer)
  expect(answer.text).not.toContain(ADA.username)
  expect(answer.text).toContain('name="ustreamContentId" value="7"')
})

test('an entry point that does not ask sets no cookie for visits, and lets viewers choose to continue', async () => {
  const app = await startLoginApp()
  const { setCookies } = await app.post('/sign-in', ADA)
  expect(setCookies).toEqual([expect.stringMatching(/^__Host-viewer=/)])
  const [Cookie = ''] = cookiesIn({ setCookies } as Answer)
  expect(await app.post('/continue', {}, { Cookie })).toMatchObject({ status: 303, setCookies: [] })
})

test('a session of another entry point is asked at an entry point that asks', async () => {
  const named = [entryPointAt('a'), { ...ASKING, name: 'b', basePath: '/e/b' }]
  const app = await startLoginApp({ entryPoints: named })
  const [Cookie = ''] = cookiesIn(await app.post('/e/a/sign-in', ADA))
  expect((await app.get('/e/a', { Cookie })).status).toBe(303)
  expectQuestion(await app.get('/e/b', { Cookie }))
})

test('a viewer is asked at each entry point that asks, and a visit to one ends no visit to another', async () => {
  const named = [{ ...ASKING, name: 'a', basePath: '/e/a' }, asking(entryPointAt('b', { lifetimeSeconds: 60 }))]
  const app = await startLoginApp({ entryPoints: named })
  const cookies = cookiesIn(await app.post('/e/a/sign-in', ADA))
  expect(cookies).toEqual([expect.stringMatching(/^__Host-visit-a=/), expect.stringMatching(/^__Host-viewer=/)])
  const Cookie = cookies.join('; ')
  expectQuestion(await app.get('/e/b', { Cookie }))
  const { setCookies } = await app.post('/e/b/continue', {}, { Cookie })
  expect(setCookies).toEqual([expect.stringMatching(/^__Host-visit-b=.*; Max-Age=360;/)])
})

test('a sign-in on a shared device starts no visit', async () => {
  const app = await startLoginApp({ entryPoints: [ASKING] })
  expect((await app.post('/sign-in', { ...ADA, shared: 'on' })).setCookies).toEqual([])
})

test.each([
  ['ask', { lifetimeSeconds: 120 }],
  ['continue', undefined],
  ['', undefined],
])('RETURNING_VIEWERS=%s is read', (RETURNING_VIEWERS, expected) => {
  const { entryPoints } = readConfig({ ...SETTINGS, HASH_LIFETIME_SECONDS: '120', RETURNING_VIEWERS })
  expect(entryPoints[0]?.features['ask-returning']).toEqual(expected)
})

test('the next person at a device is asked before the viewer may take a place from another screen', async () => {
  const entryPoint = withScreenLimit(ASKING)
  const app = await startLoginApp({ entryPoints: [entryPoint] })
  const { session } = await signIn(app)
  await signIn(app)
  expectQuestion(await app.get('/', { Cookie: session }))
  expect((await app.post('/continue', {}, { Cookie: session })).text).toContain('action="/watch-here"')
})
