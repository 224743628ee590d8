import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { LANGUAGES } from '../../login/screens/every-screen.ts'
import { FRAME_SIZES, faultsIn, framesIn, startBrandedApp, WINDOW_SIZES, windowsIn } from './passkey-screens.ts'

let launched: LaunchedBrowser
beforeAll(async () => {
  launched = await launchBrowser('chromium')
})
afterAll(() => launched.close())

test('every screen with passkeys fits every size in every language: nothing scrolls, is cut off or overlaps', async () => {
  const app = await startBrandedApp()
  const { page } = await launched.openPage()
  await page.goto(`${app.origin}/?prompt=passkey`)
  const faults: string[] = []
  for (const language of LANGUAGES) faults.push(...(await faultsIn(page, await framesIn(app, language), FRAME_SIZES)))
  expect(faults).toEqual([])
  await page.close()
})

test('every page of the window fits a phone and a window in every language', async () => {
  const app = await startBrandedApp()
  const { page } = await launched.openPage()
  // Its stylesheet is not the one of the frame.
  await page.goto(`${app.origin}/passkey/start`)
  const faults: string[] = []
  for (const language of LANGUAGES) faults.push(...(await faultsIn(page, await windowsIn(app, language), WINDOW_SIZES)))
  expect(faults).toEqual([])
  await page.close()
})
