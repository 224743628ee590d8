import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionData } from 'express-session'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteSessionStore } from '../../../../src/sessions/sqlite-store.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { providerSessionOf } from '../../../sessions/identity-sessions-contract.ts'
import { startExampleService } from '../../../users/http/example-service.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../sqlite/run-here.ts'

const ada = { username: 'Ada@Example.com', groups: ['staff'], attributes: { seat: '12' } }
const HOUR = 3600
const now = Math.floor(Date.now() / 1000)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Stores Ada with a password, and more viewers without one. */
async function storeWith(cwd: string, ...invited: string[]) {
  mkdirSync(join(cwd, 'data'), { recursive: true })
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  onTestFinished(() => store.close())
  await store.add(ada, 'correct horse battery')
  for (const username of invited) await store.add({ ...ada, username }, null)
  return store
}

/** Stores sessions as the app does: the times of the sign-in and of the last use, in seconds from now. */
function sessionsIn(cwd: string, username: string, ...times: [begin: number, used: number][]): string {
  const file = join(cwd, 'sessions.db')
  for (const [index, [begin, used]] of times.entries()) {
    const limits = { lifetimeSeconds: 99_999, idleSeconds: 99_999, mostPerViewer: 100 }
    const sessions = openSqliteSessionStore(file, limits, () => now + used)
    const data = { cookie: { originalMaxAge: null }, viewer: { username, signedInAtSeconds: now + begin } }
    sessions.store.set(`session-${index}`, data as SessionData, () => {})
    sessions.close()
  }
  return `sqlite:${file}`
}

async function show(cwd: string, username: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = await runHere(['viewers', 'show', username, '--json'], { cwd, env })
  return { status, stderr, shown: stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>) }
}

test('viewers show tells state, groups, attributes and sessions', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  const env = {
    LIMITS_STORE_URL: 'memory:',
    SESSION_STORE_URL: sessionsIn(cwd, 'ada@EXAMPLE.com', [-5 * HOUR, -60], [-HOUR, -HOUR], [-9 * HOUR, -1]),
  }
  const { status, stderr, shown } = await show(cwd, 'ada@example.com', env)
  expect([status, stderr]).toEqual([0, ''])
  expect(shown).toMatchObject({
    ...ada,
    state: 'active',
    failedSignIns: null,
    // A session ends eight hours after the sign-in.
    sessions: [
      { signedInAt: iso(now - HOUR), lastUsedAt: iso(now - HOUR), provider: null, guest: null },
      { signedInAt: iso(now - 5 * HOUR), lastUsedAt: iso(now - 60), provider: null, guest: null },
    ],
    faults: [],
  })
  const { stdout } = await runHere(['viewers', 'show', 'ada@example.com'], { cwd, env })
  for (const text of ['staff', 'seat=12', iso(now - 60), 'memory:']) expect(stdout).toContain(text)
  // The beginning of a password hash.
  expect(stdout).not.toContain('$argon2id')
  expect(stdout).not.toContain('session-0')
})

test('viewers show names the identity of a viewer whom only an identity provider knows', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  const identity = { issuer: 'https://idp.example', subject: 'a1' }
  const file = join(cwd, 'sessions.db')
  const limits = { lifetimeSeconds: 99_999, idleSeconds: 99_999, mostPerViewer: 100 }
  const sessions = openSqliteSessionStore(file, limits, () => now)
  const add = (id: string, endsAtSeconds: number) =>
    sessions.store.set(id, providerSessionOf('grace@example.com', now - 60, { endsAtSeconds }), () => {})
  add('a', now + HOUR)
  add('over', now - 1)
  sessions.close()
  const env = { SESSION_STORE_URL: `sqlite:${file}` }
  const { status, shown } = await show(cwd, 'Grace@example.com', env)
  expect([status, shown]).toEqual([
    0,
    expect.objectContaining({
      state: 'only-at-provider',
      groups: null,
      sessions: [{ signedInAt: iso(now - 60), lastUsedAt: iso(now), provider: identity, guest: null }],
    }),
  ])
  const { stdout } = await runHere(['viewers', 'show', 'grace@example.com'], { cwd, env })
  expect(stdout).toContain('subject a1 at https://idp.example')
  expect((await show(cwd, 'nobody@example.com', env)).status).toBe(1)
})

