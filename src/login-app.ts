import { setTimeout as sleep } from 'node:timers/promises'
import PACKAGE from '../package.json' with { type: 'json' }
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { isHashEntryPoint } from './entry-points/entry-point.ts'
import { watchHashSecrets } from './entry-points/hash-secrets.ts'
import { ConfigError, UpstreamError } from './errors.ts'
import { features } from './features.ts'
import { SIGN_IN_OUTCOMES } from './login/log/sign-in-log.ts'
import { type OpenFeatures, openFeatures } from './login/open-features.ts'
import { unframedHeaders } from './login/screens/headers.ts'
import { logDroppedConnections } from './server/dropped-connections.ts'
import { closeAfterAnswers, createHttpServer, listen, stopServer } from './server/http-server.ts'
import { type Logs, openLogs } from './server/log/log.ts'
import { createRepeatFilter } from './server/log/repeat-filter.ts'
import type { Readings } from './server/monitoring/gauges.ts'
import type { MetricSources, Metrics } from './server/monitoring/metrics.ts'
import type { OptionalStore } from './server/monitoring/optional-store.ts'
import { networkOf } from './sign-in-limits/keys.ts'
import { createSignInLimits } from './sign-in-limits/sign-in-limits.ts'
import type { OpenCounters, OpenSessions } from './stores/store-kind.ts'
import { stores as sharedStores } from './stores.ts'
import { userStores } from './users/open-user-store.ts'
import type { UserStore } from './users/user-store.ts'

const REQUESTS_DEADLINE_MS = 15_000

export interface LoginApp {
  /** Writes the first line of the log. */
  sayStarted(): void
  /** Stops the app: readiness fails first, running requests finish, stores and log are closed. */
  stop(signal: string): Promise<void>
}

/**
 * Opens the stores and listens.
 * @throws ConfigError if a setting is wrong, and NodeJS.ErrnoException if the port cannot be opened.
 */
export async function runLoginApp(env: NodeJS.ProcessEnv): Promise<LoginApp> {
  const config = readConfig(env)
  const { log, securityLog, linesDropped, close } = openLogFiles(config)
  const repeatFilter = createRepeatFilter()
  for (const warning of config.warnings) log.warn(warning)
  const users = await userStores.open(config.userStore, (message, cause) =>
    log.warn({ event: 'user-store', err: cause }, message),
  )
  const nowSeconds = () => Date.now() / 1000
  const [sessions, counters] = await Promise.all([
    sharedStores.openSessions(config.sessionStore, config.sessions, { nowSeconds, log }),
    sharedStores.openCounters(config.limitsStore, { nowSeconds, log }),
  ])
  const { sessionStore } = sessions
  const signInLimits = createSignInLimits(counters.openCounter, config.addressLimit)
  const { publicUrl, contextWords, addressLimit } = config
  const settings = { publicUrl, contextWords, addressLimit, stores: config }
  const shared = { users, sessionStore, signInLimits, nowSeconds, log, securityLog, repeatFilter }
  const open = await openFeatures(features, config, { ...settings, ...shared, openCounter: counters.openCounter })
  const optionalStores = [...sessions.optionalStores, ...counters.optionalStores, ...open.optionalStores]
  let isAccepting = true
  const metrics = await openMetrics(config, { ...readingsOf(users, sessions, counters, open), linesDropped }, open)
  const hashSecrets = watchSecrets(config, log)
  const own = { config, features: open, hashSecretsOf: hashSecrets.secretsOf, optionalStores }
  const deps = { ...own, ...shared, isAccepting: () => isAccepting, ...(metrics && { metrics: metrics.metrics }) }
  const app = createApp(deps)
  const clientFaults = clientFaultsOf(config, metrics?.metrics)
  const server = createHttpServer(app, clientFaults)
  logDroppedConnections(server, { log, repeatFilter, networkOf })
  const port = await listen(server, config.port, config.host)

  async function stop(signal: string): Promise<void> {
    if (!isAccepting) return
    isAccepting = false
    log.info({ event: 'stopping', signal })
    // Readiness fails first, so that the load balancer sends no new viewers.
    closeAfterAnswers(server)
    await sleep(config.shutdownDelaySeconds * 1000)
    await stopServer(server, REQUESTS_DEADLINE_MS)
    hashSecrets.stop()
    open.close()
    await users.close()
    sessionStore.close()
    counters.close()
    // Last, so that Prometheus can read the last requests.
    if (metrics) await stopServer(metrics.server, 0)
    repeatFilter.end()
    log.info({ event: 'stopped' })
    await close()
  }
  const ports = { port, ...(metrics && { metricsPort: metrics.port }) }
  const started = { event: 'started', ...ports, publicUrl: config.publicUrl.origin }
  return { sayStarted: () => log.info(started, 'The login app listens'), stop }
}

