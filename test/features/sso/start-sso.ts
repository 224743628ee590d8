import type { EntryPoint, HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import { createSso } from '../../../src/features/sso/create-sso.ts'
import { sso as ssoFeature } from '../../../src/features/sso/feature.ts'
import { openSso, type Sso } from '../../../src/features/sso/open-sso.ts'
import type { SsoSettings } from '../../../src/features/sso/settings/sso-settings.ts'
import { features } from '../../../src/features.ts'
import { defineFeature, type EntryPointOf, type Feature } from '../../../src/login/feature.ts'
import { signInWindow } from '../../../src/services/window/service.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type Answer, formOf, type LoginApp, type LoginAppOptions, startLoginApp } from '../../login/start-login-app.ts'
import { freePort } from '../../servers/free-port.ts'
import { withSso } from './entry-point.ts'
import { CLIENT, type ProviderOptions, startProvider, type TestProvider } from './start-provider.ts'
import { openVisitor } from './visitor.ts'

/** The app, with a provider of any kind. */
export interface AppWithSso extends LoginApp {
  readonly origin: string
}

export interface SsoApp extends AppWithSso {
  readonly provider: TestProvider
}

interface AppWithSsoOptions extends LoginAppOptions {
  readonly settings?: Partial<SsoSettings>
  /** PUBLIC_URL, if TLS or a proxy is in front. */
  readonly origin?: string
  /** False for a provider that does not answer. */
  readonly isProviderKnown?: boolean
  /** Replaces parts of single sign-on, for faults. */
  readonly changeSso?: (sso: Sso) => Sso
  /** The other features. Default: those of the kit. */
  readonly others?: readonly Feature[]
  readonly entryPoint?: Partial<HashEntryPoint>
  /** The entry points. Default: one at `/`. */
  readonly entryPointsWith?: (sso: SsoSettings) => readonly EntryPoint[]
}

interface SsoAppOptions extends AppWithSsoOptions {
  readonly provider?: Partial<ProviderOptions>
}

/** Starts the app at http://localhost with a provider at http://127.0.0.1 until the test ends. */
export async function startSso({ provider: providerOptions, ...options }: SsoAppOptions = {}): Promise<SsoApp> {
  const port = options.port ?? (await freePort())
  const redirectUri = `${options.origin ?? `http://localhost:${port}`}/sso/callback`
  const provider = await startProvider({ redirectUri, signsIn: 'ada', ...providerOptions })
  provider.setAway(options.isProviderKnown === false)
  return { ...(await startAppWithSso(provider.issuer, port, options)), provider }
}

/** Starts the app at a port of http://localhost, with a provider that already runs, until the test ends. */
export async function startAppWithSso(
  issuer: string,
  port: number,
  {
    settings,
    entryPoint,
    entryPointsWith,
    isProviderKnown = true,
    origin = `http://localhost:${port}`,
    changeSso = (sso) => sso,
    others = features,
    ...options
  }: AppWithSsoOptions = {},
): Promise<AppWithSso> {
  const sso = { ...ssoSettings(issuer), ...settings }
  const entryPoints = entryPointsWith?.(sso) ?? [withSso(sso, { ...ENTRY_POINT, ...entryPoint })]
  const clock = { now: () => Date.now() / 1000 }
  const isOpen = Promise.withResolvers<Sso>()
  const withChanges = defineFeature({
    ...ssoFeature,
    needs: { signInWindow },
    open(app, own) {
      const opened = openSso({ ...app, log: QUIET }, own as readonly EntryPointOf<SsoSettings>[])
      isOpen.resolve(opened)
      return Promise.resolve(createSso(changeSso(opened), app))
    },
  })
  const app = await startLoginApp({
    publicUrl: origin,
    entryPoints,
    port,
    nowSeconds: clock.now,
    features: [withChanges, ...others.filter(({ name }) => name !== 'sso')],
    ...options,
  })
  const opened = await isOpen.promise
  if (isProviderKnown) await until(() => opened.all.every((store) => store.isAvailable()))
  return { ...app, origin }
}

/** Providers log when they are found. */
const QUIET = { info: () => {}, warn: () => {} }

export function ssoSettings(issuer: string): SsoSettings {
  return {
    issuer,
    clientId: CLIENT.clientId,
    authentication: { kind: 'secret', secret: CLIENT.secret },
    scopes: 'openid profile email',
    label: 'Contoso',
    usernameClaim: 'preferred_username',
    groupsClaim: 'groups',
    needsGroups: false,
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

/** Returns the headers of a browser with the form of the frame, which opens the window. */
export function startHeaders(app: AppWithSso) {
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

/** Follows the redirects of a provider that signs in at once, and returns the path of the callback with its query. */
export async function visitProvider(address: string): Promise<string> {
  const { response, url } = await openVisitor().follow(address)
  if (url.pathname === '/sso/callback') return `${url.pathname}${url.search}`
  throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
}

export type OpenedWindow = Awaited<ReturnType<typeof openWindow>>

/** Opens the screen and the window. `?prompt=login` asks for another account. */
export async function openWindow(app: AppWithSso, basePath = '', query = '') {
  const screen = await app.get(`${basePath === '' ? '/' : basePath}${query}`)
  const wait = fieldOf(screen, 'wait')
  const flow = fieldOf(screen, 'flow')
  const account = fieldOf(screen, 'account')
  const fields = { flow, ...(account !== '' && { account }) }
  const started = await app.post(`${basePath}/sso/start`, fields, startHeaders(app))
  return { wait, flow, cookie: cookiesOf(started), address: refreshOf(started) }
}

/** Signs in in the window, and returns the answer of the callback. */
export async function finishWindow(app: AppWithSso, { cookie, address }: OpenedWindow): Promise<Answer> {
  return app.get(await visitProvider(address), { Cookie: cookie })
}

/** Presses the button in the frame. */
export function pressContinue(
  app: AppWithSso,
  { wait }: Pick<OpenedWindow, 'wait'>,
  basePath = '',
  more = {},
): Promise<Answer> {
  return app.post(`${basePath}/sso/continue`, formOf({ wait, ...more }), { 'Sec-Fetch-Site': 'same-origin' })
}

/** Signs in completely, and returns the answer in the frame. */
export async function signIn(app: AppWithSso, basePath = '', more = {}): Promise<Answer> {
  const window = await openWindow(app, basePath)
  const done = await finishWindow(app, window)
  if (done.status !== 200) throw new Error(`The callback answered ${done.status}`)
  return await pressContinue(app, window, basePath, more)
}

/** Signs in on another device, and returns its pages and the code. */
export async function issueCode(app: AppWithSso, basePath = '') {
  const page = await app.get(`${basePath}/sso`)
  const started = await app.post(`${basePath}/sso/start`, { flow: fieldOf(page, 'flow') }, startHeaders(app))
  const done = await app.get(await visitProvider(refreshOf(started)), { Cookie: cookiesOf(started) })
  const [, code = ''] = /<strong dir="ltr">([A-Z2-9]{4} [A-Z2-9]{4})<\/strong>/.exec(done.text) ?? []
  return { page, done, code }
}
