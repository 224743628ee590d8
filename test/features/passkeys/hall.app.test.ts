import { expect, test } from 'vitest'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { enrol, openFrame, openWindow, post, startPasskeys } from './start-passkeys.ts'

test('1,000 viewers of one address open the window at once, and sign in with passkeys', async () => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const windows = await inHall(async () => await openWindow(app, await openFrame(app)))
  const done = []
  // One passkey for all: it may sign in five times at the same moment.
  for (const window of windows) done.push(await post(app, 'finish', window, authenticator.signIn(window)))
  expect(statusesOf(done)).toEqual({ 200: HALL })
})
