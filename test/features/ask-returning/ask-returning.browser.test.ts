import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { ADA, startLoginApp } from '../../login/start-login-app.ts'
import { startSite } from '../../login/start-site.ts'
import { rowsFor } from '../../rows.ts'
import { asking } from './asking.ts'

const KINDS = rowsFor<BrowserKind>(['chromium'], ['chromium-no-scripts', 'firefox', 'firefox-no-scripts'])

test.each(KINDS)('a viewer in %s is asked once in a visit', async (kind) => {
  let login = ''
  const player = await startSite((address) => {
    const frame = address.startsWith('/e/') ? `<iframe width="480" height="360" src="${login}${address}"></iframe>` : ''
    return `<!doctype html><title>Player</title>${frame}`
  })
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [
      entryPointAt('plain', { playerAddress, playerOrigins: [player] }),
      asking(entryPointAt('asking', { playerAddress, playerOrigins: [player] })),
    ],
    nowSeconds: () => Date.now() / 1000,
  })
  login = `http://localhost:${app.port}`
  const launched = await launchBrowser(kind)
  try {
    const { page, waitForFrame, complaints } = await launched.openPage()
    const arrived = async () => {
      const frame = await waitForFrame(`${player}/embed/hashlock/pass?hash=`)
      expect(responseOf(frame.url()).parameters).toEqual([['user', ADA.username]])
    }
    await page.goto(`${player}/e/plain`)
    const screen = await waitForFrame(login)
    await typeText(screen, '#username', ADA.username)
    await typeText(screen, '#password', ADA.password)
    await pressKey(screen, '#sign-in .primary')
    await arrived()

    await page.goto(`${player}/e/asking`)
    await pressKey(await waitForFrame(login), 'form[action$="/continue"] button')
    await arrived()
    await page.goto(`${player}/e/asking`)
    await arrived()
    expect(complaints).toEqual([])
  } finally {
    await launched.close()
  }
})
