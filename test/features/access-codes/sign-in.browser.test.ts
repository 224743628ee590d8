import { expect, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { launchWebKit, type WebKitKind } from '../../browser/webkit.ts'
import { startSites } from '../../login/start-sites.ts'
import { rowsFor } from '../../rows.ts'
import { openCodes, withCodes } from './codes-app.ts'

const KINDS = rowsFor<BrowserKind>(
  ['chromium-no-cookies', 'firefox-no-scripts'],
  ['chromium', 'chromium-no-scripts', 'firefox', 'firefox-no-cookies'],
)
const WEBKIT_KINDS = rowsFor<WebKitKind>(['webkit'], ['webkit-no-scripts'])

test.each(KINDS)('a guest in %s types a code into the frame, and the player gets a response', async (kind) => {
  const browser = await launchBrowser(kind)
  const { create, file } = openCodes(() => Date.now() / 1000)
  const { login, player } = await startSites('/', '', {
    change: (one) => withCodes(one, { asksName: 'required' }),
    featureSettings: { guests: { store: { kind: 'sqlite', file } } },
  })
  const [code = ''] = await create({ isShared: true, most: 1 })
  const { page, waitForFrame, complaints } = await browser.openPage()
  await page.goto(player)
  await pressKey(await waitForFrame(login), '#use-access-code')
  const screen = await waitForFrame(`${login}/?prompt=access-code`)
  await typeText(screen, '#code', code.toLowerCase())
  await typeText(screen, '#name', 'Ada')
  await pressKey(screen, '#access-code .primary')
  const passed = await waitForFrame(`${player}/embed/hashlock/pass?hash=%5B%7B`)
  expect(decodeURIComponent(passed.url())).toContain('{"user":"Ada"}')
  expect(complaints).toEqual([])
  await browser.close()
})

test.each(WEBKIT_KINDS)('a guest in %s types a code into the frame, and the player gets a response', async (kind) => {
  const browser = await launchWebKit(kind)
  const { create, file } = openCodes(() => Date.now() / 1000)
  const { player } = await startSites('/?prompt=access-code', '', {
    change: (one) => withCodes(one),
    featureSettings: { guests: { store: { kind: 'sqlite', file } } },
  })
  const [code = ''] = await create()
  await browser.open(player)
  await browser.enterFrame('iframe')
  await browser.type('#code', code)
  await browser.press('#access-code .primary')
  const passed = await browser.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
  expect(decodeURIComponent(passed)).toContain('{"user":"GALA-0001"}')
  await browser.close()
})
