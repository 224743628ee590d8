import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import en from '../../../../../src/tools/emulator/oauth/texts/en.json' with { type: 'json' }
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { findViolations } from '../../../../browser/find-violations.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../../../../browser/launch.ts'
import type { OpenPage } from '../../../../browser/open-page.ts'
import { press } from '../../../../browser/press-and-type.ts'
import { rowsFor } from '../../../../rows.ts'
import { askForToken } from '../token-client.ts'

/** The website of a client, with a callback that redirects to another origin. */
type ClientSite = Awaited<ReturnType<typeof startClientSite>>

async function startClientSite() {
  const pages = new Map<string, string>()
  const results: URLSearchParams[] = []
  const final = await listen(
    createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(page('Arrived'))),
  )
  const finalUrl = `http://localhost:${portOf(final)}/arrived`
  const site = await listen(
    createServer((req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://site')
      if (pathname === '/callback') {
        results.push(searchParams)
        res.writeHead(302, { location: finalUrl }).end()
        return
      }
      const html = pages.get(pathname)
      res.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html)
    }),
  )
  return {
    url: `http://127.0.0.1:${portOf(site)}`,
    finalUrl,
    results,
    /** Serves a page at a path. */
    serve: (path: string, html: string) => void pages.set(path, page(html)),
    async close() {
      for (const server of [site, final]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function page(html: string): string {
  return `<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,"><body>${html}`
}

const BROWSERS = rowsFor<BrowserKind>(['chromium'], ['firefox'])

let emulator: RunningEmulator
let site: ClientSite
let client: RunningEmulator['seed']['clients'][number]
let user: RunningEmulator['seed']['users'][number]

beforeEach(async () => {
  emulator = await startEmulator({ port: 0 })
  site = await startClientSite()
  const firstClient = emulator.seed.clients[0]
  const firstUser = emulator.seed.users[0]
  if (firstClient === undefined || firstUser === undefined) throw new Error('The seed has no client or no user')
  client = firstClient
  user = firstUser
})
afterEach(async () => {
  await site.close()
  await emulator.close()
})

function request(change: Record<string, string> = {}): URLSearchParams {
  const redirectUri = `${site.url}/callback?kept=1`
  return new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state: 'a+b c',
    ...change,
  })
}

function authorizeUrl(change: Record<string, string> = {}): string {
  return `${emulator.url}/authorize?${request(change)}`
}

/** Clicks and waits for the next page. */
async function pressAndGo(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), press(page.mainFrame(), selector)])
}

async function signIn(page: Page, password = user.password): Promise<void> {
  await page.locator('#username').fill(user.username)
  await page.locator('#password').fill(password)
  await pressAndGo(page, 'button.main')
}

describe.each(BROWSERS)('Allow and Deny in %s', (kind) => {
  let browser: LaunchedBrowser
  let opened: OpenPage

  beforeAll(async () => {
    browser = await launchBrowser(kind)
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    opened = await browser.openPage()
  })
  afterEach(() => opened.page.close())

  test('after a wrong and a right password, Allow leads to the client and on to another origin', async () => {
    const { page, complaints } = opened
    await page.goto(authorizeUrl({ device_name: 'Studio camera' }))
    await signIn(page, 'wrong')
    expect(page.url()).toBe(`${emulator.url}/account/sign-in`)
    expect(await page.$eval('[role=alert]', ({ textContent }) => textContent)).toBe(en.wrongCredentials)
    await signIn(page)
    expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Demo client of studio requests access')
    await pressAndGo(page, '[value=allow]')
    expect(page.url()).toBe(site.finalUrl)
    expect(complaints).toEqual([])

    const [result] = site.results
    expect([result?.get('kept'), result?.get('state')]).toEqual(['1', 'a+b c'])
    const fields = {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code: result?.get('code') ?? '',
      redirect_uri: `${site.url}/callback?kept=1`,
    }
    const { status } = await askForToken(emulator, fields, { authorization: `Basic ${client.client_secret}` })
    expect(status).toBe(200)
  })

  test('another site cannot post Allow for the user', async () => {
    const { page } = opened
    await page.goto(authorizeUrl())
    await signIn(page)
    const hidden = await page.$$eval('.decision [type=hidden]', (inputs) => inputs.map(({ outerHTML }) => outerHTML))
    const fields = `${hidden.join('')}<input name="decision" value="allow">`
    site.serve(
      '/evil',
      `<form method="post" action="${emulator.url}/authorize/decision">${fields}<button>Go</button></form>`,
    )
    for (const origin of [site.url, site.url.replace('127.0.0.1', 'localhost')]) {
      await page.goto(`${origin}/evil`)
      await pressAndGo(page, 'button')
      expect(await page.$eval('main', ({ textContent }) => textContent)).toContain(en.notFromOurPage)
    }
    expect(site.results).toEqual([])
  })
})

describe('All pages in chromium', () => {
  let browser: LaunchedBrowser

  beforeAll(async () => {
    browser = await launchBrowser('chromium')
  })
  afterAll(() => browser.close())

  test('axe finds no violation on any page, in light and in dark colors', async () => {
    const { page, complaints } = await browser.openPage()
    const check = async (what: string) => expect([what, await findViolations(page)]).toEqual([what, []])
    await page.goto(authorizeUrl())
    await check('sign-in')
    await signIn(page, 'wrong')
    await check('wrong password')
    await page.goto(`${emulator.url}/account/sign-up`)
    await check('sign-up')
    await page.goto(`${emulator.url}/account/forgot`)
    await check('forgot')
    await page.goto(
      authorizeUrl({ response_type: 'token', token_type: 'mac', scope: 'broadcaster', device_name: 'Desk' }),
    )
    await signIn(page)
    await check('consent')
    await pressAndGo(page, '[value=allow]')
    await page.goto(`${emulator.url}/account/clients?revoked=1`)
    await check('clients')
    await page.goto(`${emulator.url}/authorize?client_id=x`)
    await check('refused')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('no page needs sideways scrolling at 320 pixels', async () => {
    const { page } = await browser.openPage()
    await page.setViewport({ width: 320, height: 568 })
    await page.goto(authorizeUrl({ response_type: 'token', device_name: 'x'.repeat(255) }))
    await signIn(page)
    await pressAndGo(page, '[value=allow]')
    for (const path of ['/account/clients', `/authorize?${request()}`, '/account/sign-up', '/account/forgot']) {
      await page.goto(emulator.url + path)
      const overhang = await page.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      expect([path, overhang]).toEqual([path, 0])
    }
    await page.close()
  })
})
