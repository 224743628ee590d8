import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { newToken } from '../../../src/features/account/links/tokens.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { ADA, addAda, programSettings } from '../../login/login-program.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import { enrol, openFrame, openWindow, type PasskeyApp, post, readWindow, typePassword } from './start-passkeys.ts'

const KILLS = 50
const ORIGIN = 'http://localhost:3000'

type Store = ReturnType<typeof openEditableSqliteStore>

/** Talks to the program as the other tests of passkeys talk to the app. */
function clientOf(port: number, store: Store): PasskeyApp {
  async function send(method: string, path: string, headers: Record<string, string> = {}, form?: unknown) {
    const body = form === undefined ? null : typeof form === 'string' ? form : formOf(form as Record<string, string>)
    const type = body === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      body,
      headers: { ...type, ...headers },
      redirect: 'manual',
    })
    const { status } = answer
    return { status, setCookies: answer.headers.getSetCookie(), text: await answer.text() }
  }
  const app = {
    origin: ORIGIN,
    passkeys: store.passkeys,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, headers),
    post: (path: string, form?: unknown, headers?: Record<string, string>) => send('POST', path, headers, form),
  }
  return app as unknown as PasskeyApp
}

/** Returns the cookie of a new session; null if the password is refused. */
async function sessionWith(app: PasskeyApp, password: string): Promise<string | null> {
  const { status, setCookies } = await app.post('/sign-in', { username: ADA.username, password })
  expect([303, 401]).toContain(status)
  return status === 303 ? (setCookies[0]?.split(';')[0] ?? null) : null
}

const isAlive = async (app: PasskeyApp, Cookie: string) => (await app.get('/', { Cookie })).status === 303

async function signsIn(app: PasskeyApp, authenticator: Authenticator): Promise<boolean> {
  const window = await openWindow(app, await openFrame(app))
  return (await post(app, 'finish', window, authenticator.signIn(window))).status === 200
}

/** Begins to create a passkey, and returns the post that finishes it. */
async function beginCreation(app: PasskeyApp, password: string) {
  const window = readWindow(app, await typePassword(app, await openFrame(app), { ...ADA, password }))
  const answer = createAuthenticator().create(window, window.publicKey.user?.id ?? '')
  return (at: PasskeyApp) => post(at, 'create', window, answer)
}

/** The ways to set a new password. Each returns true if the app said that it is done. */
const WAYS = {
  async change(app: PasskeyApp, old: string, password: string) {
    const fields = { username: ADA.username, password: old, newPassword: password, repeatPassword: password }
    return (await app.post('/account/change-password', fields)).status === 200
  },
  /** Removes all passkeys too. */
  async reset(app: PasskeyApp, token: string, password: string) {
    const { text } = await app.get(`/account/new-password?token=${token}`)
    const form = new URLSearchParams({ token, newPassword: password, repeatPassword: password })
    for (const [, value = ''] of text.matchAll(/name="removePasskey" value="([^"]+)"/g))
      form.append('removePasskey', value)
    return (await app.post('/account/new-password', `${form}`)).status === 200
  },
}

test(`after ${KILLS} kills during new passwords, sign-ins and passkeys, nothing works that had ended`, {
  timeout: 900_000,
}, async () => {
  const settings: Record<string, string> = {
    ...programSettings(),
    PASSKEYS: 'on',
    SMTP_URL: 'smtp://localhost:1',
    MAIL_FROM: 'login@example.com',
    SESSIONS_PER_VIEWER: '1000',
  }
  await addAda(settings)
  const store = openEditableSqliteStore((settings.USER_STORE_URL ?? '').replace('sqlite:', ''))
  onTestFinished(() => store.close())
  let password = ADA.password
  let program = await startLoginProgram(settings)
  const counts = { changed: 0, kept: 0, ended: 0, signIns: 0, killedSignIns: 0 }

  for (let round = 0; round < KILLS; round += 1) {
    const app = clientOf(program.port, store)
    const way = round % 2 === 0 ? 'change' : 'reset'
    const next = `PASSWORDMARKER heron ${round}`
    const old = password
    const { token, digest } = newToken()
    const link = { purpose: 'reset', digest, expiresAtSeconds: Date.now() / 1000 + 3_600 } as const
    await store.passwordChanges.createLink(ADA.username, link)
    const startMs = performance.now()
    const { authenticator } = await enrol(app, createAuthenticator(), { ...ADA, password })
    const cookies = [(await sessionWith(app, password)) ?? expect.unreachable()]
    const finish = await beginCreation(app, password)
    // The steps so far are about as long as half of the work below, however slow the machine is.
    const longestMs = 4 * (performance.now() - startMs)
    const signIns = Array.from({ length: 4 }, async (_, index) => {
      await sleep(index * 20)
      const cookie = await sessionWith(app, old)
      counts.signIns += 1
      if (cookie !== null) cookies.push(cookie)
    })
    const renewing = WAYS[way](app, way === 'change' ? old : token, next)
    const creating = sleep(Math.random() * longestMs).then(() => finish(app))
    const work = Promise.allSettled([renewing, creating, ...signIns])
    await sleep(Math.random() * longestMs)
    program.child.kill('SIGKILL')
    await program.ended
    const [renewed] = await work
    counts.killedSignIns += (await Promise.allSettled(signIns)).filter(({ status }) => status === 'rejected').length

    program = await startLoginProgram(settings)
    const again = clientOf(program.port, store)
    const isNew = (await sessionWith(again, next)) !== null
    // Exactly one password is right, and it is the new one if the app said so.
    expect([round, (await sessionWith(again, old)) !== null]).toEqual([round, !isNew])
    if (renewed?.status === 'fulfilled' && renewed.value) expect([round, isNew]).toEqual([round, true])
    counts[isNew ? 'changed' : 'kept'] += 1
    if (isNew) {
      password = next
      counts.ended += cookies.length
      for (const cookie of cookies) expect([round, way, await isAlive(again, cookie)]).toEqual([round, way, false])
      expect([round, (await again.get(`/account/new-password?token=${token}`)).status]).toEqual([round, 410])
      if (way === 'reset') expect([round, await signsIn(again, authenticator)]).toEqual([round, false])
    }
    expect([round, (await finish(again)).status]).toEqual([round, 400])
    for (const { id } of await store.passkeys.list(ADA.username)) await store.passkeys.remove(ADA.username, id)
    expect([round, await signsIn(again, authenticator)]).toEqual([round, false])
    const fresh = (await sessionWith(again, password)) ?? expect.unreachable()
    expect([round, await isAlive(again, fresh)]).toEqual([round, true])
  }
  console.log(JSON.stringify(counts))
  expect(counts.changed).toBeGreaterThan(KILLS / 10)
  expect(counts.kept).toBeGreaterThan(KILLS / 10)
})
