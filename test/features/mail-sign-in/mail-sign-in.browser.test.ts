import { expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { startSite } from '../../login/start-site.ts'
import { rowsFor } from '../../rows.ts'
import { codeIn, GUEST, LISTED, startMailApp } from './start-mail-app.ts'

const KINDS = rowsFor<BrowserKind>(['chromium-no-scripts', 'firefox'], ['chromium', 'firefox-no-scripts'])

test.each(KINDS)('a guest in %s gets a code, types it in the frame, and watches', async (kind) => {
  let login = ''
  const player = await startSite((address) => {
    const frame = address === '/page' ? `<iframe width="480" height="270" src="${login}/e/guests"></iframe>` : ''
    return `<!doctype html><title>Player</title>${frame}`
  })
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const features = { 'mail-sign-in': LISTED }
  const own = { playerAddress, playerOrigins: [player], hasPasswordForm: false, features }
  const app = await startMailApp({
    publicUrl: 'http://localhost',
    entryPoints: [entryPointAt('guests', own)],
    nowSeconds: () => Date.now() / 1000,
  })
  login = `http://localhost:${app.port}`
  const launched = await launchBrowser(kind)
  try {
    const { page, waitForFrame, complaints } = await launched.openPage()
    await page.goto(`${player}/page`)
    const form = await waitForFrame(login)
    await typeText(form, '#mail', GUEST)
    await pressKey(form, '.fields .primary')
    const [mail] = await app.mail.received(1)
    const codeForm = await waitForFrame(`${login}/e/guests/mail-code`)
    await typeText(codeForm, '#code', codeIn(mail ?? expect.unreachable()).toLowerCase())
    await pressKey(codeForm, '.fields .primary')
    const frame = await waitForFrame(`${player}/embed/hashlock/pass?hash=`)
    expect(responseOf(frame.url()).parameters).toEqual([['user', GUEST]])
    expect(complaints).toEqual([])
  } finally {
    await launched.close()
  }
})
