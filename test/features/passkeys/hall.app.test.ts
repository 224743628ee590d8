import { expect, test } from 'vitest'
import { rowsFor } from '../../rows.ts'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { enrol, openFrame, openWindow, post, startPasskeys } from './start-passkeys.ts'

/** Single sign-on opens the same window, and has its full hall in every run. */
const HALLS = rowsFor([100], [HALL])

test.each(HALLS)('%i viewers of one address open the window at once, and sign in with passkeys', async (viewers) => {
  const app = await startPasskeys()
  const { authenticator } = await enrol(app)
  const windows = await inHall(async () => await openWindow(app, await openFrame(app)), viewers)
  const done = []
  // One passkey for all: it may sign in five times at the same moment.
  for (const window of windows) done.push(await post(app, 'finish', window, authenticator.signIn(window)))
  expect(statusesOf(done)).toEqual({ 200: viewers })
})
