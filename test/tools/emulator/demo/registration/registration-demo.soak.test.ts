import { expect, test } from 'vitest'
import { visitDemo } from '../guest-visit.ts'

const KINDS = ['chromium-no-cookies', 'chromium', 'firefox', 'firefox-no-cookies', 'webkit'] as const
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo registers, watches, and chats', async (kind) => {
  const guest = await visitDemo(kind, 'registration')
  /** Types the address and its code in the frame of the player or chat. */
  const prove = async (codes: number) => {
    await guest.press('a[href*="/register"]')
    await guest.type('#address', GUEST)
    await guest.press('.fields .primary')
    await guest.type('#code', await guest.newestCode(codes))
    await guest.press('.fields .primary')
  }
  await guest.openPlayer('1600')
  await prove(1)
  await guest.type('#field1', 'Acme')
  await guest.choose('[name="field2"]', 'Balcony')
  await guest.press('.fields .primary')
  await guest.check('.check input')
  await guest.press('.fields .primary')
  await guest.untilPlaying()

  // In the chat, the address and a code are enough.
  await guest.openChat('1600')
  await prove(2)
  await guest.chatAs(GUEST)
  expect(guest.complaints()).toEqual([])
})
