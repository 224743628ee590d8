import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { UNBRANDED } from '../../src/brand/brand.ts'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { launchWebKit, type WebKit } from '../browser/webkit.ts'
import { startSites } from '../login/start-sites.ts'
import { prologWith, SVG, tricksWith } from './svg-tricks.ts'

/** Starts a site that notes the addresses that are asked for. */
async function startListener(answer: (res: ServerResponse) => void = (res) => void res.end()) {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    answer(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Visitor {
  open(address: string): Promise<unknown>
  evaluate(expression: string): Promise<unknown>
}

async function checkTricks({ open, evaluate }: Visitor): Promise<void> {
  const other = await startListener()
  const tricks = Object.values(tricksWith(other.origin))
  const content = Buffer.from(`${prologWith(other.origin)}${SVG(`${tricks.join('')}<text>&b;</text>`)}`)
  const logo = { type: 'image/svg+xml', content, width: 120, height: 40 } as const
  const { app, login } = await startSites('/', '', { brand: { ...UNBRANDED, name: 'Acme', logo } })
  const [, address = ''] = /src="(\/assets\/brand-[^"]+)"/.exec((await app.get('/')).text) ?? []

  await open(`${login}/`)
  expect(await evaluate("document.querySelector('.brand img').naturalWidth > 0")).toBe(true)
  await open(`${login}${address}`)
  // A script would have run, and a request would have begun, long before.
  await sleep(1_000)
  expect(other.asked).toEqual([])

  // The same file without the policy: the tricks work in this browser.
  const bare = await startListener((res) => void res.setHeader('Content-Type', 'image/svg+xml').end(content))
  await open(`${bare.origin}/`).catch(() => {})
  await expect.poll(() => other.asked).toContain('/ran')
}

const KINDS: readonly BrowserKind[] = ['chromium', 'firefox']
describe.each(KINDS)('the logo, in %s', (kind) => {
  let browser: LaunchedBrowser
  beforeAll(async () => {
    browser = await launchBrowser(kind)
  })
  afterAll(() => browser.close())

  test('an SVG full of tricks runs nothing and loads nothing, on the screen and as a page', async () => {
    const { page } = await browser.openPage()
    await checkTricks({ open: (address) => page.goto(address), evaluate: (expression) => page.evaluate(expression) })
  })
})

describe('the logo, in WebKit', () => {
  let webkit: WebKit
  beforeAll(async () => {
    webkit = await launchWebKit('webkit')
  })
  afterAll(() => webkit.close())

  test('an SVG full of tricks runs nothing and loads nothing in WebKit, on the screen and as a page', async () => {
    await checkTricks(webkit)
  })
})
