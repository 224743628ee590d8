import { expect, test } from 'vitest'
import { rowsFor } from '../../../../rows.ts'
import { type GuestBrowser, visitDemo } from '../guest-visit.ts'

const KINDS = rowsFor<GuestBrowser>(['chromium'], ['chromium-no-cookies', 'firefox', 'firefox-no-cookies', 'webkit'])
const GUEST = 'guest@example.com'

test.each(KINDS)('in %s, a guest of the demo reads the code on the page of mails, watches, and chats', async (kind) => {
  const guest = await visitDemo(kind, 'guests')
  /** Types the address, and the code of the newest mail, in the frame of the player or chat. */
  const signIn = async (codes: number) => {
    await guest.type('#mail', GUEST)
    await guest.press('.fields .primary')
    await guest.type('#code', await guest.newestCode(codes))
    await guest.press('.fields .primary')
  }
  await guest.openPlayer('1400')
  await signIn(1)
  await guest.untilPlaying()

  await guest.openChat('1400')
  await signIn(2)
  await guest.chatAs(GUEST)
  expect(guest.complaints()).toEqual([])
})
