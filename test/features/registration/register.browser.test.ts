import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BrowserKind, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { launchWebKit, type WebKitKind } from '../../browser/webkit.ts'
import { startSites } from '../../login/start-sites.ts'
import { rowsFor } from '../../rows.ts'
import { mailSettings, startMailServer } from '../../services/mail/mail-server.ts'
import { withRegistration } from './start-registration.ts'

const KINDS = rowsFor<BrowserKind>(
  ['chromium-no-cookies'],
  ['chromium', 'chromium-no-scripts', 'firefox', 'firefox-no-cookies', 'firefox-no-scripts'],
)
const WEBKIT_KINDS = rowsFor<WebKitKind>(['webkit'], ['webkit-no-scripts'])
const ADDRESS = 'ada@example.com'
const FIELDS = [
  { name: 'company', kind: 'text', label: 'Company', required: 'on' },
  { name: 'seat', kind: 'choice', label: 'Seat', options: ['Hall', 'Balcony'] },
  { name: 'terms', kind: 'consent', label: 'I accept the terms', version: '1' },
]

/** Starts the app with a registration, a player that frames it, and a mail server. */
async function start(address: string) {
  const mailServer = await startMailServer()
  const folder = mkdtempSync(join(tmpdir(), 'registration-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const parameters = [
    { name: 'user', attribute: 'username' },
    { name: 'company', attribute: 'company' },
  ]
  const sites = await startSites(address, '', {
    change: (one) => withRegistration({ fields: FIELDS }, { ...one, parameters }),
    featureSettings: {
      guests: { store: { kind: 'sqlite', file: join(folder, 'guests.db') } },
      mail: { server: mailSettings(mailServer.port) },
      'mail-code': { mailsPerHour: 100 },
    },
  })
  const codeOf = async () =>
    /\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/.exec((await mailServer.received(1))[0]?.text ?? '')?.[0] ?? ''
  return { ...sites, codeOf }
}

test.each(KINDS)('a guest in %s registers in the frame, and the player gets a response', async (kind) => {
  const browser = await launchBrowser(kind)
  const { login, player, codeOf } = await start('/')
  const { page, waitForFrame, complaints } = await browser.openPage()
  await page.goto(player)
  await pressKey(await waitForFrame(login), '#register')
  const form = await waitForFrame(`${login}/register`)
  await typeText(form, '#address', ADDRESS)
  await pressKey(form, '.fields .primary')
  const code = await codeOf()
  await expect
    .poll(async () => (await waitForFrame(`${login}/register`)).$('#code'), { timeout: 20_000 })
    .not.toBeNull()
  const codeForm = await waitForFrame(`${login}/register`)
  await typeText(codeForm, '#code', code.toLowerCase())
  await pressKey(codeForm, '.fields .primary')
  const first = await waitForFrame(`${login}/register/code`)
  await typeText(first, '#field1', 'Acme')
  await pressKey(first, '.fields .primary')
  const last = await waitForFrame(`${login}/register/fields`)
  await pressKey(last, '.check input', ' ')
  await pressKey(last, '.fields .primary')
  const passed = await waitForFrame(`${player}/embed/hashlock/pass?hash=%5B%7B`)
  expect(decodeURIComponent(passed.url())).toContain(`{"user":"${ADDRESS}"},{"company":"Acme"}`)
  expect(complaints).toEqual([])
  await browser.close()
})

test.each(WEBKIT_KINDS)('a guest in %s registers in the frame, and the player gets a response', async (kind) => {
  const browser = await launchWebKit(kind)
  const { player, codeOf } = await start('/register')
  await browser.open(player)
  await browser.enterFrame('iframe')
  await browser.type('#address', ADDRESS)
  await browser.press('.fields .primary')
  await browser.type('#code', await codeOf())
  await browser.press('.fields .primary')
  await browser.type('#field1', 'Acme')
  await browser.press('.fields .primary')
  await browser.press('.check input')
  await browser.press('.fields .primary')
  const passed = await browser.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
  expect(decodeURIComponent(passed)).toContain('{"company":"Acme"}')
  await browser.close()
})
