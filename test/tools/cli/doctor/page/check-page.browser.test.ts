import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePlayerAddress } from '../../../../../src/hash-lock/return-address.ts'
import type { DoctorConfig } from '../../../../../src/tools/cli/doctor/feature-check.ts'
import { checkPages } from '../../../../../src/tools/cli/doctor/page/check-page.ts'
import { type LaunchedBrowser, launchBrowser } from '../../../../browser/launch.ts'
import type { OpenPage } from '../../../../browser/open-page.ts'
import { ENTRY_POINT } from '../../../../login/entry-point.ts'
import { ADA, startLoginApp } from '../../../../login/start-login-app.ts'
import { startService } from '../../../video-service/test-service.ts'

/** Ways to embed the player in a customer's page. In each text, PLAYER, PAGE and LOGIN stand for the origins. */
interface Embedding {
  /** Headers of the customer's page. */
  readonly page?: Record<string, string>
  readonly player?: Record<string, string>
  /** Attributes of the frame of the player. */
  readonly frame?: string
  readonly head?: string
  /** The path of the frame on the customer's site: it redirects to the player, or frames the player. */
  readonly via?: 'redirect' | 'middle'
  readonly entryPoint?: 'default' | 'without-page' | 'without-player'
}

const csp = (policy: string) => ({ 'content-security-policy': policy })
const meta = (policy: string) => `<meta http-equiv="content-security-policy" content="${policy}">`
const sandbox = (flags: string) => `sandbox="${flags}"`

/** The codes of the findings. The code `page` says that viewers can sign in on the page. */
const CASES: readonly [string, Embedding, string[]][] = [
  ['a plain page', {}, ['page']],
  ['a page whose origin is missing', { entryPoint: 'without-page' }, ['page-origin-missing']],
  ['a page whose player is missing', { entryPoint: 'without-player' }, ['page-origin-missing']],
  ['a player in a frame of the page', { via: 'middle' }, ['page']],
  ['frame-src with the player', { page: csp('frame-src PLAYER') }, ['page']],
  ['frame-src without the player', { page: csp("frame-src 'self' LOGIN") }, ['page-frame-src']],
  ['default-src without the player', { page: csp("default-src 'self'") }, ['page-frame-src']],
  ['child-src with another path', { page: csp('child-src PLAYER/other/') }, ['page-frame-src']],
  ['two policies', { page: csp("frame-src *, frame-src 'self'") }, ['page-frame-src']],
  ['a policy in a meta element', { head: meta("frame-src 'none'") }, ['page-frame-src']],
  [
    'a redirect to a player that frame-src lacks',
    { page: csp("frame-src 'self'"), via: 'redirect' },
    ['page-frame-src'],
  ],
  ['a redirect to another path of frame-src', { page: csp("frame-src 'self' PLAYER/x/"), via: 'redirect' }, ['page']],
  ['a full sandbox', { frame: 'sandbox' }, ['page-sandbox', 'page-sandbox-links']],
  [
    'a sandbox without popups',
    { frame: sandbox('allow-scripts allow-same-origin allow-forms') },
    ['page-sandbox-links', 'page'],
  ],
  ['a sandbox without forms', { frame: sandbox('allow-scripts allow-same-origin allow-popups') }, ['page-sandbox']],
  ['a sandbox without its own origin', { frame: sandbox('allow-scripts allow-forms allow-popups') }, ['page-sandbox']],
  ['a sandbox without scripts', { frame: sandbox('allow-same-origin allow-forms allow-popups') }, ['page-sandbox']],
  ['a sandbox in the policy', { page: csp('sandbox allow-scripts allow-forms allow-popups') }, ['page-sandbox']],
  ['a player with X-Frame-Options', { player: { 'x-frame-options': 'SAMEORIGIN' } }, ['page-frame-refused']],
  [
    'a player with X-Frame-Options and frame-ancestors',
    { player: { 'x-frame-options': 'DENY', ...csp('frame-ancestors PAGE PLAYER') } },
    ['page'],
  ],
  ['a player that other pages frame', { player: csp('frame-ancestors https://other.example') }, ['page-frame-refused']],
  ['a player that frames only itself', { player: csp('frame-src PLAYER') }, ['player-frame-src']],
  ['a player that frames the login app only', { player: csp('frame-src LOGIN') }, ['player-frame-src']],
]

let browser: LaunchedBrowser
beforeAll(async () => {
  browser = await launchBrowser('chromium')
})
afterAll(() => browser.close())

