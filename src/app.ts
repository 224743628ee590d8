import express, { type Express, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { type Brand, UNBRANDED } from './brand/brand.ts'
import type { Config } from './config.ts'
import { type EntryPoint, isHashEntryPoint } from './entry-points/entry-point.ts'
import { createRouters } from './entry-points/routers.ts'
import type { ServedEntryPoints } from './entry-points/served-entry-points.ts'
import { accessPolicy as ownAccessPolicy } from './login/access-policy.ts'
import type { AccessPolicy } from './login/answer/access-decision.ts'
import type { PlayerAnswer } from './login/answer/answer.ts'
import { createHashAnswer } from './login/answer/hash-answer.ts'
import { createLoopBreaker } from './login/answer/loop-breaker.ts'
import type { FeaturePart } from './login/feature.ts'
import { createSignInLog, SIGN_IN_OUTCOMES } from './login/log/sign-in-log.ts'
import { NO_FEATURES, type OpenFeatures } from './login/open-features.ts'
import { createClientAddress, type TrustsProxy, trustedProxiesOf } from './login/request/client-address.ts'
import type { EntryPointDeps } from './login/route-deps.ts'
import { entryPointRoutes, sendFault, sendWrongMethod } from './login/routes.ts'
import { type Asset, serveAssets } from './login/screens/assets.ts'
import { brandAssetsOf } from './login/screens/brand-assets.ts'
import { entryPointHeaders, type Headers, unframedHeaders } from './login/screens/headers.ts'
import { createRefusals } from './login/screens/refusals.ts'
import { waysOf } from './login/screens/screen-part.ts'
import { createScreens, type Screens } from './login/screens/screens.ts'
import { openViews, type Views } from './login/screens/views.ts'
import type { Watch } from './login/watch.ts'
import type { SecurityLog } from './server/log/log.ts'
import { type RepeatFilter, type WarnOnce, warnOnceAMinute } from './server/log/repeat-filter.ts'
import { createReadiness, type OptionalStore } from './server/monitoring/readiness.ts'
import { onlyMethods } from './server/only-methods.ts'
import type { SessionStore } from './sessions/session-store.ts'
import { type AcceptsSession, createSessions } from './sessions/sessions.ts'
import type { SignInLimits } from './sign-in-limits/sign-in-limits.ts'
import type { UserStore } from './users/user-store.ts'

export interface AppDeps {
  readonly config: Pick<Config, 'publicUrl' | 'entryPoints' | 'sessions' | 'trustProxyHops' | 'trustedProxies'>
  /** Absent if the entry points stay as they are. */
  readonly served?: Pick<ServedEntryPoints, 'onServe'>
  readonly features?: OpenFeatures
  /** Default: the policy of `access-policy.ts`. */
  readonly accessPolicy?: AccessPolicy
  readonly users: UserStore
  readonly sessionStore: Pick<SessionStore, 'store' | 'checkHealth' | 'logsOutages' | 'close'>
  readonly signInLimits: Pick<SignInLimits, 'admit' | 'isAgain'>
  readonly optionalStores: readonly OptionalStore[]
  readonly isAccepting: () => boolean
  readonly nowSeconds: () => number
  readonly log: Logger
  readonly securityLog: SecurityLog
  readonly repeatFilter: RepeatFilter
  /** Null if no feature watches the app. */
  readonly watch?: Pick<Watch, 'countSignIn' | 'timeRequests'> | null
}

const HEALTH = ['/health/live', '/health/ready', '/health/address']

/** Creates the login app: all middleware and routes, in their order. */
export function createApp(deps: AppDeps): Express {
  const { config, served, features = NO_FEATURES, accessPolicy = ownAccessPolicy } = deps
  const { users, sessionStore, signInLimits, nowSeconds, log, securityLog, repeatFilter, watch = null } = deps
  const isTls = config.publicUrl.protocol === 'https:'
  const views = openViews()
  const warnOnce = warnOnceAMinute(log, repeatFilter)
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
  const trustsProxy = trustedProxiesOf(config.trustProxyHops, config.trustedProxies)
  const addressOf = createClientAddress(trustsProxy, log)
  const loopBreaker = createLoopBreaker(nowSeconds)
  const headers = unframedHeaders(config.publicUrl)
  const outcomes = { ...SIGN_IN_OUTCOMES, ...features.outcomes }
  const signInLog = { securityLog, repeatFilter, addressOf, outcomes, count: watch?.countSignIn }

  function routesOf(entryPoint: EntryPoint, parts: readonly FeaturePart[], answer: PlayerAnswer): RequestHandler[] {
    const headersFor = entryPointHeaders(entryPoint, isTls)
    const ofFeatures = parts.flatMap(({ screenPart }) => screenPart ?? [])
    const ordered = waysOf(entryPoint.hasPasswordForm, ofFeatures)
    const screenParts = parts.reduce((ways, part) => part.order?.(ways) ?? ways, ordered)
    const screens = createScreens({ ...entryPoint, ...screensOf(answer), ways: screenParts, views, headersFor })
    const logSignIn = createSignInLog({ ...signInLog, entryPoint: entryPoint.name })
    const refusals = createRefusals(screens, logSignIn, config.publicUrl.origin)
    const sessions = allSessions.at(acceptsSession(entryPoint, parts))
    const shared = { accessPolicy, users, sessions, signInLimits, loopBreaker, addressOf, nowSeconds }
    const own = { entryPoint, answer, screenParts, screens, refusals, headersFor, logSignIn }
    const gateDeps = { ...shared, ...own }
    const routeDeps: EntryPointDeps = { ...gateDeps, gates: parts.flatMap(({ gate }) => gate?.(gateDeps) ?? []) }
    const ofParts = parts.flatMap(({ routes }) => routes?.(routeDeps) ?? [])
    return [entryPointRoutes(routeDeps), ...ofParts, ...(entryPoint.basePath === '' ? [] : [sendNotFound(screens)])]
  }

  function routedOf(given: EntryPoint) {
    const parts = features.at(given)
    const brand = parts.reduce((one, part) => part.brand?.(one) ?? one, given.brand)
    // A link for a forgotten password belongs to the password form.
    const entryPoint = { ...given, brand: given.hasPasswordForm ? brand : { ...brand, forgotPasswordUrl: null } }
    const answer = answerOf(entryPoint, parts, nowSeconds)
    return { given, entryPoint, routesOf: () => routesOf(entryPoint, parts, answer) }
  }

  const app = createExpress(trustsProxy, watch)
  const routers = createRouters(routedOf)
  routers.serve(config.entryPoints)
  app.use(routers.handler)
  const entryPoints = routers.entryPoints()
  const logUnframed = createSignInLog({ ...signInLog, entryPoint: 'none' })
  for (const routes of features.sharedRoutes({ brand: rootBrand(entryPoints), logSignIn: logUnframed })) {
    app.use(routes)
  }
  const unframedScreens = appScreens(views, entryPoints, headers)
  const wrongMethod = onlyMethods('GET, HEAD', sendWrongMethod({ screens: unframedScreens }))
  let brandAssets = brandAssetsIn(entryPoints)
  let sendAsset = serveAssets([...brandAssets.values()], headers, wrongMethod)
  app.use('/assets', (req, res, next) => void sendAsset(req, res, next))
  served?.onServe((all) => {
    routers.serve(all)
    // Pages that are open may still load those of earlier settings.
    brandAssets = new Map([...brandAssets, ...brandAssetsIn(routers.entryPoints())])
    sendAsset = serveAssets([...brandAssets.values()], headers, wrongMethod)
  })

  const readiness = createReadiness({
    ...deps,
    requiredStores: { USER_STORE_URL: users, SESSION_STORE_URL: sessionStore },
    ofFeatures: features.readiness(deps.optionalStores),
    onAway: (setting, err) => warnOnce({ event: 'not-ready', err }, `${setting} does not answer`),
  })
  app.use(healthRoutes(readiness, addressOf, headers, unframedScreens))
  app.use(sendNotFound(unframedScreens))
  app.use(sendFault({ refusals: createRefusals(unframedScreens, logUnframed, config.publicUrl.origin) }))
  return app
}

/** Returns what the player of an entry point gets: the hash, unless a feature replaces it. */
function answerOf(entryPoint: EntryPoint, parts: readonly FeaturePart[], nowSeconds: () => number): PlayerAnswer {
  const replaced = parts.find(({ answer }) => answer)?.answer
  if (replaced) return replaced
  if (!isHashEntryPoint(entryPoint)) throw new Error(`Entry point ${entryPoint.name} needs ${entryPoint.viewerAuth}`)
  return createHashAnswer(entryPoint, nowSeconds)
}

/** Without an address of the player, some answers have nowhere to go: a link to the entry point would not help. */
function screensOf({ readAddress, cancel }: PlayerAnswer) {
  const reading = readAddress(undefined)
  return { hasStartPage: reading.ok, canCancel: reading.ok && cancel(reading.address) !== null }
}

/** Sessions of password viewers count where the password form is, and others where a feature accepts them. */
function acceptsSession({ hasPasswordForm }: EntryPoint, parts: readonly FeaturePart[]): AcceptsSession {
  return (viewer, nowSeconds) =>
    (hasPasswordForm && viewer.identity === undefined) ||
    parts.some((part) => part.acceptsSession?.(viewer, nowSeconds) ?? false)
}

function sendNotFound(screens: Screens): RequestHandler {
  return (req, res) => screens.sendMessage(req, res, { title: 'notFound', refusal: { status: 404, text: 'notFound' } })
}

/** Creates the screens that belong to no entry point. They have the brand of the entry point at `/`, if there is one. */
function appScreens(views: Views, entryPoints: readonly EntryPoint[], headers: Headers): Screens {
  const hasStartPage = entryPoints.some((one) => one.basePath === '' && isHashEntryPoint(one))
  return createScreens({ views, brand: rootBrand(entryPoints), basePath: '', headersFor: () => headers, hasStartPage })
}

function rootBrand(entryPoints: readonly EntryPoint[]): Brand {
  return entryPoints.find(({ basePath }) => basePath === '')?.brand ?? UNBRANDED
}

function createExpress(trustsProxy: TrustsProxy, watch: Required<AppDeps>['watch']): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  // In any other environment, Express would show the stack if our own error screen fails.
  app.set('env', 'production')
  app.set('query parser', 'simple').set('trust proxy', trustsProxy).set('case sensitive routing', true)
  // So that express-session sends its Secure cookie behind every proxy, and on a laptop. PUBLIC_URL is https or loopback,
  // where browsers keep Secure cookies over plain http.
  Object.defineProperty(app.request, 'secure', { configurable: true, get: () => true })
  if (watch) app.use(watch.timeRequests)
  return app
}

/** Returns the files of their brands, by address. */
function brandAssetsIn(entryPoints: readonly EntryPoint[]): ReadonlyMap<string, Asset> {
  const all = entryPoints.flatMap(({ brand }) => Object.values(brandAssetsOf(brand)).flat())
  return new Map(all.flatMap((asset) => (asset === null ? [] : [[asset.address, asset]])))
}

function healthRoutes(
  readiness: RequestHandler,
  addressOf: EntryPointDeps['addressOf'],
  headers: Headers,
  screens: Screens,
): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get(HEALTH, (req, res, next) => {
    // Express would answer "If-None-Match: *" with 304 in place of the state.
    delete req.headers['if-none-match']
    res.set(headers)
    next()
  })
  router.get('/health/live', (_req, res) => void res.json({ status: 'live' }))
  // Shows callers only their own address, so that an operator can check the settings of proxies.
  router.get('/health/address', (req, res) => void res.json({ address: addressOf(req) }))
  router.get('/health/ready', readiness)
  router.all(HEALTH, onlyMethods('GET, HEAD', sendWrongMethod({ screens })))
  return router
}
