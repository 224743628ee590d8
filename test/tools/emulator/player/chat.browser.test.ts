import { describe, expect, test } from 'vitest'
import { press } from '../../../browser/press-and-type.ts'
import { BROWSERS, FORGETFUL_BROWSERS, stateOf, viewerForEach, waitUntilPlaying } from './viewer.ts'

const lastMessage = `document.querySelector('[data-messages] li:last-child')?.innerText`

/** From the end of the hint that the chat is empty to the field for a message, in CSS pixels. */
const roomBelowTheHint = `document.querySelector('.chat-form').getBoundingClientRect().top
  - document.querySelector('[data-empty]').getBoundingClientRect().bottom`

describe.each([...BROWSERS, ...FORGETFUL_BROWSERS])('in %s', (kind) => {
  const now = viewerForEach(kind)

  test('the chat signs a viewer in through hashConsumer, and shows each message to both viewers', async () => {
    const { browser, viewer } = now
    const { page, service, login } = viewer
    const { url } = service.emulator
    await page.goto(`${url}/chat/1001`)
    expect(await stateOf(page.mainFrame(), 'locked')).not.toBe('')
    await press(page.mainFrame(), '[data-log-in]')
    await press(await viewer.loginFrame(), '#sign-in')
    expect(login.visits[0]?.get('hashConsumer')).toBe(`${url}/chat/authorize/1001?resource=%2Fchat%2F1001`)
    await page.waitForSelector('[data-conversation]', { visible: true })
    await page.setViewport({ width: 320, height: 180 })
    expect(await page.evaluate(roomBelowTheHint)).toBeGreaterThanOrEqual(0)
    await page.setViewport(null)

    const other = await browser.openPage()
    // The chat, opened with the whole window: the return page leads to its resource.
    login.isRemembering = true
    const consumer = encodeURIComponent(`${url}/chat/authorize/1001?resource=%2Fchat%2F1001`)
    await other.page.goto(`${login.url}?hashConsumer=${consumer}`)
    await other.page.waitForSelector('[data-conversation]', { visible: true })
    expect(other.page.url()).toBe(`${url}/chat/1001`)

    await page.bringToFront()
    await page.type('#text', 'Is <b>this</b> on?')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`${lastMessage}?.includes('Is <b>this</b> on?')`)
    await other.page.bringToFront()
    await other.page.waitForFunction(`${lastMessage}?.includes('Is <b>this</b> on?')`)
    expect(await other.page.evaluate(lastMessage)).toMatch(/^ada@example\.com/)
    expect(other.complaints).toEqual([])
    await other.page.close()
  })

  // A browser that keeps nothing adds nothing here: neither page is loaded again.
  if (FORGETFUL_BROWSERS.includes(kind)) return

  test('one sign-in opens the player and the chat beside it', async () => {
    const { viewer } = now
    const { page, service, login } = viewer
    await page.goto(`${service.emulator.url}/combined/recorded/2001`)
    await press(page.mainFrame(), '[data-log-in]')
    await press(await viewer.loginFrame(), '#sign-in')
    await waitUntilPlaying(page.mainFrame())
    await page.type('#text', 'Hello')
    await page.keyboard.press('Enter')
    await page.waitForFunction(`${lastMessage}?.includes('Hello')`)
    expect(login.visits).toHaveLength(1)
  })
})
