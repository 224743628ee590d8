import { describe, expect, test } from 'vitest'
import { press } from '../../../browser/press-and-type.ts'
import { SECRET } from './service.ts'
import { inOneHour, makeResponse } from './tiny-login-app.ts'
import { BROWSERS, FORGETFUL_BROWSERS, stateOf, viewerForEach, waitUntilPlaying } from './viewer.ts'

type Now = ReturnType<typeof viewerForEach>

describe.each([...BROWSERS, ...FORGETFUL_BROWSERS])('in %s', (kind) => {
  const now = viewerForEach(kind)
  signIn(now)
  if (BROWSERS.includes(kind)) {
    responsesKept(now)
    screens(now)
  } else nothingKept(now)
})

function signIn(now: Now): void {
  test('the player shows the entry point in its frame, and plays once the viewer has signed in there', async () => {
    const player = await now.viewer.openCustomerPage('/channel/1001')
    expect(await stateOf(player, 'locked')).not.toBe('')
    expect(await player.$eval('video', (video) => video.hasAttribute('src'))).toBe(false)
    await press(player, '[data-log-in]')
    await press(await now.viewer.loginFrame(), '#sign-in')
    await waitUntilPlaying(player)
    expect(now.viewer.login.visits.map(String)).toEqual(['ustreamContentType=live&ustreamContentId=1001'])
    expect(await player.$eval('[data-status]', (status) => status.textContent)).toContain('ada@example.com')
    expect(await player.$('iframe')).toBeNull()
  })
}

function nothingKept(now: Now): void {
  test('the player asks for a new sign-in after a reload, because the browser keeps nothing', async () => {
    await now.viewer.signIn('/video/2002')
    await stateOf(await now.viewer.openCustomerPage('/video/2002'), 'locked')
    expect(now.viewer.login.visits).toHaveLength(1)
  })
}

function responsesKept(now: Now): void {
  test('the player asks the entry point again at each expiry, and plays on where it was, by itself if the login app knows the viewer', async () => {
    const { login } = now.viewer
    login.makeResponse = () => makeResponse([['user', 'ada']], inOneHour() - 3597, SECRET)
    const player = await now.viewer.signIn('/video/2001')
    const again = await now.viewer.loginFrame(2)
    await stateOf(player, 'signing-in')
    expect(await player.$eval('video', (video) => video.paused)).toBe(true)
    const position = Number(await player.$eval('video', (video) => video.currentTime))
    expect(position).toBeGreaterThan(0.5)
    expect(login.visits).toHaveLength(2)
    await press(again, '#sign-in')
    expect(await waitUntilPlaying(player)).toBeGreaterThanOrEqual(position)
    // From now on the login app knows the viewer, so the next expiry needs no sign-in.
    login.isRemembering = true
    login.makeResponse = () => makeResponse([['user', 'ada']], inOneHour(), SECRET)
    await login.waitForVisit(3)
    await waitUntilPlaying(player)
    expect(login.visits).toHaveLength(3)
  })

  test('the player plays after a reload without a new sign-in, until the kept response has expired', async () => {
    await now.viewer.signIn('/video/2002')
    await waitUntilPlaying(await now.viewer.openCustomerPage('/video/2002'))
    expect(now.viewer.login.visits).toHaveLength(1)
    await now.viewer.page.goto('about:blank')
    now.viewer.passSeconds(3600)
    // The player opens the entry point without a press of the button.
    await now.viewer.openCustomerPage('/video/2002')
    await now.viewer.loginFrame(2)
  })
}

function screens(now: Now): void {
  test('the player says that the sign-in was cancelled, and offers a new one', async () => {
    const player = await now.viewer.openCustomerPage('/channel/1001')
    await press(player, '[data-log-in]')
    await press(await now.viewer.loginFrame(), '#cancel')
    expect(await stateOf(player, 'cancelled')).not.toBe('')
    expect(await player.evaluate(`document.activeElement.matches('[data-log-in]')`)).toBe(true)
    await press(player, '[data-log-in]')
    await press(await now.viewer.loginFrame(), '#sign-in')
    await waitUntilPlaying(player)
  })

  test('the player sends a viewer with a forged, an expired or a malformed response back to the entry point, and plays nothing', async () => {
    const responses = [
      makeResponse([['user', 'ada']], inOneHour(), 'a guess'),
      makeResponse([['user', 'ada']], inOneHour() - 3700, SECRET),
      '[{"user":"ada"}]',
    ]
    const player = await now.viewer.openCustomerPage('/channel/1001')
    await press(player, '[data-log-in]')
    for (const [tries, response] of responses.entries()) {
      now.viewer.login.makeResponse = () => response
      await press(await now.viewer.loginFrame(tries + 1), '#sign-in')
      await now.viewer.loginFrame(tries + 2)
      expect(now.viewer.login.visits).toHaveLength(tries + 2)
      expect(await player.$eval('[data-gate]', (gate) => gate.dataset.state)).toBe('signing-in')
      expect(await player.$eval('video', (video) => video.hasAttribute('src'))).toBe(false)
    }
  })

  test('the player stops asking the entry point after five refusals, and says so', async () => {
    const { login } = now.viewer
    login.isRemembering = true
    login.makeResponse = () => makeResponse([['user', 'ada']], inOneHour(), 'a guess')
    const player = await now.viewer.openCustomerPage('/channel/1001')
    await press(player, '[data-log-in]')
    expect(await stateOf(player, 'refused')).not.toBe('')
    expect(login.visits).toHaveLength(5)
    expect(await player.$eval('video', (video) => video.hasAttribute('src'))).toBe(false)
  })

  test('the player plays a channel or video without a lock at once', async () => {
    await waitUntilPlaying(await now.viewer.openCustomerPage('/channel/1002'))
    expect(now.viewer.login.visits).toEqual([])
  })

  test('the player shows message and caption of the lock, a frame in its size, and its button again when the frame is closed', async () => {
    now.viewer.service.database.exec(
      `UPDATE locks SET message = 'For members', button_caption = 'Enter', popup_width = '300', popup_height = '200'`,
    )
    const player = await now.viewer.openCustomerPage('/channel/1001')
    expect(await stateOf(player, 'locked')).toBe('For members')
    expect(await player.$eval('[data-log-in]', (button) => button.textContent)).toBe('Enter')
    await press(player, '[data-log-in]')
    await now.viewer.loginFrame()
    const size = await player.$eval('iframe', ({ clientWidth, clientHeight }) => [clientWidth, clientHeight])
    expect(size).toEqual([300, 200])
    await press(player, '[data-close]')
    expect(await stateOf(player, 'locked')).toBe('For members')
    expect(await player.$('iframe')).toBeNull()
  })
}
