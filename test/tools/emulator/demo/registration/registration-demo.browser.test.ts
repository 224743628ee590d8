import { expect, test } from 'vitest'
import type { BrowserKind } from '../../../../browser/launch.ts'
import { press, pressKey, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { waitUntilPlaying } from '../../player/viewer.ts'
import { visitDemo } from '../guest-visit.ts'

const KINDS = rowsFor<BrowserKind>(['chromium-no-cookies'], ['chromium', 'firefox', 'firefox-no-cookies'])
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo registers, watches, and chats', async (kind) => {
  const visit = await visitDemo(kind, 'registration')
  const { waitForFrame, complaints, entryPoint, codes } = visit
  /** Types the address and its code in the frame of the player or chat. */
  const prove = async (codesBefore: number) => {
    await press(await waitForFrame(entryPoint), 'a[href*="/register"]')
    const form = await waitForFrame(`${entryPoint}/register`)
    await typeText(form, '#address', GUEST)
    await press(form, '.fields .primary')
    await expect.poll(async () => (await codes()).length, { timeout: 10_000 }).toBe(codesBefore + 1)
    const codeForm = await waitForFrame(`${entryPoint}/register`)
    await codeForm.waitForSelector('#code')
    await typeText(codeForm, '#code', (await codes())[0] ?? '')
    await press(codeForm, '.fields .primary')
  }
  const player = await visit.openPlayer('1600')
  await prove(0)
  const first = await waitForFrame(`${entryPoint}/register/code`)
  await typeText(first, '#field1', 'Acme')
  await first.select('[name="field2"]', 'Balcony')
  await press(first, '.fields .primary')
  const last = await waitForFrame(`${entryPoint}/register/fields`)
  await pressKey(last, '.check input', ' ')
  await press(last, '.fields .primary')
  await waitUntilPlaying(player)

  // In the chat, the address and a code are enough.
  await visit.openChat('1600')
  await prove(1)
  await visit.chatAs(GUEST)
  expect(complaints).toEqual([])
})
