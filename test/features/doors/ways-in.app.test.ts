import { expect, test } from 'vitest'
import { rememberLogout } from '../../../src/features/sso/logout/logged-out.ts'
import type { Sso } from '../../../src/features/sso/open-sso.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'
import { createAuthenticator } from '../passkeys/authenticator.ts'
import { withPasskeys } from '../passkeys/entry-point.ts'
import * as passkeys from '../passkeys/start-passkeys.ts'
import { withSso } from '../sso/entry-point.ts'
import * as sso from '../sso/start-sso.ts'
import { doorSettings, withDoors } from './entry-point.ts'
import { expectWaiting, refreshOf } from './waiting/waiting.ts'

const reasonOf = ({ text }: { text: string }) => /<meta name="reason" content="([^"]*)"/.exec(text)?.[1]

test('single sign-on is behind the door', async () => {
  const doors = doorSettings({ windows: [{ opensAtSeconds: Date.now() / 1000 + 3600, closesAtSeconds: null }] })
  const entryPointsWith = (settings: Parameters<typeof withSso>[0]) => [
    withSso(settings, withDoors(ENTRY_POINT, doors)),
  ]
  const app = await sso.startSso({ entryPointsWith })
  const answer = await sso.signIn(app)
  expect([answer.status, answer.location, reasonOf(answer), answer.setCookies]).toEqual([
    403,
    undefined,
    'not-open-yet',
    [],
  ])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'not-entitled', code: 'not-open-yet' })
})

test('a passkey is behind the door', async () => {
  const windows = [{ opensAtSeconds: null, closesAtSeconds: START_SECONDS + 60 }]
  const app = await passkeys.startPasskeys({ entryPoints: [withPasskeys(withDoors(ENTRY_POINT, { windows }))] })
  const { authenticator } = await passkeys.enrol(app, createAuthenticator())
  app.clock.seconds = START_SECONDS + 60
  const frame = await passkeys.openFrame(app)
  const window = await passkeys.openWindow(app, frame)
  await passkeys.post(app, 'finish', window, authenticator.signIn(window))
  const answer = await passkeys.pressContinue(app, frame)
  expect([answer.status, answer.location, reasonOf(answer), answer.setCookies]).toEqual([403, undefined, 'over', []])
})

test('an SSO viewer waits, passes with a session, and does not pass after a logout at the provider', async () => {
  const clock = { seconds: Date.now() / 1000 }
  const opens = clock.seconds + 600
  const doors = doorSettings({ windows: [{ opensAtSeconds: opens, closesAtSeconds: null }], hasWaitingRoom: true })
  let flows: Sso['flows'] | undefined
  const app = await sso.startSso({
    entryPointsWith: (settings) => [withSso(settings, withDoors(ENTRY_POINT, doors))],
    nowSeconds: () => clock.seconds,
    changeSso(opened) {
      flows = opened.flows
      return opened
    },
  })
  const enter = async () => await app.get((await sso.signIn(app)).location ?? '')
  const first = await enter()
  expectWaiting(first)
  const { issuer, subject } = app.lines.find(({ outcome }) => outcome === 'waiting') ?? {}
  clock.seconds = opens
  const answer = await app.get(refreshOf(first).path)
  expect([answer.status, answer.setCookies.length]).toEqual([303, 1])
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'signed-in', issuer, subject })

  clock.seconds = opens - 599
  const second = await enter()
  const logout = { issuer: String(issuer), subject: String(subject), providerSession: null }
  await rememberLogout(flows ?? expect.unreachable('Single sign-on is off'), logout, clock.seconds + 1)
  clock.seconds += 300
  const renewal = await app.get(refreshOf(second).path)
  expect([renewal.status, reasonOf(renewal)]).toEqual([200, undefined])
  clock.seconds = opens
  expect((await app.get(refreshOf(second).path)).location).toBeUndefined()
  expect(app.lines.at(-1)).toMatchObject({ outcome: 'refused-request', reason: 'the sign-in of the pass has ended' })
})

test('a viewer with a passkey waits', async () => {
  const windows = [{ opensAtSeconds: START_SECONDS - 60, closesAtSeconds: START_SECONDS - 30 }]
  const later = { opensAtSeconds: START_SECONDS + 600, closesAtSeconds: null }
  const room = { windows: [...windows, later], hasWaitingRoom: true }
  const app = await passkeys.startPasskeys({ entryPoints: [withPasskeys(withDoors(ENTRY_POINT, room))] })
  const { authenticator } = await passkeys.enrol(app, createAuthenticator())
  const frame = await passkeys.openFrame(app)
  const window = await passkeys.openWindow(app, frame)
  await passkeys.post(app, 'finish', window, authenticator.signIn(window))
  const page = await app.get((await passkeys.pressContinue(app, frame)).location ?? '')
  expectWaiting(page)
  app.clock.seconds = START_SECONDS + 600
  expect((await app.get(refreshOf(page).path)).status).toBe(303)
})
