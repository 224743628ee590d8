import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createInvitation } from '../../../src/features/account/links/invitation.ts'
import { parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { findViolations } from '../../browser/find-violations.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../../browser/launch.ts'
import { pressKey, typeText } from '../../browser/press-and-type.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startPlayerSite, startSite } from '../../login/start-site.ts'
import { rowsFor } from '../../rows.ts'
import { tokenIn } from '../../services/mail/mail-server.ts'
import { startAccountApp } from './start-account-app.ts'

const KINDS = rowsFor<BrowserKind>(['chromium', 'firefox-no-scripts'], ['chromium-no-scripts', 'firefox'])
const SECOND = 'another heron ladder'
const THIRD = 'a third heron ladder'

/** The login app at http://localhost, and a player on another site that frames it. */
async function startSites(sandbox = '') {
  let login = ''
  const player = await startPlayerSite(() => `<iframe ${sandbox} width="480" height="360" src="${login}/"></iframe>`)
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const app = await startAccountApp({
    publicUrl: 'http://localhost',
    entryPoints: [{ ...ENTRY_POINT, playerAddress, playerOrigins: [player], features: { 'watch-page': `${player}/` } }],
    nowSeconds: () => Date.now() / 1000,
  })
  login = `http://localhost:${app.port}`
  return { app, login, player }
}

/** Waits for the window that a link opens, and returns its page. */
async function windowAt({ browser }: LaunchedBrowser, address: string): Promise<Page> {
  const find = async () => (await browser.pages()).find((page) => page.url().startsWith(address))
  await expect.poll(find, { timeout: 20_000 }).toBeDefined()
  return (await find()) ?? expect.unreachable()
}

async function save(page: Page, password: string): Promise<void> {
  await typeText(page.mainFrame(), '#new-password', password)
  await typeText(page.mainFrame(), '#repeat-password', password)
  await pressKey(page.mainFrame(), '.primary')
}

async function waitForTitle(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.title().catch(() => ''), { timeout: 20_000 }).toBe(title)
}

describe.each(KINDS)('the pages on which viewers set their passwords, in %s', (kind) => {
  let launched: LaunchedBrowser
  beforeAll(async () => {
    launched = await launchBrowser(kind)
  })
  afterAll(() => launched.close())

  test('a viewer resets the password from the frame of the player, and then signs in', async () => {
    const { app, login, player } = await startSites()
    const { page, waitForFrame, complaints } = await launched.openPage()
    await page.goto(player)
    const framed = await waitForFrame(login)
    await pressKey(framed, 'nav .forgot')
    const own = await windowAt(launched, `${login}/account/forgot`)
    await typeText(own.mainFrame(), '#username', ADA.username)
    await pressKey(own.mainFrame(), '.primary')
    await waitForTitle(own, 'Check your email')
    const [mail] = await app.mail.received(1)
    await own.goto(`${login}/account/new-password?token=${tokenIn(mail ?? expect.unreachable())}`)
    await save(own, SECOND)
    await waitForTitle(own, 'Password saved')
    await own.close()
    await typeText(framed, '#username', ADA.username)
    await typeText(framed, '#password', SECOND)
    await pressKey(framed, '#sign-in .primary')
    await waitForFrame(`${player}/embed/hashlock/pass?`)
    expect(complaints).toEqual([])
  })

  test('a viewer sets the first password by an invitation, goes to the video, and changes it', async () => {
    const { app, login, player } = await startSites()
    await app.store.add({ username: 'grace', groups: [], attributes: {} }, null)
    const context = { publicUrl: new URL(login), basePath: '', service: '', language: 'en', lifeDays: 7 }
    const invitation = await createInvitation(app.store.passwordChanges, 'grace', null, context, Date.now() / 1000)
    const { page, complaints } = await launched.openPage()
    await page.goto(invitation?.link ?? '')
    await save(page, 'short')
    await waitForTitle(page, 'Error: Welcome')
    await save(page, SECOND)
    await waitForTitle(page, 'Password saved')
    await pressKey(page.mainFrame(), 'a.primary')
    await waitForTitle(page, 'Player')
    await expect.poll(() => page.url(), { timeout: 20_000 }).toBe(`${player}/`)
    await page.goto(`${login}/account/change-password`)
    await typeText(page.mainFrame(), '#username', 'grace')
    await typeText(page.mainFrame(), '#password', SECOND)
    await save(page, THIRD)
    await waitForTitle(page, 'Password saved')
    expect(await app.store.authenticate('grace', THIRD)).toMatchObject({ ok: true })
    expect(complaints).toEqual([])
  })

  if (kind === 'chromium' || kind === 'firefox') {
    test('a sandboxed frame needs allow-popups, and then the new window works', async () => {
      for (const popups of ['allow-popups', '']) {
        const { app, login, player } = await startSites(`sandbox="allow-forms allow-same-origin ${popups}"`)
        const { page, waitForFrame } = await launched.openPage()
        await page.goto(player)
        await pressKey(await waitForFrame(login), 'nav .forgot')
        if (popups === '') {
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          expect((await launched.browser.pages()).filter((one) => one.url().startsWith(`${login}/account`))).toEqual([])
        } else {
          const own = await windowAt(launched, `${login}/account/forgot`)
          await typeText(own.mainFrame(), '#username', ADA.username)
          await pressKey(own.mainFrame(), '.primary')
          await app.mail.received(1)
          await own.close()
        }
        await page.close()
      }
    })
  }
})

describe('the pages on which viewers set their passwords', () => {
  let launched: LaunchedBrowser
  beforeAll(async () => {
    launched = await launchBrowser('chromium')
  })
  afterAll(() => launched.close())

  test('no page can frame the pages on which viewers set their passwords', async () => {
    const { login } = await startSites()
    const stranger = await startSite(
      () => `<!doctype html><title>X</title><iframe src="${login}/account/forgot"></iframe>`,
    )
    const { page, waitForComplaint } = await launched.openPage()
    await page.goto(stranger)
    await waitForComplaint('frame-ancestors')
  })

  test('the pages on which viewers set their passwords have no axe violations', async () => {
    const { app, login } = await startSites()
    const context = { publicUrl: new URL(login), basePath: '', service: '', language: 'en', lifeDays: 7 }
    const invitation = await createInvitation(app.store.passwordChanges, ADA.username, null, context, Date.now() / 1000)
    const { page } = await launched.openPage()
    const addresses = [
      `${login}/account/forgot`,
      `${login}/account/change-password`,
      invitation?.link ?? '',
      `${login}/account/new-password?token=x`,
    ]
    for (const address of addresses) {
      await page.goto(address)
      expect([address, await findViolations(page)]).toEqual([address, []])
    }
  })
})