/** Starts the customer's site at page.localhost, the player at 127.0.0.1, and the login app at localhost. */
async function startSites() {
  const origins = { PLAYER: '', PAGE: '', LOGIN: '' }
  const filled = (text: string) => text.replaceAll(/PLAYER|PAGE|LOGIN/g, (name) => origins[name as 'PAGE'])
  const send = (res: ServerResponse, headers: Record<string, string>, html: string) => {
    res.setHeader('content-type', 'text/html')
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, filled(value))
    res.end(`<!doctype html>${filled(html)}`)
  }
  const asked = (req: IncomingMessage) => {
    const [, what = '', index = ''] = req.url?.split(/[/?]/) ?? []
    return { what, index, embedding: CASES[Number(index)]?.[1] ?? {} }
  }
  const player = await startService((req, res) => {
    const { what, embedding } = asked(req)
    const { entryPoint = 'default' } = embedding
    // Like a real player, it makes the frame of the login app by script.
    const frame = `Object.assign(document.createElement('iframe'), { src: 'LOGIN/e/${entryPoint}?prompt=login' })`
    if (what === 'pass') return send(res, {}, '')
    return send(
      res,
      embedding.player ?? {},
      what === 'embed' ? `<body><script>document.body.append(${frame})</script>` : '',
    )
  })
  const page = await startService((req, res) => {
    const { what, index, embedding } = asked(req)
    if (what === 'redirect') return res.writeHead(302, { location: `${origins.PLAYER}/embed/${index}` }).end()
    if (what === 'middle') return send(res, {}, `<iframe src="PLAYER/embed/${index}"></iframe>`)
    const { head = '', frame = '', via } = embedding
    const src = via === undefined ? `PLAYER/embed/${index}` : `/${via}/${index}`
    return send(res, embedding.page ?? {}, `${head}<body><iframe ${frame} src="${src}"></iframe>`)
  })
  origins.PLAYER = player.origin
  origins.PAGE = page.origin.replace('127.0.0.1', 'page.localhost')
  const playerAddress = parsePlayerAddress(`${origins.PLAYER}/pass`)
  const entryPoints = [
    { ...ENTRY_POINT, playerAddress, name: 'default', basePath: '', playerOrigins: [origins.PLAYER, origins.PAGE] },
    {
      ...ENTRY_POINT,
      playerAddress,
      name: 'without-page',
      basePath: '/e/without-page',
      playerOrigins: [origins.PLAYER],
    },
    {
      ...ENTRY_POINT,
      playerAddress,
      name: 'without-player',
      basePath: '/e/without-player',
      playerOrigins: [origins.PAGE],
    },
  ]
  const app = await startLoginApp({ publicUrl: 'http://localhost', entryPoints, nowSeconds: () => Date.now() / 1000 })
  origins.LOGIN = `http://localhost:${app.port}`
  // The check reads only the addresses and the entry points.
  const config = {
    publicUrl: new URL(origins.LOGIN),
    entryPoints,
    featureChecks: [],
    answerChecks: [],
  } as unknown as DoctorConfig
  return { origins, config }
}

type Sites = Awaited<ReturnType<typeof startSites>>

async function codesOf({ config, origins }: Sites, index: number, { entryPoint = 'default' }: Embedding) {
  const findings = checkPages(
    config,
    entryPoint,
    [new URL(`${origins.PAGE}/page/${index}`)],
    AbortSignal.timeout(20_000),
  )
  const codes: string[] = []
  for await (const { code } of findings) codes.push(code)
  return codes
}

const SIGN_IN = `
  document.querySelector('#username').value = ${JSON.stringify(ADA.username)}
  document.querySelector('#password').value = ${JSON.stringify(ADA.password)}
  document.querySelector('#sign-in').requestSubmit()`

/**
 * Opens the page in the browser, and signs in if the screen is shown.
 * @param patienceMs for the player to get the response. A short one can only miss that viewers get through.
 */
async function getsThrough({ origins }: Sites, { page, waitForFrame }: OpenPage, index: number, patienceMs: number) {
  await page.goto(`${origins.PAGE}/page/${index}`)
  const screen = page.frames().find((frame) => frame.url().startsWith(origins.LOGIN))
  if (screen === undefined) return false
  await screen.evaluate(SIGN_IN)
  const arrived = waitForFrame(`${origins.PLAYER}/pass?hash=%5B`, patienceMs)
  return await arrived.then(
    () => true,
    () => false,
  )
}

const TABS = 3

test('the doctor predicts on which pages Chromium lets viewers sign in', async () => {
  const sites = await startSites()
  const cases = CASES.entries()
  const seen: object[] = []
  /** Takes the next case until there is none left. */
  async function work(): Promise<void> {
    const tab = await browser.openPage()
    for (const [index, [name, embedding, expected]] of cases) {
      const isExpected = expected.includes('page')
      const codes = await codesOf(sites, index, embedding)
      seen[index] = { name, codes, isThrough: await getsThrough(sites, tab, index, isExpected ? 20_000 : 400) }
    }
    await tab.page.close()
  }
  await Promise.all(Array.from({ length: TABS }, work))
  expect(seen).toEqual(CASES.map(([name, , codes]) => ({ name, codes, isThrough: codes.includes('page') })))
})
