import { expect, test } from 'vitest'
import { visitDemo } from '../guest-visit.ts'

const KINDS = ['chromium-no-cookies', 'chromium', 'firefox', 'firefox-no-cookies', 'webkit'] as const

test.each(KINDS)('in %s, a guest of the demo types an access code, watches, and chats', async (kind) => {
  const guest = await visitDemo(kind, 'codes')
  const enter = async () => {
    await guest.type('#code', guest.find(/DEMO-[0-9A-Z-]+/).toLowerCase())
    await guest.type('#name', 'Ada')
    await guest.press('#access-code .primary')
  }
  await guest.openPlayer('1500')
  await enter()
  await guest.untilPlaying()

  await guest.openChat('1500')
  await enter()
  await guest.chatAs('Ada')
  expect(guest.complaints()).toEqual([])
})
