import { expect, onTestFinished, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../browser/launch.ts'
import { press } from '../browser/press-and-type.ts'
import { waitUntilPlaying } from '../emulator/player/viewer.ts'
import { PUBLIC_KEY } from '../emulator/viewer-auth/token-service.ts'
import { ADA } from '../login/start-login-app.ts'
import { signIn, startThreeSites } from './token-sites.ts'

test.each<BrowserKind>(['chromium', 'firefox'])(
  'in %s, the frame of the player goes to the login app and back, also after a cancel, a mistake and a reload',
  async (kind) => {
    const browser = await launchBrowser(kind)
    onTestFinished(() => browser.close())
    const sites = await startThreeSites(PUBLIC_KEY)
    const { page, waitForFrame, complaints } = await browser.openPage()
    await page.goto(sites.page)
    const screen = await waitForFrame(sites.login)
    await press(screen, 'button.quiet')
    await press(screen, 'a.primary')
    await signIn(screen, 'not the password')
    await screen.waitForSelector('[role="alert"]')
    await signIn(screen, ADA.password)
    await waitUntilPlaying(await waitForFrame(`${sites.player}?vt=`), 0.1)
    await page.reload()
    await waitUntilPlaying(await waitForFrame(`${sites.player}?vt=`), 0.1)
    expect(sites.outcomes()).toEqual(['cancelled', 'wrong-credentials', 'signed-in', 'returned'])
    expect(complaints).toEqual([])
  },
)
