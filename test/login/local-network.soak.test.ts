import { afterEach, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { startSite } from './start-site.ts'

/** The address space of the app, and whether the viewer has agreed. */
interface Case {
  readonly space: 'local' | 'loopback'
  readonly allow: string
  readonly isGranted: boolean
}

const CASES: readonly [Case, boolean][] = [
  [{ space: 'local', allow: '', isGranted: true }, false],
  [{ space: 'local', allow: 'local-network', isGranted: false }, false],
  [{ space: 'local', allow: 'local-network', isGranted: true }, true],
  [{ space: 'local', allow: 'loopback-network', isGranted: true }, false],
  [{ space: 'loopback', allow: 'loopback-network', isGranted: true }, true],
]

let browser: LaunchedBrowser | undefined
afterEach(() => browser?.close())

test.each(
  (['chromium', 'firefox'] as const).flatMap((kind) =>
    CASES.map(([given, isShown]) => [kind, given, isShown] as const),
  ),
)('in %s, a public player with %o shows the app: %s', async (kind, { space, allow, isGranted }, isShown) => {
  const asked: string[] = []
  const html = (body: string) => `<!doctype html><title>Site</title><link rel="icon" href="data:,">${body}`
  const app = await startSite(
    (address) => {
      asked.push(address)
      return html('<p>app')
    },
    {},
    '127.0.0.2',
  )
  const player = await startSite(() => html(`<iframe src="${app}/"></iframe>`))
  const page = await startSite(() => html(`<iframe allow="${allow}" src="${player}/"></iframe>`), {}, '127.0.0.3')
  const hosts = { public: [page, player].map((site) => new URL(site).host), app: new URL(app).host }
  browser = await launchBrowser(kind, { ...hosts, space, isGranted })
  const opened = await browser.openPage()
  // Firefox waits for an answer of the viewer, and never finishes to load.
  const loaded = opened.page.goto(page, { timeout: isShown ? 20_000 : 3_000 }).catch(() => null)
  if (isShown) await opened.waitForFrame(app)
  await loaded
  expect(asked.length > 0).toBe(isShown)
})
