import { expect, test } from 'vitest'
import { cookieIn, idIn } from '../../login/signed-in.ts'
import {
  enrol,
  fieldOf,
  openFrame,
  openWindow,
  post,
  pressContinue,
  readWindow,
  startPasskeys,
} from './start-passkeys.ts'

test('the form of the frame sent twice starts one session, for ten seconds', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const page = fieldOf(await pressContinue(app, frame), 'page')
  const window = await openWindow(app, frame)
  // A second form for the window begins again, and its question replaces none.
  const second = await openWindow(app, frame)
  expect((await post(app, 'finish', second, authenticator.signIn(second))).status).toBe(200)
  expect(window.challenge).not.toBe(second.challenge)
  const press = () => pressContinue(app, frame, { page })
  const both = await Promise.all([press(), press()])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect(new Set(both.map((one) => idIn(cookieIn(one)))).size).toBe(1)
  app.clock.seconds += 11
  expect((await press()).status).toBe(409)
})

test('the form with the answer of the authenticator sent twice signs in once, and the second post asks again', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  app.lines.length = 0
  const frame = await openFrame(app)
  const window = await openWindow(app, frame)
  const answer = authenticator.signIn(window)
  const both = await Promise.all([post(app, 'finish', window, answer), post(app, 'finish', window, answer)])
  const asked = both.find(({ status }) => status === 400) ?? expect.unreachable()
  expect(app.lines.filter(({ outcome }) => outcome === 'passkey-signed-in')).toHaveLength(1)
  // The viewer is signed in by the first post, and can also answer the question of the second page.
  expect((await pressContinue(app, frame)).status).toBe(303)
  const next = readWindow(app, asked)
  expect((await post(app, 'finish', next, authenticator.signIn(next))).status).toBe(200)
})

test('a second step to the sign-in in the window begins again', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const frame = await openFrame(app)
  const windows = [await openWindow(app, frame), await openWindow(app, frame)]
  for (const window of windows)
    expect((await post(app, 'finish', window, authenticator.signIn(window))).status).toBe(200)
  expect((await pressContinue(app, frame)).status).toBe(303)
})
