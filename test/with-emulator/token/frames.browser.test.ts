import { afterAll, expect, test } from 'vitest'
import { openBrowsers } from '../viewer.ts'
import { signIn, startTokenSites } from './sites.ts'

/** The matrix of browsers is in `token-frames.soak.test.ts`. */

const browsers = openBrowsers()
afterAll(() => browsers.close())

test('the frame of the player goes to the login app and back, also after a cancel, a mistake and a reload', async () => {
  const sites = await startTokenSites()
  const viewer = await browsers.arrive('chromium', sites)
  await viewer.openLogin('embed/1001')
  await viewer.press('button.quiet')
  await viewer.press('a.primary')
  await signIn(viewer, 'not the password')
  await viewer.textOf('[role="alert"]')
  await signIn(viewer)
  await viewer.untilPlaying()
  await viewer.reload()
  await viewer.untilPlaying()
  expect(sites.outcomes()).toEqual(['cancelled', 'wrong-credentials', 'signed-in', 'returned'])
  expect(viewer.complaints()).toEqual([])
})

test('a player with a token plays without the login app, and asks for another token at a reload', async () => {
  const sites = await startTokenSites()
  const viewer = await browsers.arrive('chromium', sites)
  await viewer.openLogin(`embed/1001?vt=${await sites.makeToken()}`)
  await viewer.untilPlaying()
  await viewer.reload()
  await sites.fetchServiceKeys('away')
  await signIn(viewer)
  await viewer.textOf('[role="alert"]')
  await sites.fetchServiceKeys()
  await signIn(viewer)
  await viewer.untilPlaying()
  expect(sites.outcomes()).toEqual(['failed', 'signed-in'])
  expect(viewer.complaints()).toEqual([])
})
