import { expect, onTestFinished, test, vi } from 'vitest'
import { CONSUMER, ENTRY_POINT, entryPointAt } from '../../../login/entry-point.ts'
import { responseOf } from '../../../login/response-of.ts'
import { expectScreen } from '../../../login/signed-in.ts'
import { ADA, type Answer, formOf, type LoginApp, SESSION_LIMITS } from '../../../login/start-login-app.ts'
import { withDoors } from '../entry-point.ts'
import { expectWaiting, OPENS, OWN_PAGE, passIn, refreshOf, startWaiting, WAITING } from './waiting.ts'

const BOB = { username: 'bob@example.com', password: 'bob has a password' }
const FIELDS = { hashConsumer: `${CONSUMER}one`, ustreamContentId: '7' }

const wait = (app: LoginApp, fields: Record<string, string>, headers = {}, at = '') =>
  app.get(`${at}/wait?${formOf(fields)}`, headers)

/** Expects the sign-in screen, without a response and without a session. */
function expectRefused(answer: Answer): void {
  expectScreen(answer)
  expect(answer.setCookies).toEqual([])
}

test('a pass lets no viewer in at another entry point, or with other fields of the player', async () => {
  const gold = withDoors(entryPointAt('gold'), WAITING)
  const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, WAITING), gold] })
  const pass = passIn(await app.enter(FIELDS))
  app.clock.seconds = OPENS
  expectRefused(await wait(app, { pass, ...FIELDS }, {}, '/e/gold'))
  expectRefused(await wait(app, { pass }))
  expectRefused(await wait(app, { pass, ...FIELDS, hashConsumer: `${CONSUMER}two` }))
  expectRefused(await wait(app, { pass, ...FIELDS, ustreamContentId: '8' }))
  expect((await wait(app, { pass, ...FIELDS, hashConsumer: 'https://evil.example/' })).status).toBe(400)
  expect(responseOf((await wait(app, { pass, ...FIELDS })).location).address).toBe(`${CONSUMER}one`)
})

test('a viewer who loads the page again and again does not delay the entry of the others', async () => {
  const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, WAITING), entryPointAt('open')] })
  const page = await app.enter()
  const { setCookies } = await app.post('/e/open/sign-in', ADA)
  const Cookie = String(setCookies[0]?.split(';')[0])
  app.clock.seconds = OPENS - 20
  // Without chance, the last page of all.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.999)
  onTestFinished(() => random.mockRestore())
  // 2,500 viewers enter in a second. More would spread the entry over a longer time.
  for (let load = 0; load < 2_600; load += 50) {
    await Promise.all(Array.from({ length: 50 }, () => app.get('/', { Cookie })))
    await app.reload(page)
  }
  expect(refreshOf(await app.reload(page)).seconds).toBe(21)
})

test('an altered pass, two passes and no pass let no viewer in, and keep none on the page', async () => {
  const app = await startWaiting()
  const pass = passIn(await app.enter())
  const middle = pass.length / 2
  const altered = `${pass.slice(0, middle)}${pass[middle] === 'A' ? 'B' : 'A'}${pass.slice(middle + 1)}`
  for (const seconds of [app.clock.seconds, OPENS]) {
    app.clock.seconds = seconds
    for (const query of [`pass=${altered}`, `pass=${pass}&pass=${pass}`, 'pass=', '', `pass=${'A'.repeat(7_000)}`]) {
      expectRefused(await app.get(`/wait?${query}`))
    }
  }
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', reason: expect.stringContaining('altered') })
})

test.each([
  ['disabled', (app: LoginApp) => app.users.disable(ADA.username)],
  ['removed', (app: LoginApp) => app.users.remove(ADA.username)],
  ['given a new password', (app: LoginApp) => app.users.add(ADA.username, 'x', { passwordVersion: 'second' })],
])('the pass of a viewer who was %s lets no viewer in', async (_what, change) => {
  const app = await startWaiting()
  app.users.add(ADA.username, ADA.password, { passwordVersion: 'first' })
  const page = await app.enter()
  change(app)
  expectWaiting(await app.reload(page))
  app.clock.seconds = OPENS
  const answer = await app.reload(page)
  expectRefused(answer)
  expect(answer.text).toContain(`value="${ADA.username}"`)
})

