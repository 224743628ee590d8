import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { START_SECONDS } from '../../login/start-login-app.ts'
import { createAuthenticator } from '../passkeys/authenticator.ts'
import { withPasskeys } from '../passkeys/entry-point.ts'
import * as passkeys from '../passkeys/start-passkeys.ts'
import { withSso } from '../sso/entry-point.ts'
import * as sso from '../sso/start-sso.ts'
import { doorSettings, withDoors } from './entry-point.ts'

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
