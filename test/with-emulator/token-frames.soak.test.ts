import { expect, onTestFinished, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../browser/launch.ts'
import { waitUntilPlaying } from '../emulator/player/viewer.ts'
import { OTHER_KEY_PEM, PUBLIC_KEY } from '../emulator/viewer-auth/token-service.ts'
import { ADA } from '../login/start-login-app.ts'
import { signIn, startThreeSites } from './token-sites.ts'

test.each<BrowserKind>(['chromium', 'firefox'])(
  'in %s, a service that refuses every token ends in a screen that says so, before the browser gives up',
  async (kind) => {
    const browser = await launchBrowser(kind)
    onTestFinished(() => browser.close())
    const sites = await startThreeSites(OTHER_KEY_PEM)
    const { page, waitForFrame } = await browser.openPage()
    await page.goto(sites.page)
    await signIn(await waitForFrame(sites.login), ADA.password)
    await (await waitForFrame(sites.login)).waitForSelector('a.primary')
    expect(sites.outcomes()).toEqual(['signed-in', ...Array(5).fill('returned'), 'looping'])
  },
)

test.each<BrowserKind>(['chromium-no-cookies', 'firefox-no-cookies'])(
  'in %s, a viewer signs in without a script',
  async (kind) => {
    const browser = await launchBrowser(kind)
    onTestFinished(() => browser.close())
    const sites = await startThreeSites(PUBLIC_KEY, { hasScript: false })
    const { page, waitForFrame, complaints } = await browser.openPage()
    await page.goto(sites.page)
    await signIn(await waitForFrame(sites.login), ADA.password)
    await waitUntilPlaying(await waitForFrame(`${sites.player}?vt=`), 0.1)
    expect(complaints).toEqual([])
  },
)
