import type { Request } from 'express'
import { expect, test } from 'vitest'
import { features } from '../../../src/features.ts'
import type { Feature } from '../../../src/login/feature.ts'
import { formBody } from '../../../src/login/request/form-body.ts'
import { readPlayerContext } from '../../../src/login/request/player-context.ts'
import { createPasses, type Passes } from '../../../src/services/pass/passes.ts'
import { readmit } from '../../../src/services/pass/readmit.ts'
import type { SessionViewer } from '../../../src/sessions/session-store.ts'
import { createEndedSignIns } from '../../../src/sign-in-limits/ended-sign-ins.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt, PLAYER } from '../../login/entry-point.ts'
import { ADA, type Answer, type LoginAppOptions, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' }
const UNTIL_CONFIRMED = { outcome: 'signed-in', viewer: ADA.username }

/** Holds every viewer, and sends a pass in place of a screen. A post with the pass lets the viewer in. */
function holding(use: string, hasEnded = (_viewer: SessionViewer) => false, counters = openMemoryCounter): Feature {
  const confirmed = new WeakSet<Request>()
  return {
    name: 'holding',
    open: (services) =>
      Promise.resolve({
        hasEnded: (viewer) => Promise.resolve(hasEnded(viewer)),
        at(entryPoint) {
          let passes: Passes
          return {
            gate(deps) {
              passes = createPasses({ ...services, openCounter: counters }, use, entryPoint.name, deps.sessions)
              return (req, res, visit) => {
                const send = () => void res.send(passes.issue(visit) ?? 'too long')
                return confirmed.has(req) ? null : { ok: false, reason: 'held', send }
              }
            },
            routes: (deps) => (req, res, next) => {
              if (req.path !== '/held') return next()
              formBody(req, res, () => {
                confirmed.add(req)
                const reading = readPlayerContext(req.body, deps.answer)
                if (!reading.ok) throw new Error(reading.reason)
                const { context } = reading
                readmit({ ...deps, passes }, req, res, { sealed: req.body.pass, context }).catch(next)
              })
            },
          }
        },
      }),
  }
}

async function startHolding({ hasEnded, ...options }: LoginAppOptions & { hasEnded?: () => boolean } = {}) {
  const app = await startLoginApp({ features: [...features, holding('test', hasEnded)], ...options })
  return {
    ...app,
    signIn: async (fields = {}, at = '') => (await app.post(`${at}/sign-in`, { ...ADA, ...fields }, OWN_PAGE)).text,
    confirm: (pass: string, fields = {}, headers = {}, at = '') =>
      app.post(`${at}/held`, { pass, ...fields }, { ...OWN_PAGE, ...headers }),
  }
}

/** True for the sign-in screen without a response or a session. */
function isSignIn({ status, text, setCookies, location }: Answer, username = ''): boolean {
  return status === 200 && location === undefined && setCookies.length === 0 && text.includes(`value="${username}"`)
}

test('a pass lets its viewer in, with a session, and the sign-in is logged then', async () => {
  const app = await startHolding()
  const pass = await app.signIn()
  expect(app.lines.filter(({ outcome }) => outcome === 'signed-in')).toEqual([])
  const answer = await app.confirm(pass)
  expect([answer.status, new URL(answer.location ?? '').origin, answer.setCookies.length]).toEqual([303, PLAYER, 1])
  expect(app.lines.at(-1)).toMatchObject(UNTIL_CONFIRMED)
  expect(app.users.asked).toHaveLength(1)
})

test('a pass of a shared device opens no session', async () => {
  const app = await startHolding()
  const answer = await app.confirm(await app.signIn({ shared: 'on' }))
  expect([answer.status, answer.setCookies]).toEqual([303, []])
})

test('a pass is good only with the fields of the player that it was sealed with', async () => {
  const app = await startHolding()
  const fields = { hashConsumer: `${CONSUMER}one`, ustreamContentId: '7', lang: 'de' }
  const pass = await app.signIn(fields)
  expect((await app.confirm(pass, fields)).location).toMatch(`${CONSUMER}one?hash=`)
  for (const changed of [{}, { ...fields, hashConsumer: `${CONSUMER}two` }, { ...fields, ustreamContentId: '8' }]) {
    expect(isSignIn(await app.confirm(pass, changed))).toBe(true)
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', reason: expect.stringContaining('altered') })
  }
})

test('a pass is worthless at another entry point, in another app and for another use', async () => {
  const entryPoints = [ENTRY_POINT, entryPointAt('gold')]
  const app = await startHolding({ entryPoints })
  const pass = await app.signIn()
  expect((await app.confirm(pass)).status).toBe(303)
  expect(isSignIn(await app.confirm(pass, {}, {}, '/e/gold'))).toBe(true)
  const others = [
    await startHolding({ sessionSecrets: ['SESSIONSECRETMARKER-other'] }),
    await startHolding({ publicUrl: 'https://other.example' }),
    await startHolding({ features: [...features, holding('another use')] }),
  ]
  for (const other of others) expect(isSignIn(await other.confirm(pass))).toBe(true)
})

test('a pass works while the session secret changes', async () => {
  const before = await startHolding({ sessionSecrets: ['SESSIONSECRETMARKER-before'] })
  const during = await startHolding({ sessionSecrets: ['SESSIONSECRETMARKER-after', 'SESSIONSECRETMARKER-before'] })
  const after = await startHolding({ sessionSecrets: ['SESSIONSECRETMARKER-after'] })
  const pass = await before.signIn()
  expect((await during.confirm(pass)).status).toBe(303)
  expect((await after.confirm(await during.signIn())).status).toBe(303)
  expect(isSignIn(await after.confirm(pass))).toBe(true)
})

test('a pass from before a viewer was put out is worthless, also after the viewer is let in again', async () => {
  const counter = openMemoryCounter('ended-sign-ins', 9_999)
  const app = await startLoginApp({ features: [...features, holding('test', undefined, () => counter)] })
  const signIn = async () => (await app.post('/sign-in', ADA, OWN_PAGE)).text
  const confirm = async (pass: string) => (await app.post('/held', { pass }, OWN_PAGE)).status
  const before = await signIn()
  const other = await signIn()
  expect(await confirm(other)).toBe(303)
  app.clock.seconds += 1
  await createEndedSignIns(() => counter).end('Bob@example.com', app.clock.seconds)
  expect(await confirm(other)).toBe(303)
  await createEndedSignIns(() => counter).end(ADA.username.toUpperCase(), app.clock.seconds)
  expect(await confirm(before)).toBe(200)
  app.clock.seconds += 1
  expect(await confirm(await signIn())).toBe(303)
})

test('a pass ends after 15 minutes, and its screen has the name', async () => {
  const app = await startHolding()
  const pass = await app.signIn()
  app.clock.seconds = START_SECONDS + 899
  expect((await app.confirm(pass)).status).toBe(303)
  for (const seconds of [900, -900]) {
    app.clock.seconds = START_SECONDS + seconds
    expect(isSignIn(await app.confirm(pass), ADA.username)).toBe(true)
  }
  expect(app.lines.at(-1)).toMatchObject({ reason: 'the pass is too old', viewer: ADA.username })
})

test.each([
  ['is disabled', { change: (users: Users) => users.disable(ADA.username) }],
  ['is removed', { change: (users: Users) => users.remove(ADA.username) }],
  [
    'has a new password',
    { change: (users: Users) => users.add(ADA.username, ADA.password, { passwordVersion: 'second' }) },
  ],
])('a pass is worthless after the viewer %s', async (_what, { change }) => {
  const app = await startHolding()
  app.users.add(ADA.username, ADA.password, { passwordVersion: 'first' })
  const pass = await app.signIn()
  expect((await app.confirm(pass)).status).toBe(303)
  change(app.users)
  expect(isSignIn(await app.confirm(pass), ADA.username)).toBe(true)
})

test('a pass is worthless after the system that signed the viewer in has ended the sign-in', async () => {
  let isOver = false
  const app = await startHolding({ hasEnded: () => isOver })
  const pass = await app.signIn()
  isOver = true
  expect(isSignIn(await app.confirm(pass), ADA.username)).toBe(true)
})

test('a pass of a returning viewer is good only with the session', async () => {
  const app = await startHolding()
  const { setCookies } = await app.confirm(await app.signIn())
  const Cookie = String(setCookies[0]).split(';')[0] ?? ''
  const { text: pass } = await app.get('/', { Cookie })
  const answer = await app.confirm(pass, {}, { Cookie })
  expect([answer.status, answer.setCookies]).toEqual([303, []])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'returned' })
  expect(isSignIn(await app.confirm(pass), ADA.username)).toBe(true)
  app.users.add('bob@example.com', 'bob has a password')
  const bob = await app.confirm(await app.signIn({ username: 'bob@example.com', password: 'bob has a password' }))
  expect(isSignIn(await app.confirm(pass, {}, { Cookie: String(bob.setCookies[0]) }), ADA.username)).toBe(true)
})

test('a viewer with too many groups gets no pass', async () => {
  const app = await startHolding()
  const { find: _none, ...users } = app.users
  const groups = Array.from({ length: 300 }, (_, index) => `a group with a long name ${index}`)
  app.users.add(ADA.username, ADA.password, { groups })
  const withoutFind = await startHolding({ users: users as typeof app.users })
  expect(await withoutFind.signIn()).toBe('too long')
  app.users.add(ADA.username, ADA.password, { groups: groups.slice(0, 50) })
  expect((await withoutFind.confirm(await withoutFind.signIn())).status).toBe(303)
})

type Users = Awaited<ReturnType<typeof startLoginApp>>['users']
