import { afterAll, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../src/hash-lock/return-address.ts'
import { errorText, textsOf } from '../../src/languages/languages.ts'
import { findGeometryFaults } from '../browser/find-geometry-faults.ts'
import { launchWebKit, type WebKit } from '../browser/webkit.ts'
import { startAccountApp } from '../features/account/start-account-app.ts'
import { withScreenLimit } from '../features/screen-limit/entry-point.ts'
import { startSso } from '../features/sso/start-sso.ts'
import { rowsFor } from '../rows.ts'
import { makeCertificate } from '../servers/certificate.ts'
import { freePort } from '../servers/free-port.ts'
import { startTls } from '../servers/tls.ts'
import { tokenIn } from '../services/mail/mail-server.ts'
import { startService } from '../tools/video-service/test-service.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { responseOf } from './response-of.ts'
import { BRANDS, everyScreen, startAppWithEveryScreen } from './screens/every-screen.ts'
import { ADA } from './start-login-app.ts'
import { startPlayerSite, startSite } from './start-site.ts'
import { startSites } from './start-sites.ts'

/**
 * WebKit is the engine of Safari. It needs files of its own, because only Chromium and Firefox speak the protocol of the
 * other browser tests. The tests share a browser, and each has ports of its own.
 */
const KINDS = ['webkit', 'webkit-no-scripts'] as const
const browsers = new Map<string, WebKit>()

/** Returns a browser without what earlier tests left. Its first test starts it. */
async function newVisit(kind: (typeof KINDS)[number] = 'webkit'): Promise<WebKit> {
  const known = browsers.get(kind)
  if (known !== undefined) {
    await known.startAgain()
    return known
  }
  const started = await launchWebKit(kind)
  browsers.set(kind, started)
  return started
}
afterAll(async () => {
  for (const browser of browsers.values()) await browser.close()
})

async function signIn(browser: WebKit, password: string): Promise<void> {
  await browser.type('#username', ADA.username)
  await browser.type('#password', password)
  await browser.press('#sign-in .primary')
}

test.each(KINDS)(
  'a framed viewer in %s can cancel, mistype and sign in, and over http signs in again',
  async (kind) => {
    const browser = await newVisit(kind)
    const { app, login, player } = await startSites('/')
    const openScreen = async () => {
      await browser.open(player)
      await browser.enterFrame('iframe')
    }
    await openScreen()
    await browser.press('button.quiet')
    await browser.arriveAt(`${player}/embed/hashlock/pass?hash=false`)

    await openScreen()
    await signIn(browser, 'not the password')
    expect(await browser.textOf('[role="alert"]')).toBe(errorText('en', 'wrongCredentials'))
    await signIn(browser, ADA.password)
    const passed = await browser.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
    expect(responseOf(passed).parameters).toEqual([['user', ADA.username]])

    await openScreen()
    await browser.textOf('#sign-in .primary')
    await browser.open(`${login}/`)
    await signIn(browser, ADA.password)
    await browser.arriveAt(`${player}/embed/hashlock/pass?hash=`)
    await browser.open(`${login}/`)
    await browser.textOf('#sign-in .primary')
    expect(await browser.cookieNames()).toEqual([])
    expect(app.lines.flatMap(({ outcome }) => outcome ?? [])).toEqual([
      'cancelled',
      'wrong-credentials',
      'signed-in',
      'signed-in',
    ])
  },
)

test.each(rowsFor<(typeof KINDS)[number]>(['webkit'], ['webkit-no-scripts']))(
  'a viewer in %s who watches on another device is asked, and watches here',
  async (kind) => {
    const browser = await newVisit(kind)
    const { app, player } = await startSites('/', '', { change: (one) => withScreenLimit(one, { asks: true }) })
    expect((await app.post('/sign-in', ADA)).status).toBe(303)
    await browser.open(player)
    await browser.enterFrame('iframe')
    await signIn(browser, ADA.password)
    expect(await browser.textOf('form[action="/watch-here"] .primary')).toBe(textsOf('en')['screen-limit'].watchHere)
    await browser.press('.primary')
    await browser.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'took-over' })
  },
)

test('a sign-in in WebKit leads to the consumer on another origin, also after a mistake', async () => {
  const webkit = await newVisit()
  const { player, consumer } = await startSites('/?hashConsumer=CONSUMER&ustreamContentType=live')
  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await signIn(webkit, 'not the password')
  await webkit.textOf('[role="alert"]')
  await signIn(webkit, ADA.password)
  await webkit.arriveAt(`${consumer}/chat/authorize/7?resource=%2Fchat%2F7&hash=%5B%7B`)
  expect(await webkit.textOf('#arrived')).toBe('here')
})