function clientFaultsOf({ publicUrl }: Config, metrics: Pick<Metrics, 'countClientFault'> | undefined) {
  return { headers: unframedHeaders(publicUrl), ...(metrics && { count: metrics.countClientFault }) }
}

function watchSecrets({ entryPoints }: Config, log: Pick<Logs['log'], 'info' | 'warn'>) {
  return watchHashSecrets(entryPoints.filter(isHashEntryPoint), {
    onChange: (entryPoint) => log.info({ event: 'hash-secret', entryPoint }, 'The secrets have changed'),
    onFault: (entryPoint, fault) =>
      log.warn({ event: 'hash-secret', entryPoint }, `The app keeps the secrets that it has: ${fault}`),
  })
}

function openLogFiles({ logLevel, securityLogFile }: Config): Logs {
  try {
    return openLogs(logLevel, securityLogFile)
  } catch (cause) {
    if (securityLogFile === null) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`SECURITY_LOG_FILE cannot be opened (${code}). Set a file that this user may write.`, {
      cause,
    })
  }
}

type ListenFault = NodeJS.ErrnoException & { readonly port?: number }

/** Returns what the metrics say about the stores. */
function readingsOf(
  users: UserStore,
  { sessionStore, optionalStores }: OpenSessions,
  { optionalStores: limitsStores }: OpenCounters,
  open: OpenFeatures,
): Readings {
  const sessions = async () => {
    await sessionStore.checkHealth()
    if (!areAvailable(optionalStores)) throw new UpstreamError('session-store', 'The session store is away')
  }
  const limits = limitsStores.length === 0 ? {} : { limits: () => areAvailable(limitsStores) }
  return {
    version: PACKAGE.version,
    stores: { users: () => users.checkHealth(), sessions, ...limits, ...open.storesInMetrics },
    hashingQueue: users.hashingQueue,
    countSessions: sessionStore.count,
  }
}

function areAvailable(stores: readonly OptionalStore[]): boolean {
  return stores.every((store) => store.isAvailable())
}

/** Returns null without METRICS_PORT. */
async function openMetrics(
  { metricsPort, host, entryPoints }: Config,
  readings: Omit<MetricSources, 'signInOutcomes' | 'entryPoints' | 'ofFeatures'>,
  { outcomes, registerMetrics }: OpenFeatures,
) {
  if (metricsPort === null) return null
  const { createMetrics } = await import('./server/monitoring/metrics.ts')
  const names = entryPoints.map(({ name }) => name)
  const metrics = createMetrics({
    ...readings,
    signInOutcomes: Object.keys({ ...SIGN_IN_OUTCOMES, ...outcomes }),
    entryPoints: names,
    ofFeatures: registerMetrics,
  })
  const server = createHttpServer(metrics.listener)
  const port = await listen(server, metricsPort, host).catch((cause: ListenFault) => {
    if (cause.port === undefined) throw cause
    throw new ConfigError(`METRICS_PORT: port ${metricsPort} cannot be opened (${cause.code}). Set another port.`, {
      cause,
    })
  })
  return { metrics, server, port }
}
