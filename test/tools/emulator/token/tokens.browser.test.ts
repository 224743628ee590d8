import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import type { OpenPage } from '../../../browser/open-page.ts'
import { press } from '../../../browser/press-and-type.ts'
import { type Service, startService } from '../player/service.ts'
import { waitUntilPlaying } from '../player/viewer.ts'
import { startTinyTokenApp, type TinyTokenApp } from './tiny-token-app.ts'
import { OTHER_KEY_PEM, PUBLIC_KEY } from './token-service.ts'

let service: Service
let login: TinyTokenApp
let browser: LaunchedBrowser
let opened: OpenPage

beforeAll(async () => {
  login = await startTinyTokenApp()
  service = await startService()
  login.serviceUrl = service.emulator.url
  browser = await launchBrowser('chromium')
})
beforeEach(async () => {
  service.clear()
  lock(PUBLIC_KEY)
  login.refs.length = 0
  opened = await browser.openPage()
})
afterEach(async () => {
  expect(opened.complaints).toEqual([])
  await opened.page.close()
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await login.close()
})

function lock(publicKey: string): void {
  const statement = service.database.prepare(`INSERT OR REPLACE INTO viewer_auth VALUES ('live', 1001, ?, ?)`)
  statement.run(login.url, publicKey)
}

test('the frame of the player goes to the login app and back, and each reload asks for a new token', async () => {
  const { page, waitForFrame } = opened
  const { url, port } = service.emulator
  await page.goto(`http://page.localhost:${port}/channel/1001`)
  await press(await waitForFrame(`${login.url}?ref=`), '#sign-in')
  const player = await waitForFrame(`${url}/embed/1001?vt=`)
  await waitUntilPlaying(player)
  expect(await player.$eval('[data-status]', (status) => status.textContent)).toContain('ada@example.com')
  expect(page.frames()).toHaveLength(2)

  await page.reload()
  await waitForFrame(`${login.url}?ref=`)
  expect(login.refs).toEqual([`${url}/embed/1001`, `${url}/embed/1001`])
})

test('an embed with a token in its address shows player and chat without a login, until the key changes', async () => {
  const { page, waitForFrame } = opened
  const { url } = service.emulator
  await page.goto(`${url}/combined/1001?vt=${await login.makeToken()}`)
  await waitUntilPlaying(page.mainFrame())
  expect(await page.$eval('[data-viewer]', (name) => name.textContent)).toBe('as ada@example.com')
  expect(login.refs).toEqual([])
  lock(OTHER_KEY_PEM)
  await page.evaluate(`document.querySelector('video').src += '&again'`)
  await waitForFrame(`${login.url}?ref=`)
  expect(login.refs).toEqual([`${url}/combined/1001`])
})
