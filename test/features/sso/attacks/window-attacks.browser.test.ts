import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { runAttack, victimIn, WINDOW_ATTACKS } from './window-attacks.ts'

let launched: LaunchedBrowser
beforeAll(async () => {
  launched = await launchBrowser('chromium')
})
afterAll(() => launched.close())

test.each(WINDOW_ATTACKS)('an attack fails in Chromium: $name', async (attack) => {
  const { isWon, isRefused } = await runAttack(await victimIn(launched.browser), attack, null)
  expect([isWon, isRefused]).toEqual([false, attack.refusal !== null])
})
