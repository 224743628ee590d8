import { expect, test } from 'vitest'
import { codeOf, PASSWORD, START_SECONDS, signIn, startManager } from './start-manager.ts'

const EVE = 'eve@example.com'

async function withEve() {
  const manager = await startManager()
  manager.store.add({ name: EVE, role: 'event-manager', entryPoints: null }, PASSWORD)
  return manager
}

test('a manager signs in with a password and a code, and the first sign-in sets the second step', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  const secret = await signIn(browser, EVE, START_SECONDS)
  expect(await browser.get('/people')).toMatchObject({ status: 200 })
  expect(manager.store.find(EVE)?.stepSecret).not.toBeNull()
  const again = manager.browser()
  await again.get('/sign-in')
  expect(await again.post('/sign-in', { name: EVE, password: PASSWORD })).toMatchObject({ location: '/second-step' })
  expect((await again.get('/second-step')).text).not.toContain('class="secret"')
  manager.clock.seconds += 60
  expect(await again.post('/second-step', { code: codeOf(secret, manager.clock.seconds) })).toMatchObject({
    location: '/',
  })
})

test('a password without the second step opens no page', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  await browser.get('/sign-in')
  await browser.post('/sign-in', { name: EVE, password: PASSWORD })
  expect(await browser.get('/people')).toMatchObject({ status: 303, location: '/second-step' })
  expect(await browser.post('/people/add', { username: 'x' })).toMatchObject({ status: 303, location: '/second-step' })
})

test('a code counts once, also in another browser', async () => {
  const manager = await withEve()
  const secret = await signIn(manager.browser(), EVE, START_SECONDS)
  const other = manager.browser()
  await other.get('/sign-in')
  await other.post('/sign-in', { name: EVE, password: PASSWORD })
  await other.get('/second-step')
  const used = await other.post('/second-step', { code: codeOf(secret, START_SECONDS) })
  expect([used.status, used.text.includes('aria-invalid="true" aria-describedby="alert"')]).toEqual([401, true])
})

test('an unknown name and a wrong password get the same answer', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  await browser.get('/sign-in')
  const wrong = await browser.post('/sign-in', { name: EVE, password: 'wrong' })
  const unknown = await browser.post('/sign-in', { name: 'mallory@example.com', password: 'wrong' })
  expect(wrong.status).toBe(401)
  expect(wrong.text.match(/aria-invalid="true" aria-describedby="alert"/g)).toHaveLength(2)
  expect(unknown.status).toBe(401)
  expect(unknown.text.replace('mallory@example.com', EVE)).toBe(wrong.text)
})

test('guesses at a password are limited, and so are guesses at a code', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  await browser.get('/sign-in')
  const statuses: number[] = []
  for (let guess = 0; guess < 8; guess += 1) {
    statuses.push((await browser.post('/sign-in', { name: EVE, password: `wrong ${guess}` })).status)
  }
  expect(statuses.at(-1)).toBe(429)
  const other = await startManager()
  const person = await other.signedIn()
  const half = other.browser()
  await half.get('/sign-in')
  await half.post('/sign-in', { name: person.name, password: PASSWORD })
  await half.get('/second-step')
  const codes: number[] = []
  for (let guess = 0; guess < 8; guess += 1)
    codes.push((await half.post('/second-step', { code: `00000${guess}` })).status)
  expect(codes.at(-1)).toBe(429)
})

test('each step of the sign-in has a new session id, and the old one opens nothing', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  browser.cookies.set('manager', 'an id that an attacker knows')
  await browser.get('/sign-in')
  await browser.post('/sign-in', { name: EVE, password: PASSWORD })
  const half = browser.cookies.get('manager') ?? ''
  expect(half).not.toBe('an id that an attacker knows')
  const { text } = await browser.get('/second-step')
  const secret = (/class="secret">([^<]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '')
  await browser.post('/second-step', { code: codeOf(secret, START_SECONDS) })
  expect(browser.cookies.get('manager')).not.toBe(half)
  const thief = manager.browser()
  thief.cookies.set('manager', half)
  expect(await thief.get('/people')).toMatchObject({ status: 303, location: '/sign-in' })
})

test.each([
  ['fifteen minutes without a request', 15 * 60],
  ['eight hours', 8 * 3600],
])('a session ends after %s', async (_when, seconds) => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  if (seconds > 3600) {
    for (let past = 0; past + 600 < seconds; past += 600) {
      manager.clock.seconds += 600
      expect((await browser.get('/account')).status).toBe(200)
    }
    manager.clock.seconds = START_SECONDS + seconds
  } else manager.clock.seconds += seconds
  expect(await browser.get('/people')).toMatchObject({ location: '/sign-in' })
})

test('a button ends the session, and a stolen cookie is of no use then', async () => {
  const manager = await startManager()
  const browser = await manager.signedIn()
  const cookie = browser.cookies.get('manager') ?? ''
  await browser.get('/people')
  expect(await browser.post('/sign-out')).toMatchObject({ location: '/sign-in' })
  const thief = manager.browser()
  thief.cookies.set('manager', cookie)
  expect(await thief.get('/people')).toMatchObject({ location: '/sign-in' })
})

test('the cookie is for this page alone, and no script reads it', async () => {
  const manager = await startManager({ url: 'https://manager.example.com' })
  manager.store.add({ name: EVE, role: 'reader', entryPoints: null }, PASSWORD)
  const browser = manager.browser()
  await browser.get('/sign-in')
  const { headers } = await browser.post('/sign-in', { name: EVE, password: PASSWORD })
  expect(headers.get('Set-Cookie')).toMatch(/^__Host-manager=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
})

test('each try is a line in the log: who, what, from where', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  await browser.get('/sign-in')
  await browser.post('/sign-in', { name: EVE, password: 'wrong' })
  expect(manager.acts()).toMatchObject([
    { event: 'manager', category: 'security', outcome: 'password-refused', manager: EVE, address: '192.0.2.7' },
  ])
  await signIn(browser, EVE, START_SECONDS)
  expect(manager.acts().map(({ outcome }) => outcome)).toEqual(['password-refused', 'password', 'second-step-set'])
  expect(JSON.stringify(manager.acts())).not.toContain(PASSWORD)
})

test('the second step sent twice signs in twice, and a code still counts once elsewhere', async () => {
  const manager = await withEve()
  const secret = await signIn(manager.browser(), EVE, START_SECONDS)
  manager.clock.seconds += 60
  const code = codeOf(secret, manager.clock.seconds)
  const half = async () => {
    const browser = manager.browser()
    await browser.get('/sign-in')
    // The password sent twice: the browser keeps the second session.
    await browser.post('/sign-in', { name: EVE, password: PASSWORD })
    await browser.post('/sign-in', { name: EVE, password: PASSWORD })
    await browser.get('/second-step')
    return browser
  }
  const browser = await half()
  const other = await half()
  const both = await Promise.all([browser.post('/second-step', { code }), browser.post('/second-step', { code })])
  expect(both.map(({ location }) => location)).toEqual(['/', '/'])
  expect((await browser.get('/people')).status).toBe(200)
  expect((await other.post('/second-step', { code })).status).toBe(401)
  const out = await Promise.all([browser.post('/sign-out'), browser.post('/sign-out')])
  expect(out.map(({ location }) => location)).toEqual(['/sign-in', '/sign-in'])
})
