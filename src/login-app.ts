import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app.ts'
import { type Config, readConfig, readEntryPointSettings } from './config.ts'
import { createServedEntryPoints } from './entry-points/served-entry-points.ts'
import { features } from './features.ts'
import { openFeatures } from './login/open-features.ts'
import { unframedHeaders } from './login/screens/headers.ts'
import { logDroppedConnections } from './server/dropped-connections.ts'
import { closeAfterAnswers, createHttpServer, fileLimitWarnings, listen, stopServer } from './server/http-server.ts'
import { openLogs } from './server/log/log.ts'
import { createRepeatFilter } from './server/log/repeat-filter.ts'
import { networkOf } from './sign-in-limits/keys.ts'
import { createSignInLimits } from './sign-in-limits/sign-in-limits.ts'
import { stores as sharedStores } from './stores.ts'
import { userStores } from './users/open-user-store.ts'

const REQUESTS_DEADLINE_MS = 15_000
const NO_VIEWER = 'USER_STORE_URL: the store has no viewer. Check the address, or add viewers'

/**
 * Opens the stores and listens.
 * @throws ConfigError if a setting is wrong, and NodeJS.ErrnoException if the port cannot be opened.
 */
export async function runLoginApp(env: NodeJS.ProcessEnv) {
  const config = readConfig(env)
  const { log, securityLog, linesDropped, close } = openLogs(config.logLevel, config.securityLog)
  const repeatFilter = createRepeatFilter()
  for (const warning of [...config.warnings, ...fileLimitWarnings()]) log.warn(warning)
  const users = await userStores.open(config.userStore, (message, cause) =>
    log.warn({ event: 'user-store', err: cause }, message),
  )
  const nowSeconds = () => Date.now() / 1000
  const [sessions, counters] = await Promise.all([
    sharedStores.openSessions(config.sessionStore, config.sessions, { nowSeconds, log }),
    sharedStores.openCounters(config.limitsStore, { nowSeconds, log }),
  ])
  const { sessionStore } = sessions
  const { openCounter } = counters
  const signInLimits = createSignInLimits(openCounter, config.addressLimit)
  const { publicUrl, contextWords, addressLimit, host, entryPoints } = config
  const readAgain = (before: Config['entryPoints']) =>
    readEntryPointSettings(env, { userStore: config.userStore, entryPoints: before }).entryPoints
  const served = createServedEntryPoints(features, readAgain)
  const shared = { users, sessionStore, signInLimits, nowSeconds, log, securityLog, repeatFilter, served }
  const own = { publicUrl, contextWords, addressLimit, openCounter, sessionSettings: config.sessions }
  const services = { ...shared, ...own, stores: config }
  const open = await openFeatures(features, entryPoints, config.features, services)
  const needsViewers = entryPoints.some(({ hasPasswordForm }) => hasPasswordForm)
  const hasViewers = () => !needsViewers || users.isEmpty?.() !== true
  const viewers = { setting: 'USER_STORE_URL', isAvailable: hasViewers, nowSeconds: users.nowSeconds }
  const optionalStores = [...sessions.optionalStores, ...counters.optionalStores, ...open.optionalStores, viewers]
  let isAccepting = true
  const watch = await open.watch({ host, users, sessions, counters, entryPoints, linesDropped })
  const app = createApp({
    ...shared,
    config,
    features: open,
    optionalStores,
    isAccepting: () => isAccepting,
    watch,
  })
  const clientFaults = { headers: unframedHeaders(publicUrl), ...(watch && { count: watch.countClientFault }) }
  const server = createHttpServer(app, clientFaults)
  logDroppedConnections(server, { log, repeatFilter, networkOf })
  const port = await listen(server, config.port, config.host)

  /** Stops the app: readiness fails first, running requests finish, stores and log are closed. */
  async function stop(signal: string): Promise<void> {
    if (!isAccepting) return
    isAccepting = false
    log.info({ event: 'stopping', signal })
    // Readiness fails first, so that the load balancer sends no new viewers.
    closeAfterAnswers(server)
    await sleep(config.shutdownDelaySeconds * 1000)
    await stopServer(server, REQUESTS_DEADLINE_MS)
    open.close()
    await users.close()
    sessionStore.close()
    counters.close()
    await watch?.close()
    repeatFilter.end()
    log.info({ event: 'stopped' })
    await close()
  }
  const started = { event: 'started', port, ...watch?.ports, publicUrl: config.publicUrl.origin }
  /** Logs that the app listens. Warns if the user store has no viewer. */
  function sayStarted(): void {
    log.info(started, 'The login app listens')
    if (!viewers.isAvailable()) log.warn({ event: 'user-store' }, NO_VIEWER)
  }
  return { sayStarted, stop }
}
