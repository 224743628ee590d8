import { readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { type Brand, UNBRANDED } from './brand/brand.ts'
import type { Config } from './config.ts'
import {
  type EntryPoint,
  type HashEntryPoint,
  isHashEntryPoint,
  type TokenEntryPoint,
} from './entry-points/entry-point.ts'
import { type HashSecrets, startSecretsOf } from './entry-points/hash-secrets.ts'
import type { Account } from './features/account/account.ts'
import { brandWithAddresses, entryPointAccount } from './features/account/entry-point-pages.ts'
import { openAccountTemplates } from './features/account/pages.ts'
import { createPasskeyRoutes, type PasskeyAppOptions } from './features/passkeys/app-routes.ts'
import type { Passkeys } from './features/passkeys/passkeys.ts'
import { createSsoRoutes, type SsoAppOptions } from './features/sso/app-routes.ts'
import type { Sso } from './features/sso/open-sso.ts'
import { acceptedViewers } from './features/sso/settings/sso-settings.ts'
import type { TokenIssuer } from './features/token/issuer/token-issuers.ts'
import { windowRoutes } from './features/window/routes.ts'
import type { AccessPolicy } from './login/access-decision.ts'
import { accessPolicy as ownAccessPolicy } from './login/access-policy.ts'
import { createLoopBreaker } from './login/loop-breaker.ts'
import { createClientAddress } from './login/request/client-address.ts'
import type { AnswerKeys, EntryPointDeps } from './login/route-deps.ts'
import { entryPointRoutes, sendWrongMethod } from './login/routes.ts'
import { serveBrandAssets } from './login/screens/brand-assets.ts'
import { describeError } from './login/screens/error-page.ts'
import { entryPointHeaders, type Headers, unframedHeaders } from './login/screens/headers.ts'
import { createRefusals, type Refusals } from './login/screens/refusals.ts'
import { createScreens, type Screens } from './login/screens/screens.ts'
import { openViews, type Views } from './login/screens/views.ts'
import { createSignInLog } from './login/sign-in-log.ts'
import type { OptionalStore } from './redis/optional-store.ts'
import { type LineSums, type WarnOnce, warnOnceAMinute } from './server/log/line-sums.ts'
import type { SecurityLog } from './server/log/log.ts'
import type { Metrics } from './server/monitoring/metrics.ts'
import { createReadiness } from './server/monitoring/readiness.ts'
import { onlyMethods } from './server/only-methods.ts'
import type { SessionStore } from './sessions/session-store.ts'
import { createSessions } from './sessions/sessions.ts'
import { createVisits } from './sessions/visits.ts'
import type { SignInLimits } from './sign-in-limits/sign-in-limits.ts'
import type { UserStore } from './users/user-store.ts'

export interface AppDeps {
  readonly config: Pick<Config, 'publicUrl' | 'entryPoints' | 'sessions' | 'trustProxyHops'>
  /** Returns the secrets as they are now. Default: the secrets of the start. */
  readonly hashSecretsOf?: (entryPoint: HashEntryPoint) => HashSecrets
  /** Required if an entry point has tokens. */
  readonly tokenIssuerOf?: (entryPoint: TokenEntryPoint) => TokenIssuer
  /** Default: the policy of `access-policy.ts`. */
  readonly accessPolicy?: AccessPolicy
  readonly users: UserStore
  readonly sessionStore: Omit<SessionStore, 'endSessionsOf'>
  readonly signInLimits: Pick<SignInLimits, 'admit'>
  /** Absent if viewers set their passwords in another system. */
  readonly account?: Account | null
  /** Absent without single sign-on. */
  readonly sso?: Sso | null
  /** Absent without passkeys. */
  readonly passkeys?: Passkeys | null
  /** Stores that the app can do without. While one is away, readiness says "degraded". */
  readonly optionalStores: readonly OptionalStore[]
  /** False once the program has begun to stop. */
  readonly isAccepting: () => boolean
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
  readonly log: Logger
  readonly securityLog: SecurityLog
  /** Limits the lines about faults and refusals that repeat. */
  readonly lineSums: LineSums
  /** Absent without metrics. */
  readonly metrics?: Pick<Metrics, 'countSignIn' | 'countAccountStep' | 'timeRequests'>
}

const VIEWS = fileURLToPath(new URL('../views', import.meta.url))
const PUBLIC = fileURLToPath(new URL('../public', import.meta.url))
const HEALTH = ['/health/live', '/health/ready']

/** Creates the login app: all middleware and routes, in their order. */
export function createApp({
  config,
  hashSecretsOf = startSecretsOf,
  tokenIssuerOf,
  accessPolicy = ownAccessPolicy,
  users,
  sessionStore,
  signInLimits,
  account = null,
  sso = null,
  passkeys = null,
  optionalStores,
  isAccepting,
  nowSeconds,
  log,
  securityLog,
  lineSums,
  metrics,
}: AppDeps): Express {
  const isTls = config.publicUrl.protocol === 'https:'
  const views = openViews(VIEWS, PUBLIC)
  const warnOnce = warnOnceAMinute(log, lineSums)
  // A store that logs its own outages needs no second line.
  const warnOfSessions: WarnOnce = sessionStore.logsOutages ? log.debug.bind(log) : warnOnce
  const allSessions = createSessions({
    ...config.sessions,
    limits: config.sessions,
    store: sessionStore.store,
    isTls,
    users,
    nowSeconds,
    securityLog,
    warn: (err, effect) => warnOfSessions({ event: 'session-store', err }, `The session store failed: ${effect}`),
  })
  const addressOf = createClientAddress(config.trustProxyHops, log)
  const loopBreaker = createLoopBreaker(nowSeconds)
  const headers = unframedHeaders(config.publicUrl)

  const app = createExpress(config.trustProxyHops, metrics)
  const accountLog = { securityLog, lineSums, count: metrics?.countAccountStep }
  const { publicUrl } = config
  const scriptHeaders = unframedHeaders(publicUrl, true)
  const templates = openAccountTemplates(VIEWS)
  const accountDeps = { ...accountLog, templates, asset: views.asset, headers, scriptHeaders, publicUrl }
  const signInLog = { securityLog, lineSums, addressOf, count: metrics?.countSignIn }
  const onWindows = { publicUrl, asset: views.asset, headers, sessionStore, nowSeconds }
  const windows = windowSignIns({ sso, passkeys, ...onWindows, ...accountLog })
  for (const entryPoint of config.entryPoints) {
    const headersFor = entryPointHeaders(entryPoint, isTls)
    const brand = brandWithAddresses(entryPoint, account)
    const screens = createScreens({ ...onScreens(entryPoint, publicUrl), brand, views, headersFor })
    const logSignIn = createSignInLog({ ...signInLog, entryPoint: entryPoint.name })
    const refusals = createRefusals(screens, logSignIn, config.publicUrl.origin)
    const visits = createVisits(entryPoint, isTls)
    const sessions = allSessions.at(acceptedViewers(entryPoint.sso))
    const shared = { accessPolicy, users, sessions, visits, signInLimits, loopBreaker, addressOf, nowSeconds }
    const answerKeys = answerKeysOf(entryPoint, hashSecretsOf, tokenIssuerOf)
    const deps: EntryPointDeps = { ...shared, entryPoint, answerKeys, screens, refusals, headersFor, logSignIn }
    mount(app, entryPoint, entryPointRoutes(deps))
    mount(app, entryPoint, windows.ofEntryPoint(deps))
    mount(app, entryPoint, account && entryPointAccount({ ...deps, ...accountDeps, account }))
    if (entryPoint.basePath !== '') app.use(entryPoint.basePath, sendNotFound(screens))
  }
  const logUnframed = createSignInLog({ ...signInLog, entryPoint: 'none' })
  if (windows.shared) app.use(windows.shared(rootBrand(config.entryPoints), logUnframed))
  const unframedScreens = appScreens(views, config.entryPoints, headers)
  const brands = config.entryPoints.map(({ brand }) => brand)
  app.use('/assets', serveBrandAssets(brands, headers), assets(headers, views.asset), assetMethods(unframedScreens))

  const health = { users, sessionStore, optionalStores, isAccepting, warnOnce }
  app.use(healthRoutes(health, headers, unframedScreens))
  app.use(sendNotFound(unframedScreens))
  app.use(errorHandler(unframedScreens, createRefusals(unframedScreens, logUnframed, config.publicUrl.origin)))
  return app
}

type WindowOptions = Omit<SsoAppOptions & PasskeyAppOptions, 'sso' | 'passkeys' | 'viewsFolder'> &
  Required<Pick<AppDeps, 'sso' | 'passkeys'>>

/** Creates the routes of the windows: of each entry point, and the common callback of single sign-on. */
function windowSignIns({ sso, passkeys, ...options }: WindowOptions) {
  const ssoRoutes = sso && createSsoRoutes({ ...options, viewsFolder: VIEWS, sso })
  const passkeysOf = passkeys && createPasskeyRoutes({ ...options, viewsFolder: VIEWS, passkeys })
  return {
    ofEntryPoint: (deps: EntryPointDeps) => windowRoutes(deps, [ssoRoutes?.ofEntryPoint(deps), passkeysOf?.(deps)]),
    shared: ssoRoutes?.shared,
  }
}

function answerKeysOf(
  entryPoint: EntryPoint,
  hashSecretsOf: Required<AppDeps>['hashSecretsOf'],
  tokenIssuerOf: AppDeps['tokenIssuerOf'],
): AnswerKeys {
  if (isHashEntryPoint(entryPoint)) {
    return { viewerAuth: 'hash', entryPoint, hashSecrets: () => hashSecretsOf(entryPoint) }
  }
  if (tokenIssuerOf === undefined) throw new Error(`Entry point ${entryPoint.name} needs a token issuer`)
  return { viewerAuth: 'token', entryPoint, issuer: tokenIssuerOf(entryPoint) }
}

function mount(app: Express, { basePath }: EntryPoint, routes: RequestHandler | null | undefined): void {
  if (!routes) return
  app.use(basePath === '' ? '/' : basePath, routes)
  if (basePath === '') app.use('/e/default', routes)
}

function errorHandler(screens: Screens, refusals: Refusals): ErrorRequestHandler {
  return (error, req, res, next) => {
    if (res.headersSent) return next(error)
    const refusal = describeError(error)
    // A range of an asset that does not exist, for example. Not a sign-in, so not in the log.
    if (refusal.status < 500) screens.sendMessage(req, res, { title: 'badRequest', refusal })
    else refusals.failed(req, res, error, null)
  }
}

function sendNotFound(screens: Screens): RequestHandler {
  return (req, res) => screens.sendMessage(req, res, { title: 'notFound', refusal: { status: 404, text: 'notFound' } })
}

function onScreens(entryPoint: EntryPoint, { host }: URL) {
  return { ...entryPoint, publicHost: host, hasStartPage: hasSignInWithoutRef(entryPoint) }
}

/** False with tokens: without `ref`, a link to the entry point would only lead to a refusal. */
function hasSignInWithoutRef({ viewerAuth }: EntryPoint): boolean {
  return viewerAuth === 'hash'
}

/** Creates the screens that belong to no entry point. They have the brand of the entry point at `/`, if there is one. */
function appScreens(views: Views, entryPoints: readonly EntryPoint[], headers: Headers): Screens {
  const hasStartPage = entryPoints.some((one) => one.basePath === '' && hasSignInWithoutRef(one))
  return createScreens({ views, brand: rootBrand(entryPoints), basePath: '', headersFor: () => headers, hasStartPage })
}

function rootBrand(entryPoints: readonly EntryPoint[]): Brand {
  return entryPoints.find(({ basePath }) => basePath === '')?.brand ?? UNBRANDED
}

function createExpress(trustProxyHops: number, metrics: AppDeps['metrics']): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  // In any other environment, Express would show the stack if our own error screen fails.
  app.set('env', 'production')
  app.set('query parser', 'simple').set('trust proxy', trustProxyHops).set('case sensitive routing', true)
  trustPublicUrl(app)
  if (metrics) app.use(metrics.timeRequests)
  return app
}

