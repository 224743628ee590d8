import { afterEach, expect, test } from 'vitest'
import { type BrowserKind, type LaunchedBrowser, launchBrowser } from '../browser/launch.ts'
import { press } from '../browser/press-and-type.ts'
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

/** Firefox has no such header. */
const HEADERS: readonly [string, boolean][] = [
  ['local-network=()', false],
  ['local-network=(self)', false],
  ['local-network=("PLAYER")', false],
  ['local-network=(self "PLAYER")', true],
  ['local-network=*', true],
]

test.each(HEADERS)('in chromium, a page with the header Permissions-Policy %s shows the app: %s', (header, isShown) =>
  look('chromium', { space: 'local', allow: 'local-network', isGranted: true }, isShown, header),
)

test.each(
  (['chromium', 'firefox'] as const).flatMap((kind) =>
    CASES.map(([given, isShown]) => [kind, given, isShown] as const),
  ),
)('in %s, a public player with %o shows the app: %s', (kind, given, isShown) => look(kind, given, isShown))

async function look(
  kind: BrowserKind,
  { space, allow, isGranted }: Case,
  isShown: boolean,
  policy = '',
): Promise<void> {
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
  const headers: Record<string, string> =
    policy === '' ? {} : { 'permissions-policy': policy.replace('PLAYER', player) }
  const page = await startSite(() => html(`<iframe allow="${allow}" src="${player}/"></iframe>`), headers, '127.0.0.3')
  const hosts = { public: [page, player].map((site) => new URL(site).host), app: new URL(app).host }
  browser = await launchBrowser(kind, { ...hosts, space, isGranted })
  const opened = await browser.openPage()
  // Firefox waits for an answer of the viewer, and never finishes to load.
  const loaded = opened.page.goto(page, { timeout: isShown ? 20_000 : 3_000 }).catch(() => null)
  if (isShown) await opened.waitForFrame(app)
  await loaded
  expect(asked.length > 0).toBe(isShown)
}

/** As single sign-on does with an identity provider on the intranet. */
test('in chromium, a window that a public frame opens shows a local address', async () => {
  const asked = Promise.withResolvers<string>()
  const provider = await startSite(
    (address) => {
      asked.resolve(address)
      return '<p>provider'
    },
    {},
    '127.0.0.2',
  )
  const form = `<form method="post" target="_blank" action="${provider}/auth"><button>Go</button></form>`
  const app = await startSite(() => `<!doctype html>${form}`)
  const page = await startSite(() => `<!doctype html><iframe src="${app}/"></iframe>`, {}, '127.0.0.3')
  const hosts = { public: [page, app].map((site) => new URL(site).host), app: new URL(provider).host }
  browser = await launchBrowser('chromium', { ...hosts, space: 'local', isGranted: false })
  const opened = await browser.openPage()
  await opened.page.goto(page)
  await press(await opened.waitForFrame(app), 'button')
  expect(await asked.promise).toBe('/auth')
})
