import { expect, test } from 'vitest'
import { findViolations } from '../../browser/find-violations.ts'
import { press } from '../../browser/press-and-type.ts'
import { stateOf, viewerForEach, waitUntilPlaying } from './player/viewer.ts'

const now = viewerForEach('chromium')

/** Checks the page itself, without its frames. */
async function check(what: string): Promise<void> {
  expect([what, await findViolations(now.viewer.page, { iframes: false })]).toEqual([what, []])
}

test('axe finds no violation in the player while it is locked, signing in, cancelled, unreachable and open', async () => {
  const { viewer } = now
  const { page, service } = viewer
  const player = page.mainFrame()
  await page.goto(`${service.emulator.url}/embed/1001`)
  await stateOf(player, 'locked')
  await check('locked')
  await press(player, '[data-log-in]')
  await viewer.loginFrame()
  await check('signing in')
  await press(await viewer.loginFrame(), '#cancel')
  await stateOf(player, 'cancelled')
  await check('cancelled')
  await service.post('/emulator/faults', { path: '/embed/hashlock/validate', status: 503 })
  await press(player, '[data-log-in]')
  await press(await viewer.loginFrame(2), '#sign-in')
  expect(await stateOf(player, 'unreachable')).not.toBe('')
  await check('unreachable')
  await press(player, '[data-retry]')
  await waitUntilPlaying(player)
  await check('open')
})

test('axe finds no violation in the chat, the combined embed and the customer’s page', async () => {
  const { page, service } = now.viewer
  await page.goto(`${service.emulator.url}/chat/1002`)
  await page.waitForSelector('[data-conversation]', { visible: true })
  await page.type('#text', 'Hello')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-messages] li')
  await check('chat')
  await page.goto(`${service.emulator.url}/combined/1002`)
  await page.waitForSelector('[data-messages] li')
  await check('combined')
  await page.goto(`http://page.localhost:${service.emulator.port}/channel/1001`)
  await check('customer’s page')
  await page.goto(`${service.emulator.url}/embed/hashlock/pass`)
  await page.waitForSelector('[data-alone]', { visible: true })
  await check('return page on its own')
  await page.goto(`${service.emulator.url}/channel/9`)
  await check('unknown channel')
})

test('axe finds no violation in the developer’s pages, ids stay in one line, and the request log updates itself', async () => {
  const { page, service } = now.viewer
  await service.post('/emulator/faults', { path: '/x', status: 503 })
  await page.goto(`${service.emulator.url}/`)
  await check('home')
  await page.setViewport({ width: 900, height: 700 })
  const lines = await page.$$eval('td code', (ids) => ids.map((id) => id.getClientRects().length))
  expect(new Set(lines)).toEqual(new Set([1]))
  await page.goto(`${service.emulator.url}/emulator/requests`)
  await service.request('/embed/4711')
  await page.waitForFunction(`document.querySelector('[data-requests]').innerText.includes('/embed/4711')`)
  await page.click('[data-requests] summary')
  await check('requests')
})
