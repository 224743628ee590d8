import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import type { EntryPoint } from '../../src/entry-points/entry-point.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { openSignInWindow } from '../../src/sign-in-window/open-sign-in-window.ts'
import { openSso, type Sso } from '../../src/sso/open-sso.ts'
import type { SsoSettings } from '../../src/sso/settings/sso-settings.ts'
import {
  type Answer,
  ENTRY_POINT,
  formOf,
  type LoginApp,
  type LoginAppOptions,
  startLoginApp,
} from '../login/start-login-app.ts'
import { CLIENT, type ProviderOptions, startProvider, type TestProvider } from './start-provider.ts'

export interface SsoApp extends LoginApp {
  readonly origin: string
  readonly provider: TestProvider
}

interface SsoAppOptions extends LoginAppOptions {
  readonly settings?: Partial<SsoSettings>
  /** The port of PUBLIC_URL, if a proxy is in front. */
  readonly publicPort?: number
  /** False for a provider that does not answer. */
  readonly isProviderKnown?: boolean
  readonly provider?: Partial<ProviderOptions>
  /** Replaces parts of single sign-on, for faults. */
  readonly changeSso?: (sso: Sso) => Sso
  readonly entryPoint?: Partial<EntryPoint>
  /** The entry points. Default: one at `/`. */
  readonly entryPointsWith?: (sso: SsoSettings) => readonly EntryPoint[]
}

/** Starts the app at http://localhost with a provider at http://127.0.0.1 until the test ends. */
export async function startSso({
  settings,
  provider: providerOptions,
  entryPoint,
  entryPointsWith,
  isProviderKnown = true,
  publicPort,
  changeSso = (sso) => sso,
  ...options
}: SsoAppOptions = {}): Promise<SsoApp> {
  const port = await freePort()
  const origin = `http://localhost:${publicPort ?? port}`
  const provider = await startProvider({ redirectUri: `${origin}/sso/callback`, signsIn: 'ada', ...providerOptions })
  provider.setAway(!isProviderKnown)
  const sso = { ...ssoSettings(provider.issuer), ...settings }
  const entryPoints = entryPointsWith?.(sso) ?? [{ ...ENTRY_POINT, ...entryPoint, sso }]
  const clock = { now: () => Date.now() / 1000 }
  const log = { info: () => {}, warn: () => {} }
  const stores = { sessionStore: { kind: 'sqlite', file: ':memory:' }, limitsStore: { kind: 'memory' } } as const
  const deps = { openCounter: openMemoryCounter, nowSeconds: clock.now, log }
  const signInWindow = await openSignInWindow({ entryPoints, addressLimit: { trustedNetworks: [] }, ...stores }, deps)
  const opened = signInWindow && (await openSso({ publicUrl: new URL(origin), entryPoints }, { signInWindow, log }))
  if (opened === null) throw new Error('No entry point has single sign-on')
  onTestFinished(() => opened.close())
  if (isProviderKnown) await until(() => opened.optionalStores.every((store) => store.isAvailable()))
  const app = await startLoginApp({
    publicUrl: origin,
    entryPoints,
    port,
    nowSeconds: clock.now,
    sso: changeSso(opened),
    ...options,
  })
  return { ...app, origin, provider }
}

export function ssoSettings(issuer: string): SsoSettings {
  return {
    issuer,
    clientId: CLIENT.clientId,
    authentication: { kind: 'secret', secret: CLIENT.secret },
    scopes: 'openid profile email',
    label: 'Contoso',
    usernameClaim: 'preferred_username',
    groupsClaim: 'groups',
    attributes: [],
    tenants: null,
    isOnly: false,
    sessionSeconds: 3600,
    hasCode: false,
  }
}

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10))
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** What a browser sends with the form of the frame, which opens the window. */
export function startHeaders(app: SsoApp) {
  return { Origin: app.origin, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' }
}

/** Returns a hidden field of a screen. */
export function fieldOf({ text }: Pick<Answer, 'text'>, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
}

/** Returns the address to which a page of the window leads. */
export function refreshOf({ headers }: Pick<Answer, 'headers'>): string {
  return /^0; url=(.+)$/.exec(headers.refresh ?? '')?.[1] ?? ''
}

/** Returns the cookies of an answer, as a browser sends them back. */
export function cookiesOf({ setCookies }: Pick<Answer, 'setCookies'>): string {
  return setCookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

/** Signs in at the provider as a browser does, and returns the path of the callback with its query. */
export async function visitProvider(address: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = address
  for (let hops = 0; hops < 10; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`)
    const url = new URL(location, next)
    if (url.pathname === '/sso/callback') return `${url.pathname}${url.search}`
    next = url.href
  }
  throw new Error('The provider does not come back')
}

export interface OpenedWindow {
  readonly wait: string
  readonly flow: string
  readonly cookie: string
  readonly address: string
}

/** Opens the screen and the window. */
export async function openWindow(app: SsoApp, basePath = ''): Promise<OpenedWindow> {
  const screen = await app.get(basePath === '' ? '/' : basePath)
  const [wait, flow] = [fieldOf(screen, 'wait'), fieldOf(screen, 'flow')]
  const started = await app.post(`${basePath}/sso/start`, { flow }, startHeaders(app))
  return { wait, flow, cookie: cookiesOf(started), address: refreshOf(started) }
}

/** Signs in in the window, and returns the answer of the callback. */
export async function finishWindow(app: SsoApp, { cookie, address }: OpenedWindow): Promise<Answer> {
  return app.get(await visitProvider(address), { Cookie: cookie })
}

/** Presses the button in the frame. */
export function pressContinue(
  app: SsoApp,
  { wait }: Pick<OpenedWindow, 'wait'>,
  basePath = '',
  more = {},
): Promise<Answer> {
  return app.post(`${basePath}/sso/continue`, formOf({ wait, ...more }), { 'Sec-Fetch-Site': 'same-origin' })
}