test('a pass is a bearer credential: it lets its viewer in from another browser, until it ends', async () => {
  const app = await startWaiting()
  app.users.add(BOB.username, BOB.password)
  const page = await app.enter()
  app.clock.seconds = OPENS
  const Cookie = String((await app.post('/sign-in', BOB)).setCookies[0]?.split(';')[0])
  const answer = await app.reload(page, { 'User-Agent': 'another browser', Cookie })
  expect(responseOf(answer.location).parameters).toEqual([['user', ADA.username]])
  app.clock.seconds = OPENS + 300
  expectRefused(await app.reload(page))
})

test('another site cannot sign its visitors in with a pass of its own', async () => {
  const app = await startWaiting()
  const page = await app.enter()
  app.clock.seconds = OPENS
  for (const site of ['cross-site', 'same-site']) {
    expectRefused(await app.reload(page, { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'iframe' }))
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-from-own-page' })
  }
  // A link in a mail.
  expectRefused(await app.reload(page, { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' }))
  expect((await app.reload(page, { ...OWN_PAGE, 'Sec-Fetch-Dest': 'iframe' })).status).toBe(303)
})

test.each([
  ['GET', {}],
  ['GET', FIELDS],
  ['POST', {}],
  ['POST', FIELDS],
] as const)('a session from before gets only the page by %s with %j', async (method, fields) => {
  const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, WAITING), entryPointAt('open')] })
  const Cookie = String((await app.post('/e/open/sign-in', ADA)).setCookies[0]?.split(';')[0])
  const path = method === 'GET' ? `/?${formOf(fields)}` : '/continue'
  const answer = await app.send(method, path, { Cookie }, method === 'GET' ? undefined : fields)
  expectWaiting(await app.follow(answer, { Cookie }))
})

test('a pass of a session is worthless after the session has ended', async () => {
  const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, WAITING), entryPointAt('open')] })
  const Cookie = String((await app.post('/e/open/sign-in', ADA)).setCookies[0]?.split(';')[0])
  const page = await app.follow(await app.get('/', { Cookie }), { Cookie })
  await app.post('/sign-out', {}, { Cookie })
  app.clock.seconds = OPENS
  expectRefused(await app.reload(page, { Cookie }))
  expectRefused(await app.reload(page))
})

test('no address of the page is a way around the password', async () => {
  const app = await startWaiting()
  const { path } = refreshOf(await app.enter())
  app.clock.seconds = OPENS
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await app.send(method, path)).status).toBe(405)
  expect((await app.get(path.replace('/wait', '/WAIT'))).status).toBe(404)
})

test('a pass is worthless after the viewer signed out on the page', async () => {
  const app = await startWaiting()
  const page = await app.enter()
  app.clock.seconds += 300
  const renewed = await app.reload(page)
  expect(passIn(renewed)).not.toBe(passIn(page))
  expect((await app.post('/wait/sign-out', { pass: passIn(renewed) }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(
    403,
  )
  expectWaiting(await app.reload(renewed))
  const signOut = () => app.post('/wait/sign-out', { pass: passIn(renewed) }, OWN_PAGE)
  expect([(await signOut()).location, (await signOut()).location]).toEqual(['/', '/'])
  app.clock.seconds = OPENS
  expectRefused(await app.reload(renewed))
  expectRefused(await app.reload(page))
})

test('a session after the waiting room ends with the sign-in, not with the opening', async () => {
  const app = await startWaiting()
  const end = OPENS - 600 + SESSION_LIMITS.lifetimeSeconds
  app.moveDoor(OPENS, end + 1)
  const page = await app.enter()
  app.clock.seconds = OPENS
  const Cookie = String((await app.reload(page)).setCookies[0]?.split(';')[0])
  // Returns keep the session from ending without a use.
  for (const seconds of [end - SESSION_LIMITS.idleSeconds, end - 1]) {
    app.clock.seconds = seconds
    expect((await app.get('/', { Cookie })).location).toBeDefined()
  }
  app.clock.seconds = end
  expectRefused({ ...(await app.get('/', { Cookie })), setCookies: [] })
})
