import { expect, test } from 'vitest'
import type { BrowserKind } from '../../../../browser/launch.ts'
import { press, typeText } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { waitUntilPlaying } from '../../player/viewer.ts'
import { visitDemo } from '../guest-visit.ts'

const KINDS = rowsFor<BrowserKind>(['chromium-no-cookies'], ['chromium', 'firefox', 'firefox-no-cookies'])

test.each(KINDS)('in %s, a guest of the demo types an access code, watches, and chats', async (kind) => {
  const { waitForFrame, complaints, entryPoint, find, ...visit } = await visitDemo(kind, 'codes')
  const enter = async () => {
    const form = await waitForFrame(entryPoint)
    await typeText(form, '#code', find(/DEMO-[0-9A-Z-]+/).toLowerCase())
    await typeText(form, '#name', 'Ada')
    await press(form, '#access-code .primary')
  }
  const player = await visit.openPlayer('1500')
  await enter()
  await waitUntilPlaying(player)

  await visit.openChat('1500')
  await enter()
  await visit.chatAs('Ada')
  expect(complaints).toEqual([])
})
