import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import {
  runAttack,
  type Victim,
  victimIn,
  victimInWebKit,
  WINDOW_ATTACKS,
  type WindowAttack,
} from './window-attacks.ts'

async function expectDefence(victim: Victim, attack: WindowAttack): Promise<void> {
  const { isWon, isRefused } = await runAttack(victim, attack, null)
  expect([isWon, isRefused]).toEqual([false, attack.refusal !== null])
}

describe.each(['chromium', 'firefox'] as const)('attacks on the sign-in window, in %s', (kind) => {
  let launched: LaunchedBrowser
  beforeAll(async () => {
    launched = await launchBrowser(kind)
  })
  afterAll(() => launched.close())

  test.each(WINDOW_ATTACKS)('without its guard, the attack succeeds: $name', async (attack) => {
    expect((await runAttack(await victimIn(launched.browser), attack, attack.weakness)).isWon).toBe(true)
  })
  test.each(WINDOW_ATTACKS)('with its guard, the attack fails: $name', async (attack) => {
    await expectDefence(await victimIn(launched.browser), attack)
  })
})

describe('attacks on the sign-in window, in WebKit', () => {
  test.each(WINDOW_ATTACKS)('without its guard, the attack succeeds: $name', async (attack) => {
    expect((await runAttack(await victimInWebKit(), attack, attack.weakness)).isWon).toBe(true)
  })
  test.each(WINDOW_ATTACKS)('with its guard, the attack fails: $name', async (attack) => {
    await expectDefence(await victimInWebKit(), attack)
  })
})
