import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { runAttack, WINDOW_ATTACKS } from './window-attacks.ts'

describe.each(['chromium', 'firefox'] as const)('attacks on the sign-in window, in %s', (kind) => {
  let launched: LaunchedBrowser
  beforeAll(async () => {
    launched = await launchBrowser(kind)
  })
  afterAll(() => launched.close())

  test.each(WINDOW_ATTACKS)('without its guard, the attack succeeds: $name', async (attack) => {
    const { isWon } = await runAttack(launched.browser, attack, attack.weakness)
    expect(isWon).toBe(true)
  })
  test.each(WINDOW_ATTACKS)('with its guard, the attack fails: $name', async (attack) => {
    const { isWon, isRefused } = await runAttack(launched.browser, attack, null)
    expect([isWon, isRefused]).toEqual([false, attack.refusal !== null])
  })
})
