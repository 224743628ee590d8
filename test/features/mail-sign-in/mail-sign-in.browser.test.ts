import { expect, test } from 'vitest'
import { parseAllowedConsumer, parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { launchWebKit, type WebKitKind } from '../../browser/webkit.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { responseOf } from '../../login/response-of.ts'
import { startSite } from '../../login/start-site.ts'
import { rowsFor } from '../../rows.ts'
import { codeIn, GUEST, LISTED, startMailApp } from './start-mail-app.ts'

type Row = readonly [BrowserKind, '/page' | '/chat']

const ROWS = rowsFor<Row>(
  [
    ['chromium-no-scripts', '/page'],
    ['chromium-no-cookies', '/chat'],
    ['firefox', '/chat'],
  ],
  [
    ['chromium', '/page'],
    ['firefox-no-scripts', '/page'],
    ['firefox-no-cookies', '/chat'],
  ],
)
const WEBKIT_KINDS = rowsFor<WebKitKind>(['webkit'], ['webkit-no-scripts'])

/** Where the answer leads. */
const TARGETS = { '/page': '/embed/hashlock/pass?hash=', '/chat': '/chat/authorize/1?' }

/** Starts a page of a third site, whose frame is the login app, as the player or the chat opens it. */
async function start() {
  let login = ''
  const player = await startSite((address) => {
    const consumer = encodeURIComponent(`${player}/chat/authorize/1?resource=%2Fchat%2F1`)
    const query = address === '/chat' ? `?hashConsumer=${consumer}` : ''
    const isPage = address === '/page' || address === '/chat'
    const frame = isPage ? `<iframe width="480" height="270" src="${login}/e/guests${query}"></iframe>` : ''
    return `<!doctype html><title>Player</title>${frame}`
  })
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const features = { 'mail-sign-in': LISTED }
  const consumers = [parseAllowedConsumer(`${player}/chat/authorize/`)]
  const own = { playerAddress, playerOrigins: [player], consumers, hasPasswordForm: false, features }
  const app = await startMailApp({
    publicUrl: 'http://localhost',
    entryPoints: [entryPointAt('guests', own)],
    nowSeconds: () => Date.now() / 1000,
  })
  login = `http://localhost:${app.port}`
  const newestCode = async (count: number) => {
    const mails = await app.mail.received(count)
    return codeIn(mails[count - 1] ?? expect.unreachable()).toLowerCase()
  }
  return { player, login, newestCode }
}

test.each(ROWS)('a guest in %s at %s gets a code, types it in the frame, and gets in', async (kind, path) => {
  const { player, login, newestCode } = await start()
  const launched = await launchBrowser(kind)
  try {
    const { page, waitForFrame, complaints } = await launched.openPage()
    await page.goto(`${player}${path}`)
    const form = await waitForFrame(login)
    await typeText(form, '#mail', GUEST)
    await pressKey(form, '.fields .primary')
    const codeForm = await waitForFrame(`${login}/e/guests/mail-code`)
    await typeText(codeForm, '#code', await newestCode(1))
    await pressKey(codeForm, '.fields .primary')
    const frame = await waitForFrame(`${player}${TARGETS[path]}`)
    expect(responseOf(frame.url()).parameters).toEqual([['user', GUEST]])
    expect(complaints).toEqual([])
  } finally {
    await launched.close()
  }
})

/** How a page goes while the guest reads the mail, and the form that the entry point then opens. */
const GONE: readonly (readonly [BrowserKind, '#code' | '#mail'])[] = [
  ['chromium-no-scripts', '#code'],
  ['firefox', '#code'],
  ['chromium-no-cookies', '#mail'],
]

test.each(GONE)(
  'in %s, a page that is gone while the guest reads the mail opens again with %s',
  async (kind, field) => {
    const { player, login, newestCode } = await start()
    const launched = await launchBrowser(kind)
    try {
      const { page, waitForFrame } = await launched.openPage()
      await page.goto(`${player}/page`)
      const form = await waitForFrame(login)
      await typeText(form, '#mail', GUEST)
      await pressKey(form, '.fields .primary')
      await waitForFrame(`${login}/e/guests/mail-code`)
      const code = await newestCode(1)
      await page.goto('about:blank')
      await page.goto(`${player}/page`)
      const again = await waitForFrame(login)
      await again.waitForSelector(field)
      if (field === '#mail') return
      await typeText(again, '#code', code)
      await pressKey(again, '.fields .primary')
      await waitForFrame(`${player}${TARGETS['/page']}`)
    } finally {
      await launched.close()
    }
  },
)

test.each(WEBKIT_KINDS)('a guest in %s gets a code, types it in the frame, and watches and chats', async (kind) => {
  const { player, newestCode } = await start()
  const browser = await launchWebKit(kind)
  try {
    for (const [index, path] of (['/page', '/chat'] as const).entries()) {
      await browser.open(`${player}${path}`)
      await browser.enterFrame('iframe')
      await browser.type('#mail', GUEST)
      await browser.press('.fields .primary')
      await browser.type('#code', await newestCode(index + 1))
      await browser.press('.fields .primary')
      expect(responseOf(await browser.arriveAt(`${player}${TARGETS[path]}`)).parameters).toEqual([['user', GUEST]])
    }
  } finally {
    await browser.close()
  }
})
