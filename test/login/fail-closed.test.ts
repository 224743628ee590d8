import session from 'express-session'
import type { Logger } from 'pino'
import { describe, expect, test } from 'vitest'
import type { AppDeps } from '../../src/app.ts'
import type { SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { memoryUsers } from './memory-users.ts'
import { responseOf } from './response-of.ts'
import { expectScreen, signIn } from './signed-in.ts'
import { ADA, type Answer, type LoginAppOptions, startLoginApp } from './start-login-app.ts'

const FAULT = new Error('INTERNALMARKER')

function fail(): never {
  throw FAULT
}

function rejectWith(reason: unknown): () => Promise<never> {
  return () => Promise.reject(reason)
}

/** Expects a screen with no response, no `false`, no session and no internal detail. */
function expectClosed(answer: Answer): void {
  expect(answer.status).toBeGreaterThanOrEqual(500)
  expect(answer.location).toBeUndefined()
  expect(answer.setCookies).toEqual([])
  expect(answer.text).not.toMatch(/INTERNALMARKER|\.ts:|node_modules|hashExpire|hash=/)
}

const open: Pick<SignInLimits, 'admit'> = {
  admit: () =>
    Promise.resolve({
      ok: true,
      attempt: {
        succeeded: () => Promise.resolve(null),
        denied: () => Promise.resolve(null),
        failed: () => Promise.resolve(null),
        abandoned: () => Promise.resolve(),
      },
    }),
}

function limitsWhose(broken: 'succeeded' | 'failed' | 'abandoned'): Pick<SignInLimits, 'admit'> {
  return {
    async admit(username, address) {
      const admission = await open.admit(username, address)
      return admission.ok ? { ok: true, attempt: { ...admission.attempt, [broken]: rejectWith(FAULT) } } : admission
    },
  }
}

function usersWith(changes: Partial<AppDeps['users']>): AppDeps['users'] {
  const users = memoryUsers()
  users.add(ADA.username, ADA.password)
  return { ...users, ...changes }
}

function logThat(breaks: 'info' | 'warn' | 'error'): Logger {
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const log = { ...silent, [breaks]: fail, child: () => log } as unknown as Logger
  return log
}

/** A session store with one broken method. */
function storeWhose(broken: 'get' | 'set' | 'destroy' | 'touch', how: 'throws' | 'reports'): AppDeps['sessionStore'] {
  class Store extends session.MemoryStore {}
  const store = new Store()
  Object.defineProperty(store, broken, {
    value: (...given: unknown[]) => {
      if (how === 'throws') throw FAULT
      ;(given.at(-1) as (error: unknown) => void)(FAULT)
    },
  })
  return { store, checkHealth: () => Promise.resolve(), close: () => {} }
}

const rightPasswordFaults: [string, LoginAppOptions][] = [
  ['the user store throws at once', { users: usersWith({ authenticate: fail }) }],
  ['the user store rejects', { users: usersWith({ authenticate: rejectWith(FAULT) }) }],
  ['the user store rejects with nothing', { users: usersWith({ authenticate: rejectWith(undefined) }) }],
  ['the user store rejects with a text', { users: usersWith({ authenticate: rejectWith('INTERNALMARKER') }) }],
  ['the user store rejects with the form', { users: usersWith({ authenticate: rejectWith({ ...ADA, ok: true }) }) }],
  ['the user store answers nothing', { users: usersWith({ authenticate: () => Promise.resolve(null as never) }) }],
  [
    'the user store accepts without a viewer',
    { users: usersWith({ authenticate: () => Promise.resolve({ ok: true } as never) }) },
  ],
  [
    'the user store accepts a viewer without a list of groups',
    {
      users: usersWith({
        authenticate: () => Promise.resolve({ ok: true, viewer: { username: 'ada', attributes: {} } } as never),
      }),
      entryPoints: [{ ...ENTRY_POINT, allowedGroups: ['gold'] }],
    },
  ],
  ['the limits cannot be asked', { signInLimits: { admit: rejectWith(FAULT) } }],
  ['the limits throw at once', { signInLimits: { admit: fail } }],
  ['the success cannot be counted', { signInLimits: limitsWhose('succeeded') }],
  ['the clock throws', { signInLimits: open, nowSeconds: fail, sessionStore: storeWhose('get', 'reports') }],
  ['the clock returns NaN', { nowSeconds: () => Number.NaN, sessionStore: storeWhose('get', 'reports') }],
  ['the success cannot be logged', { log: logThat('info') }],
  ['the secret is gone', { entryPoints: [{ ...ENTRY_POINT, secret: '' }] }],
]
test.each(rightPasswordFaults)('a right password gives no response when %s', async (_case, options) => {
  const app = await startLoginApp(options)
  expectClosed(await app.post('/sign-in', ADA))
  expect(JSON.stringify(app.lines)).not.toContain(ADA.password)
})

test('a wrong password gives only a screen when the failure cannot be counted', async () => {
  const app = await startLoginApp({ signInLimits: limitsWhose('failed') })
  expectClosed(await app.post('/sign-in', { ...ADA, password: 'x' }))
})

test('a wrong password gives only a screen when it cannot be logged, without a stack', async () => {
  const app = await startLoginApp({ log: logThat('warn') })
  expectClosed(await app.post('/sign-in', { ...ADA, password: 'x' }))
})

test('a failed sign-in gives only a screen when the log is broken', async () => {
  const users = usersWith({ authenticate: rejectWith(FAULT) })
  const app = await startLoginApp({ users, log: logThat('error') })
  const answer = await app.post('/sign-in', ADA)
  expectClosed(answer)
  expect(answer.text).not.toContain('Error:')
})

test('a fault of the user store is reported even if the attempt cannot be uncounted', async () => {
  const users = usersWith({ authenticate: rejectWith(FAULT) })
  const app = await startLoginApp({ users, signInLimits: limitsWhose('abandoned') })
  expectClosed(await app.post('/sign-in', ADA))
  expect(app.lines).toMatchObject([{ outcome: 'failed', viewer: ADA.username, status: 500 }])
})

const returnFaults: [string, Partial<AppDeps['users']>][] = [
  ['the user store throws at once', { find: fail }],
  ['the user store rejects', { find: rejectWith(FAULT) }],
  ['the user store rejects with nothing', { find: rejectWith(undefined) }],
]
test.each(returnFaults)('a returning viewer gets no response when %s', async (_case, changes) => {
  const app = await startLoginApp({ users: usersWith(changes) })
  const Cookie = await signIn(app)
  expectClosed(await app.get('/', { Cookie }))
})

test.each([
  ['nothing', undefined],
  ['an empty viewer', {}],
  ['a viewer without a name', { groups: [], attributes: {} }],
])('a returning viewer gets no response when the user store answers with %s', async (_case, viewer) => {
  const app = await startLoginApp({ users: usersWith({ find: () => Promise.resolve(viewer as never) }) })
  const Cookie = await signIn(app)
  const answer = await app.get('/', { Cookie })
  expect(answer.location).toBeUndefined()
})

test('a returning viewer gets no response when the clock throws', async () => {
  let isBroken = false
  const nowSeconds = () => (isBroken ? fail() : 1_000)
  const app = await startLoginApp({ nowSeconds })
  const Cookie = await signIn(app)
  isBroken = true
  const answer = await app.get('/', { Cookie })
  expect(answer.location).toBeUndefined()
  expect(answer.text).not.toContain('INTERNALMARKER')
})

describe.each(['throws', 'reports'] as const)('a session store that %s an error', (how) => {
  test.each(['get', 'set', 'destroy', 'touch'] as const)(
    `a session store that ${how} an error in %s lets viewers sign in, and lets no unknown viewer pass`,
    async (broken) => {
      const app = await startLoginApp({ sessionStore: storeWhose(broken, how) })
      const first = await app.post('/sign-in', ADA)
      responseOf(first.location)
      const Cookie = first.setCookies[0]?.split(';')[0] ?? '__Host-viewer=s%3Aunknown.x'
      const again = await app.post('/sign-in', ADA, { Cookie })
      responseOf(again.location)
      expectScreen(await app.get('/', { Cookie: '__Host-viewer=s%3Aforged.x' }))
      const returning = await app.get('/', { Cookie })
      expect([200, 303]).toContain(returning.status)
      expect(returning.text).not.toContain('INTERNALMARKER')
    },
  )
})

test('the app is not ready when a store throws at once', async () => {
  const app = await startLoginApp({ users: usersWith({ checkHealth: fail }) })
  expect(await app.get('/health/ready')).toMatchObject({ status: 503, text: expect.stringContaining('"unavailable"') })
})
