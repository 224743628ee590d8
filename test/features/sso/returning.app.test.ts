import { expect, test } from 'vitest'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { asking } from '../ask-returning/asking.ts'
import { withSso } from './entry-point.ts'
import { cookiesOf, fieldOf, signIn, startSso } from './start-sso.ts'

test('an SSO viewer is never a password viewer with the same name', async () => {
  const app = await startSso({ entryPoint: { allowedGroups: ['gold'] } })
  app.users.add('ada@example.com', 'a password of the store', { groups: [] })
  const session = cookiesOf(await signIn(app))
  expect((await app.get('/', { Cookie: session })).status).toBe(303)
  app.users.disable('ada@example.com')
  expect((await app.get('/', { Cookie: session })).status).toBe(303)
})

test('a session counts only where the same provider is, and a password only where passwords are', async () => {
  const app = await startSso({
    entryPointsWith: (sso) => [
      withSso(sso, entryPointAt('sso')),
      withSso({ ...sso, isOnly: true }, entryPointAt('only')),
      withSso({ ...sso, groupsClaim: 'roles' }, entryPointAt('other')),
      entryPointAt('password'),
    ],
  })
  const statusesOf = (Cookie: string) =>
    Promise.all(
      ['sso', 'only', 'other', 'password'].map(async (name) => (await app.get(`/e/${name}`, { Cookie })).status),
    )
  expect(await statusesOf(cookiesOf(await signIn(app, '/e/sso')))).toEqual([303, 303, 200, 200])
  const withPassword = await app.post('/e/password/sign-in', {
    username: 'ada@example.com',
    password: 'PASSWORDMARKER correct horse',
  })
  expect(await statusesOf(cookiesOf(withPassword))).toEqual([303, 200, 303, 303])
})

test('a loop of an SSO viewer is stopped, and a new sign-in gets a response', async () => {
  const app = await startSso()
  const Cookie = cookiesOf(await signIn(app))
  const statuses: number[] = []
  for (let visit = 0; visit < 3; visit += 1) statuses.push((await app.get('/', { Cookie })).status)
  expect(statuses).toEqual([303, 303, 409])
  expect((await signIn(app)).status).toBe(303)
})

test('with RETURNING_VIEWERS=ask, an SSO viewer is asked, and continues without the provider', async () => {
  const app = await startSso({ entryPoint: asking(ENTRY_POINT) })
  const { setCookies } = await signIn(app)
  const Cookie = cookiesOf({ setCookies: setCookies.filter((cookie) => cookie.includes('viewer=')) })
  const question = await app.get('/', { Cookie })
  expect([question.status, fieldOf(question, 'viewer')]).toEqual([200, 'ada@example.com'])
  const answer = await app.post('/continue', { viewer: 'ada@example.com' }, { Cookie, 'Sec-Fetch-Site': 'same-origin' })
  expect(answer.status).toBe(303)
})

test('the provider is asked again after SSO_SESSION_SECONDS', async () => {
  const clock = { seconds: Date.now() / 1000 }
  const app = await startSso({ settings: { sessionSeconds: 600 }, nowSeconds: () => clock.seconds })
  const Cookie = cookiesOf(await signIn(app))
  clock.seconds += 595
  expect((await app.get('/', { Cookie })).status).toBe(303)
  clock.seconds += 10
  expect((await app.get('/', { Cookie })).status).toBe(200)
  expect((await app.get('/', { Cookie })).status).toBe(200)
})

test('a session of an SSO viewer ends after SSO_SESSION_SECONDS of its sign-in, also where the limit is longer', async () => {
  const clock = { seconds: Date.now() / 1000 }
  const app = await startSso({
    nowSeconds: () => clock.seconds,
    entryPointsWith: (sso) => [
      withSso({ ...sso, sessionSeconds: 600 }, entryPointAt('short')),
      withSso({ ...sso, sessionSeconds: 3600 }, entryPointAt('long')),
    ],
  })
  const Cookie = cookiesOf(await signIn(app, '/e/short'))
  clock.seconds += 595
  expect((await app.get('/e/long', { Cookie })).status).toBe(303)
  clock.seconds += 10
  expect((await app.get('/e/long', { Cookie })).status).toBe(200)
  expect(app.lines.at(-1)).toMatchObject({ event: 'session-ended', viewer: 'ada@example.com', reason: 'too old' })
  clock.seconds -= 10
  expect((await app.get('/e/long', { Cookie })).status).toBe(200)
})

test('after a sign-out, the screen says that the provider may still know the viewer', async () => {
  const app = await startSso()
  const Cookie = cookiesOf(await signIn(app))
  const { location = '' } = await app.post('/sign-out', '', { Cookie, 'Sec-Fetch-Site': 'same-origin' })
  const screen = await app.get(location)
  expect(screen.text).toContain('log out at Contoso too')
  expect(fieldOf(screen, 'account')).toBe('other')
})
