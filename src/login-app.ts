import { setTimeout as sleep } from 'node:timers/promises'
import PACKAGE from '../package.json' with { type: 'json' }
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { isHashEntryPoint, isTokenEntryPoint } from './entry-points/entry-point.ts'
import { watchHashSecrets } from './entry-points/hash-secrets.ts'
import { ConfigError, UpstreamError } from './errors.ts'
import { openAccount } from './features/account/open-account.ts'
import { type OpenPasskeysDeps, openPasskeys } from './features/passkeys/passkeys.ts'
import { type OpenSsoDeps, openSso } from './features/sso/open-sso.ts'
import { type OpenWindowDeps, openSignInWindow } from './features/window/open-sign-in-window.ts'
import { unframedHeaders } from './login/screens/headers.ts'
import { SIGN_IN_OUTCOMES } from './login/sign-in-log.ts'
import type { OptionalStore } from './redis/optional-store.ts'
import { logDroppedConnections } from './server/dropped-connections.ts'
import { messageClassesOf } from './server/express-messages.ts'
import { closeAfterAnswers, createHttpServer, listen, stopServer } from './server/http-server.ts'
import { createLineSums } from './server/log/line-sums.ts'
import { type Logs, openLogs } from './server/log/log.ts'
import type { Readings } from './server/monitoring/gauges.ts'
import type { MetricSources, Metrics } from './server/monitoring/metrics.ts'
import { openSessionStore } from './sessions/open-session-store.ts'
import { networkOf } from './sign-in-limits/keys.ts'
import { openCounters } from './sign-in-limits/open-counters.ts'
import { createSignInLimits } from './sign-in-limits/sign-in-limits.ts'
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
  const lineSums = createLineSums()
  for (const warning of config.warnings) log.warn(warning)
  const users = await userStores.open(config.userStore, (message, cause) =>
    log.warn({ event: 'user-store', err: cause }, message),
  )
  const nowSeconds = () => Date.now() / 1000
  const [sessions, counters] = await Promise.all([
    openSessionStore(config.sessionStore, config.sessions, { nowSeconds, log }),
    openCounters(config.limitsStore, { nowSeconds, log }),
  ])
  const { sessionStore } = sessions
  const signInLimits = createSignInLimits(counters.openCounter, config.addressLimit)
  const account = await openAccount(config, { users, sessionStore, signInLimits, ...counters, log })
  const onAnswer: OpenSsoDeps['onAnswer'] = (...answer) => metrics?.metrics.timeProvider(...answer)
  const remoteDeps = { ...counters, nowSeconds, log, onAnswer, users, account }
  const remote = await openRemote(config, remoteDeps)
  const optionalStores = [...sessions.optionalStores, ...counters.optionalStores, ...remote.optionalStores]
  let isAccepting = true
  const metrics = await openMetrics(config, { ...readingsOf(users, sessions, counters, remote), linesDropped })
  const hashSecrets = watchSecrets(config, log)
  const stores = { users, sessionStore, signInLimits, account, ...remote.deps, optionalStores, nowSeconds }
  const shared = { config, hashSecretsOf: hashSecrets.secretsOf, ...stores, log, securityLog, lineSums }
  const deps = { ...shared, isAccepting: () => isAccepting, ...(metrics && { metrics: metrics.metrics }) }
  const app = createApp(deps)
  const clientFaults = clientFaultsOf(config, metrics?.metrics)
  const server = createHttpServer(app, clientFaults, messageClassesOf(app))
  logDroppedConnections(server, { log, lineSums, networkOf })
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
    account?.mailQueue?.close()
    remote.close()
    await users.close()
    sessionStore.close()
    counters.close()
    // Last, so that Prometheus can read the last requests.
    if (metrics) await stopServer(metrics.server, 0)
    lineSums.end()
    log.info({ event: 'stopped' })
    await close()
  }
  const ports = { port, ...(metrics && { metricsPort: metrics.port }) }
  const started = { event: 'started', ...ports, publicUrl: config.publicUrl.origin }
  return { sayStarted: () => log.info(started, 'The login app listens'), stop }
}

type RemoteDeps = OpenWindowDeps & Pick<OpenSsoDeps, 'onAnswer'> & Pick<OpenPasskeysDeps, 'users' | 'account'>

/** Opens the parts that need other services: single sign-on, passkeys and their window, and the issuers of tokens. */
async function openRemote(config: Config, deps: RemoteDeps) {
  const signInWindow = await openSignInWindow(config, deps)
  const sso = signInWindow && (await openSso(config, { signInWindow, ...deps }))
  const passkeys = signInWindow && (await openPasskeys(config, { signInWindow, ...deps }))
  const issuers = await openIssuers(config, deps)
  const close = () => {
    issuers?.close()
    sso?.close()
    signInWindow?.flows.close()
  }
  const optionalStores = [...(sso?.optionalStores ?? []), ...(issuers?.optionalStores ?? [])]
  const tokens = issuers && { tokenIssuerOf: issuers.issuerOf }
  return { signInWindow, issuers, deps: { sso, passkeys, ...tokens }, optionalStores, close }
}

/** Returns null without an entry point with tokens: most apps need none of this code. */
async function openIssuers({ entryPoints }: Config, deps: Pick<OpenWindowDeps, 'nowSeconds' | 'log'>) {
  const withTokens = entryPoints.filter(isTokenEntryPoint)
  if (withTokens.length === 0) return null
  const { openTokenIssuers } = await import('./features/token/issuer/token-issuers.ts')
  return await openTokenIssuers(withTokens, deps)
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
  { sessionStore, optionalStores }: Awaited<ReturnType<typeof openSessionStore>>,
  { optionalStores: limitsStores }: Awaited<ReturnType<typeof openCounters>>,
  { signInWindow, issuers, deps: { sso } }: Awaited<ReturnType<typeof openRemote>>,
): Readings {
  const sessions = async () => {
    await sessionStore.checkHealth()
    if (!areAvailable(optionalStores)) throw new UpstreamError('session-store', 'The session store is away')
  }
  const limits = limitsStores.length === 0 ? {} : { limits: () => areAvailable(limitsStores) }
  const provider = sso === null ? {} : { provider: () => areAvailable(sso.optionalStores) }
  const serviceKeys = issuers && { 'service-keys': () => areAvailable(issuers.optionalStores) }
  return {
    version: PACKAGE.version,
    stores: { users: () => users.checkHealth(), sessions, ...limits, ...provider, ...serviceKeys },
    hashingQueue: users.hashingQueue,
    tokens: issuers?.readings,
    countSessions: sessionStore.count,
    countOpenWindows: signInWindow?.startLimits.countOpen,
  }
}

function areAvailable(stores: readonly OptionalStore[]): boolean {
  return stores.every((store) => store.isAvailable())
}

/** Returns null without METRICS_PORT. */
async function openMetrics(
  { metricsPort, host, entryPoints }: Config,
  readings: Omit<MetricSources, 'signInOutcomes' | 'entryPoints'>,
) {
  if (metricsPort === null) return null
  const { createMetrics } = await import('./server/monitoring/metrics.ts')
  const names = entryPoints.map(({ name }) => name)
  const metrics = createMetrics({ ...readings, signInOutcomes: SIGN_IN_OUTCOMES, entryPoints: names })
  const server = createHttpServer(metrics.listener)
  const port = await listen(server, metricsPort, host).catch((cause: ListenFault) => {
    if (cause.port === undefined) throw cause
    throw new ConfigError(`METRICS_PORT: port ${metricsPort} cannot be opened (${cause.code}). Set another port.`, {
      cause,
    })
  })
  return { metrics, server, port }
}
