import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newStepSecret } from '../../../src/tools/cli/manager/accounts/second-step.ts'
import { createManagerCheck } from '../../../src/tools/manager/sign-in/check-manager.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type Browser, codeOf, PASSWORD, START_SECONDS, startManager } from './start-manager.ts'

const EVE = 'eve@example.com'

async function withEve() {
  const manager = await startManager()
  manager.store.add({ name: EVE, role: 'event-manager', entryPoints: null }, PASSWORD)
  return manager
}

/** Types the password. @returns the secret of a new second step. */
async function typePassword(browser: Browser): Promise<string> {
  await browser.get('/sign-in')
  await browser.post('/sign-in', { name: EVE, password: PASSWORD })
  const { text } = await browser.get('/second-step')
  return (/class="secret">([^<]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '')
}

test.each([true, false])('a code in two sessions at once counts once, for a new second step: %s', async (isNew) => {
  const { store } = await withEve()
  const passwords = { dummyHash: 'dummy', read: () => ({ ok: false as const, fault: 'unused' }) }
  const { code } = createManagerCheck({ store, nowSeconds: () => START_SECONDS, passwords })
  const sealed = Buffer.from('sealed')
  const secret = newStepSecret()
  if (!isNew) store.setStep(EVE, sealed, 0)
  // Both sessions have read the manager before either code is used.
  const manager = store.find(EVE) ?? expect.unreachable('no manager')
  const typed = { code: codeOf(secret, START_SECONDS), address: '192.0.2.1' }
  const checks = await Promise.all([1, 2].map(() => code(manager, typed, sealed, () => secret)))
  expect(checks.map(({ ok }) => ok)).toEqual([true, false])
})

test('a person who typed the right password has ten minutes for the second step', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  await typePassword(browser)
  // Each request is a use of the session.
  manager.clock.seconds += 599
  expect((await browser.get('/second-step')).status).toBe(200)
  manager.clock.seconds += 1
  expect(await browser.get('/second-step')).toMatchObject({ status: 303, location: '/sign-in' })
})

test('an unknown name takes the time of a wrong password: one hash is compared', async () => {
  const { store } = await withEve()
  const compared: string[] = []
  const read = (hash: string) => {
    const verify = () => Promise.resolve(compared.push(hash) < 0)
    return { ok: true as const, verify, needsRehash: () => false }
  }
  const { password } = createManagerCheck({
    store,
    nowSeconds: () => START_SECONDS,
    passwords: { dummyHash: 'dummy', read },
  })
  expect(await password(EVE, 'wrong', '192.0.2.1')).toEqual({ ok: false, reason: 'wrong' })
  expect(await password('mallory', 'wrong', '192.0.2.1')).toEqual({ ok: false, reason: 'wrong' })
  expect(compared).toEqual([PASSWORD, 'dummy'])
})

test('a stream of figures ends with the session', async () => {
  const manager = await withEve()
  const browser = await manager.signedIn()
  await browser.get('/account')
  const streamed = browser.stream('/evening/stream', 'event: end')
  await sleep(100)
  await browser.post('/sign-out')
  expect((await streamed).text).toMatch(/event: end\ndata: \{\}\n\n$/)
})

test.each([
  ['as the counts of codes once were', `second step of ${EVE}`],
  ['with the name of a counter', `failed-account:${EVE}`],
  ['with an address', `${EVE}@192.0.2.7`],
])('a typed name %s does not hold back the second step of a manager', async (_what, name) => {
  const manager = await withEve()
  const stranger = manager.browser()
  await stranger.get('/sign-in')
  const statuses = []
  for (let guess = 0; guess < 7; guess += 1)
    statuses.push((await stranger.post('/sign-in', { name, password: `wrong ${guess}` })).status)
  expect(statuses.at(-1)).toBe(429)
  const browser = manager.browser()
  const secret = await typePassword(browser)
  expect(await browser.post('/second-step', { code: codeOf(secret, START_SECONDS) })).toMatchObject({ location: '/' })
})

test('wrong codes and wrong passwords of an open session do not hold back the password of the manager', async () => {
  const manager = await withEve()
  const browser = manager.browser()
  const secret = await typePassword(browser)
  for (let guess = 0; guess < 7; guess += 1) await browser.post('/second-step', { code: `00000${guess}` })
  const other = manager.browser()
  await typePassword(other)
  expect((await other.get('/second-step')).status).toBe(200)
  manager.clock.seconds += 60
  const open = await manager.signedIn()
  await open.get('/account')
  for (let guess = 0; guess < 7; guess += 1) await open.post('/account', { password: `wrong ${guess}` })
  const again = manager.browser()
  await again.get('/sign-in')
  expect(await again.post('/sign-in', { name: open.name, password: PASSWORD })).toMatchObject({
    location: '/second-step',
  })
  expect(secret).not.toBe('')
})

test('the right password does not delete the count of wrong codes', async () => {
  const manager = await withEve()
  let last = manager.browser()
  for (let guess = 0; guess < 8; guess += 1) {
    const browser = manager.browser()
    await typePassword(browser)
    await browser.post('/second-step', { code: `00000${guess}` })
    last = browser
  }
  // On a busy machine the wait is over at each try, and grows. So the next code comes at once.
  expect((await last.post('/second-step', { code: '000008' })).status).toBe(429)
})

test('a manager of one entry point takes no group of another away', async () => {
  const point = (name: string) => ({ ...ENTRY_POINT, name, allowedGroups: [name] })
  const manager = await startManager({ entryPoints: [point('gold'), point('silver')] })
  await manager.users.add({ username: 'both', groups: ['gold', 'silver'], attributes: {} }, null)
  const browser = await manager.signedIn('event-manager', ['gold'])
  const page = await browser.get('/people/one/both')
  const version = /name="version" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  for (const groups of ['gold', 'silver', 'gold, press']) {
    const { text } = await browser.act('/people/one/both/edit', { version, groups })
    expect([groups, text]).toEqual([groups, expect.stringContaining('Give a group that you manage: gold.')])
  }
  expect(await manager.users.show('both')).toMatchObject({ viewer: { groups: ['gold', 'silver'] } })
})

const METHODS = ['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'GET', 'HEAD', 'POST']
const PATHS = ['/people', '/people/add', '/evening/stream', '/acts', '/nowhere', '/people/nowhere', '/assets/nowhere']

test.each(METHODS)('%s tells a stranger of no page which exists', async (method) => {
  const manager = await withEve()
  const half = manager.browser()
  await typePassword(half)
  for (const [browser, location] of [
    [manager.browser(), '/sign-in'],
    [half, '/second-step'],
  ] as const) {
    const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answers = PATHS.map(async (path) => {
      const answer = await fetch(manager.origin + path, { method, redirect: 'manual', headers: { Cookie } })
      const heads = [...answer.headers].filter(([name]) => name !== 'date')
      return JSON.stringify([answer.status, heads, await answer.text()])
    })
    expect(new Set(await Promise.all(answers)).size).toBe(1)
    expect(await answers[0]).toContain(location)
  }
})
