import { expect, test } from 'vitest'
import type { BrowserKind } from '../../../../browser/launch.ts'
import { press, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { waitUntilPlaying } from '../../player/viewer.ts'
import { visitDemo } from '../guest-visit.ts'

const KINDS = rowsFor<BrowserKind>(['chromium'], ['chromium-no-cookies', 'firefox', 'firefox-no-cookies'])
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo reads the code on the page of mails, watches, and chats', async (kind) => {
  const { waitForFrame, complaints, entryPoint, codes, openPlayer, openChat, chatAs } = await visitDemo(kind, 'guests')
  /** Types the address, and the code of the newest mail, in the frame of the player or chat. */
  const signIn = async (codesBefore: number) => {
    const form = await waitForFrame(entryPoint)
    await typeText(form, '#mail', GUEST)
    await press(form, '.fields .primary')
    const codeForm = await waitForFrame(`${entryPoint}/mail-code`)
    await expect.poll(async () => (await codes()).length, { timeout: 10_000 }).toBe(codesBefore + 1)
    await typeText(codeForm, '#code', (await codes())[0] ?? '')
    await press(codeForm, '.fields .primary')
  }
  const player = await openPlayer('1400')
  await signIn(0)
  await waitUntilPlaying(player)

  await openChat('1400')
  await signIn(1)
  await chatAs(GUEST)
  expect(complaints).toEqual([])
})