test('viewers show tells a disabled viewer and the states after viewers invite apart', async () => {
  const cwd = temporaryFolder()
  const store = await storeWith(cwd, 'invited', 'expired', 'none', 'not-sent')
  const link = (digest: string, expiresAtSeconds: number) =>
    ({ purpose: 'invitation', digest, expiresAtSeconds }) as const
  await store.passwordChanges.createLink('invited', link('d1', now + HOUR))
  await store.markSent('d1')
  await store.passwordChanges.createLink('expired', link('d2', now - HOUR))
  await store.markSent('d2')
  await store.passwordChanges.createLink('not-sent', link('d3', now + HOUR))
  await store.setDisabled('ada@example.com', true)
  const stateOf = async (name: string) => {
    const { shown } = await show(cwd, name)
    return [shown?.state, shown?.invitation]
  }
  expect(await stateOf('ada@example.com')).toEqual(['disabled', null])
  expect(await stateOf('invited')).toEqual(['invited', { expiresAt: iso(now + HOUR), isSent: true }])
  expect(await stateOf('expired')).toEqual(['invitation-expired', { expiresAt: iso(now - HOUR), isSent: true }])
  expect(await stateOf('not-sent')).toEqual(['no-password', { expiresAt: iso(now + HOUR), isSent: false }])
  expect(await stateOf('none')).toEqual(['no-password', null])
})

test('viewers show prints the newest 20 sessions of a shared account, and all of them as JSON', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  const begins = Array.from({ length: 25 }, (_, index): [number, number] => [-100 - index, -1])
  const env = { SESSION_STORE_URL: sessionsIn(cwd, 'ada@example.com', ...begins) }
  const { stdout } = await runHere(['viewers', 'show', 'ada@example.com'], { cwd, env })
  expect(stdout.match(/began/g)).toHaveLength(20)
  expect(stdout).toContain(iso(now - 100))
  expect(stdout).not.toContain(iso(now - 124))
  expect((await show(cwd, 'ada@example.com', env)).shown?.sessions).toHaveLength(25)
})

test('viewers show refuses an unknown viewer', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  expect(await show(cwd, 'nobody')).toEqual({ status: 1, shown: null, stderr: expect.stringContaining('nobody') })
})

test('viewers show tells the sessions of a name that the user store does not have, and fails', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  const removed = await show(cwd, 'removed', { SESSION_STORE_URL: sessionsIn(cwd, 'removed', [-1 * HOUR, -60]) })
  expect(removed).toMatchObject({ status: 1, shown: { state: 'not-in-store', sessions: [{ provider: null }] } })
})

test('viewers show says what it can read if the file of sessions is damaged, and fails', async () => {
  const cwd = temporaryFolder()
  await storeWith(cwd)
  const file = join(cwd, 'sessions.db')
  writeFileSync(file, 'no database, but long enough to be read as one '.repeat(99))
  const { status, shown } = await show(cwd, 'ada@example.com', { SESSION_STORE_URL: `sqlite:${file}` })
  expect(status).toBe(1)
  expect(shown).toMatchObject({ state: 'active', sessions: null, faults: [expect.stringContaining(file)] })
})

test('viewers show asks a login service by the look-up', async () => {
  const cwd = temporaryFolder()
  const { url, token, findUrl } = await startExampleService()
  const env = { USER_STORE_URL: url, HTTP_STORE_TOKEN: token, SESSION_STORE_URL: sessionsIn(cwd, 'gone', [-60, -60]) }
  const finds = { ...env, HTTP_STORE_FIND_URL: findUrl ?? '' }
  expect(await show(cwd, 'ada@EXAMPLE.com', finds)).toMatchObject({
    status: 0,
    shown: { username: 'Ada@example.com', state: 'active', groups: ['staff'], attributes: { seat: '12' } },
  })
  const unknown = { state: 'unknown-or-disabled', groups: null }
  expect(await show(cwd, 'gone', finds)).toMatchObject({ status: 1, shown: unknown })
  expect(await show(cwd, 'gone', env)).toMatchObject({ status: 0, shown: { state: 'unknown', groups: null } })
})
