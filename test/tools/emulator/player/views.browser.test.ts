import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import { press } from '../../../browser/press-and-type.ts'
import { arrive, BROWSERS, type Viewer, waitUntilPlaying } from './viewer.ts'

describe.each(BROWSERS)('what the player in %s reports', (kind) => {
  let browser: LaunchedBrowser
  let viewer: Viewer

  beforeEach(async () => {
    browser = await launchBrowser(kind)
    viewer = await arrive(browser)
  })
  afterEach(async () => {
    await viewer.leave()
    await browser.close()
  })

  function readSegments() {
    return viewer.service.database
      .prepare(
        `SELECT from_position, to_position, finished_at IS NOT NULL AS finished, view_type, view_session_id,
           viewer_identifier FROM watched_segments ORDER BY id`,
      )
      .all()
  }

  /** All segments so far, once there are so many and the last is finished or not, as asked. */
  async function segments(count: number, isLastFinished: boolean): Promise<Record<string, unknown>[]> {
    const counted = () => readSegments().map(({ finished }) => finished === 1)
    await expect.poll(() => [counted().length, counted().at(-1)], { timeout: 30_000 }).toEqual([count, isLastFinished])
    return readSegments()
  }

  test('is one segment per stretch, and onsite in a new session on the service’s own page', async () => {
    const { page, service } = viewer
    const player = await viewer.signIn('/video/2001')
    await segments(1, false)
    await player.evaluate(`document.querySelector('video').pause()`)
    const [paused] = await segments(1, true)
    expect(paused).toMatchObject({ from_position: 0, view_type: 'offsite', viewer_identifier: 'ada@example.com' })

    await player.evaluate(`document.querySelector('video').play()`)
    await segments(2, false)
    await player.evaluate(`document.querySelector('video').currentTime = 20`)
    const moved = await segments(3, false)
    expect(moved[1]).toMatchObject({ finished: 1 })
    expect(Number(moved[1]?.to_position)).toBeLessThan(15)
    expect(moved[2]).toMatchObject({ from_position: 20 })
    await waitUntilPlaying(player, 1)

    await page.goto('about:blank')
    const left = await segments(3, true)
    expect(Number(left[2]?.to_position)).toBeGreaterThanOrEqual(21)
    expect(new Set(left.map((row) => row.view_session_id)).size).toBe(1)

    await page.goto(`${service.emulator.url}/channel/1001`)
    const ownPlayer = await viewer.waitForFrame(`${service.emulator.url}/embed/1001`)
    await press(ownPlayer, '[data-log-in]')
    await press(await viewer.loginFrame(2), '#sign-in')
    await waitUntilPlaying(ownPlayer)
    await page.goto('about:blank')
    const onsite = (await segments(4, true)).at(-1)
    expect(onsite).toMatchObject({ view_type: 'onsite', from_position: null })
    expect(onsite?.view_session_id).not.toBe(left[0]?.view_session_id)
    expect(viewer.complaints).toEqual([])
  })
})