test('a viewer in WebKit resets the password in a window of its own, and then signs in', async () => {
  const webkit = await newVisit()
  let login = ''
  const player = await startPlayerSite(() => `<iframe width="480" height="360" src="${login}/"></iframe>`)
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const app = await startAccountApp({
    publicUrl: 'http://localhost',
    entryPoints: [{ ...ENTRY_POINT, playerAddress, playerOrigins: [player] }],
    nowSeconds: () => Date.now() / 1000,
  })
  login = `http://localhost:${app.port}`
  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await webkit.press('nav .forgot')
  await webkit.enterWindow(`${login}/account/forgot`)
  await webkit.type('#username', ADA.username)
  await webkit.press('.primary')
  const [mail] = await app.mail.received(1)
  await webkit.open(`${login}/account/new-password?token=${tokenIn(mail ?? expect.unreachable())}`)
  await webkit.type('#new-password', 'another heron ladder')
  await webkit.type('#repeat-password', 'another heron ladder')
  await webkit.press('.primary')
  await expect.poll(() => webkit.evaluate('document.title')).toBe(textsOf('en').account.savedTitle)
  await webkit.closeWindow()
  await webkit.enterWindow(player)
  await webkit.enterFrame('iframe')
  await webkit.type('#username', ADA.username)
  await webkit.type('#password', 'another heron ladder')
  await webkit.press('#sign-in .primary')
  await webkit.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
})

test('every screen fits a small and a usual player in WebKit', async () => {
  const webkit = await newVisit()
  let login = ''
  const frameOf = (width: number, height: number) =>
    `<iframe width="${width}" height="${height}" src="${login}/"></iframe>`
  const player = await startPlayerSite(() => `${frameOf(320, 180)}${frameOf(480, 270)}`)
  const app = await startAppWithEveryScreen(BRANDS['square logo'], { playerOrigins: [player] })
  login = `http://localhost:${app.port}`
  const screens: { name: string; html: string }[] = []
  // These languages have the longest messages.
  for (const language of rowsFor(['de'], ['es'])) {
    for (const { name, html } of await everyScreen(app, language)) screens.push({ name: `${language}: ${name}`, html })
  }
  const pages = screens.map(({ html }) => html)
  const faults: string[] = []
  for (const width of [320, 480]) {
    await webkit.open(player)
    await webkit.enterFrame(`iframe[width="${width}"]`)
    await webkit.textOf('#sign-in .primary')
    const lists = await findGeometryFaults(webkit, pages, { leastTarget: 24, mostScroll: 0 })
    faults.push(...lists.flatMap((list, index) => list.map((fault) => `${width} ${screens[index]?.name}: ${fault}`)))
  }
  expect(faults).toEqual([])
})

test('a window that a form of a frame opens sends its own Origin in WebKit, but Sec-Fetch-Site cross-site', async () => {
  const webkit = await newVisit()
  const sent: Record<string, unknown> = {}
  const { port } = await startService((request, response) => {
    const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': destination } = request.headers
    if (request.method === 'POST') sent[request.url ?? ''] = { origin, site, destination }
    const button = (action: string, target: string) =>
      `<form method="post" action="${action}" ${target}><button id="${action.slice(1)}">Go</button></form>`
    response
      .setHeader('Content-Type', 'text/html')
      .end(button('/window', 'target="_blank" rel="noopener"') + button('/frame', ''))
  })
  const own = `http://localhost:${port}`
  const player = await startSite(() => `<!doctype html><title>Player</title><iframe src="${own}/"></iframe>`)
  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await webkit.press('#window')
  await webkit.enterWindow(`${own}/window`)
  await webkit.closeWindow()
  await webkit.enterWindow(player)
  await webkit.enterFrame('iframe')
  await webkit.press('#frame')
  await webkit.arriveAt(`${own}/frame`)
  expect(sent).toEqual({
    '/window': { origin: own, site: 'cross-site', destination: 'document' },
    '/frame': { origin: own, site: 'same-origin', destination: 'iframe' },
  })
})

// The last tests, because from here on WebKit loads only https from localhost (HSTS).
test('over https, WebKit keeps the session of a page of its own, and no session of a frame', async () => {
  const webkit = await newVisit()
  const { app, login, player } = await startSites('/', '', { certificate: await makeCertificate() })
  const passed = `${player}/embed/hashlock/pass?hash=%5B%7B`
  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await signIn(webkit, ADA.password)
  await webkit.arriveAt(passed)

  // At the top level, the app sees the frame's session if there is one.
  await webkit.open(`${login}/`)
  await signIn(webkit, ADA.password)
  await webkit.arriveAt(passed)
  await webkit.open(`${login}/`)
  await webkit.arriveAt(passed)

  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await webkit.textOf('#sign-in .primary')
  expect(app.lines.flatMap(({ outcome }) => outcome ?? [])).toEqual(['signed-in', 'signed-in', 'returned'])
})

test('over https, a viewer in WebKit signs in in a window of the provider, and the frame goes on by itself', async () => {
  const webkit = await newVisit()
  const port = await freePort()
  const login = `https://localhost:${await startTls(port, await makeCertificate())}`
  const player = await startPlayerSite(() => `<iframe src="${login}/"></iframe>`)
  const playerAddress = parsePlayerAddress(`${player}/embed/hashlock/pass`)
  const { provider } = await startSso({
    port,
    origin: login,
    provider: { signsIn: null, headers: { 'Cross-Origin-Opener-Policy': 'same-origin' } },
    entryPoint: { playerAddress, playerOrigins: [player] },
  })
  await webkit.open(player)
  await webkit.enterFrame('iframe')
  await webkit.press('#sso-start .primary')
  await webkit.enterWindow(`${provider.issuer}/interaction/`)
  await webkit.press('#ada')
  await expect.poll(webkit.countWindows).toBe(1)
  await webkit.enterWindow(player)
  await webkit.enterFrame('iframe')
  await webkit.arriveAt(`${player}/embed/hashlock/pass?hash=%5B%7B`)
})
