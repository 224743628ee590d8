import { expect, test } from 'vitest'
import type { UserStore } from '../../../src/users/user-store.ts'
import { expectScreen, signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { type AccountApp, NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const NEW = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }
const THIEF = { newPassword: 'the password of a thief', repeatPassword: 'the password of a thief' }
const CHANGE = '/account/change-password'

const byChange = (app: AccountApp) => app.post(CHANGE, { ...ADA, ...NEW })
const byCommand = (app: AccountApp) => app.store.setPassword(ADA.username, NEW_PASSWORD)

async function byReset(app: AccountApp) {
  await app.post('/account/forgot', { username: ADA.username })
  const [mail] = await app.mail.received(1)
  const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
  expect(await app.post('/account/new-password', { token, ...NEW })).toMatchObject({ status: 200 })
}

const WAYS = [
  ['a change', byChange],
  ['a reset', byReset],
  ['viewers set-password', byCommand],
] as const

/** Starts the app. `hold` keeps the next check of a password back after it succeeded, until it is let go. */
async function startHolding() {
  let held = Promise.resolve()
  const app = await startAccountApp({
    changeUsers: (users) => ({
      ...users,
      async authenticate(...credentials: Parameters<UserStore['authenticate']>) {
        const waits = held
        held = Promise.resolve()
        const authentication = await users.authenticate(...credentials)
        await waits
        return authentication
      },
    }),
  })
  function hold<T>(work: () => Promise<T>) {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    const done = work()
    return {
      async letGo() {
        resolve()
        return await done
      },
    }
  }
  return { ...app, hold }
}

test.each(WAYS)(
  'a sign-in whose old password was checked before %s gets no session that lasts',
  async (_way, renew) => {
    const app = await startHolding()
    const signingIn = app.hold(() => signIn(app))
    await renew(app)
    expectScreen(await app.get('/', { Cookie: await signingIn.letGo() }))
    expect(app.lines).toContainEqual(expect.objectContaining({ event: 'session-ended', reason: 'password changed' }))
    const Cookie = await signIn(app, { username: ADA.username, password: NEW_PASSWORD })
    expect(await app.get('/', { Cookie })).toMatchObject({ status: 303 })
  },
)

test.each(WAYS)('a change whose old password was checked before %s changes nothing', async (_way, renew) => {
  const app = await startHolding()
  const changing = app.hold(() => app.post(CHANGE, { ...ADA, ...THIEF }))
  await renew(app)
  expect(await changing.letGo()).toMatchObject({ status: 401 })
  await signIn(app, { username: ADA.username, password: NEW_PASSWORD })
})

test('a session ends with its password, even if the app stops before it ends the session', async () => {
  const app = await startAccountApp()
  const Cookie = await signIn(app)
  await byCommand(app)
  expectScreen(await app.get('/', { Cookie }))
})