/**
 * Serves the assets. Only the address that the screens use is cached for a year. With another version in its query, a
 * cache asks again each time, so that it cannot keep the content of another release.
 */
function assets(headers: Headers, addressOf: Views['asset']): RequestHandler {
  const setHeaders = (res: ServerResponse & { readonly req: { readonly originalUrl?: string } }, path: string) => {
    const isCurrent = res.req.originalUrl === addressOf(relative(PUBLIC, path))
    const caching = isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache'
    for (const [name, value] of Object.entries({ ...headers, 'Cache-Control': caching })) res.setHeader(name, value)
  }
  return express.static(PUBLIC, { index: false, redirect: false, cacheControl: false, setHeaders })
}

/** Answers 405 to every method except GET and HEAD at the address of an asset. */
function assetMethods(screens: Screens): RequestHandler {
  const paths = new Set(readdirSync(PUBLIC).map((name) => `/${name}`))
  const refuse = onlyMethods('GET, HEAD', sendWrongMethod({ screens }))
  return (req, res, next) => (paths.has(req.path) ? refuse(req, res, next) : next())
}

/**
 * Makes express-session send its Secure cookie behind every proxy, and on a laptop. Safe because PUBLIC_URL is https or
 * loopback, where browsers keep Secure cookies over plain http. Ignores `X-Forwarded-Proto` and the socket.
 */
function trustPublicUrl(app: Express): void {
  Object.defineProperty(app.request, 'secure', { configurable: true, get: () => true })
}

type HealthOptions = Pick<AppDeps, 'users' | 'sessionStore' | 'optionalStores' | 'isAccepting'> & {
  readonly warnOnce: WarnOnce
}

function healthRoutes(
  { users, sessionStore, optionalStores, isAccepting, warnOnce }: HealthOptions,
  headers: Headers,
  screens: Screens,
): Router {
  const requiredStores = { USER_STORE_URL: users, SESSION_STORE_URL: sessionStore }
  const onAway = (setting: string, err: unknown) => warnOnce({ event: 'not-ready', err }, `${setting} does not answer`)
  const router = Router({ strict: true, caseSensitive: true })
  router.get(HEALTH, (_req, res, next) => {
    res.set(headers)
    next()
  })
  router.get('/health/live', (_req, res) => void res.json({ status: 'live' }))
  router.get('/health/ready', createReadiness({ requiredStores, optionalStores, isAccepting, onAway }))
  router.all(HEALTH, onlyMethods('GET, HEAD', sendWrongMethod({ screens })))
  return router
}
