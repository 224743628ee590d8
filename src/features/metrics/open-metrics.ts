import PACKAGE from '../../../package.json' with { type: 'json' }
import { ConfigError, UpstreamError } from '../../errors.ts'
import { SIGN_IN_OUTCOMES } from '../../login/log/sign-in-log.ts'
import type { Watch, WatchedApp } from '../../login/watch.ts'
import { createHttpServer, listen, stopServer } from '../../server/http-server.ts'
import type { OptionalStore } from '../../server/monitoring/readiness.ts'
import type { Readings } from './gauges.ts'
import { createMetrics } from './metrics.ts'

type ListenFault = NodeJS.ErrnoException & { readonly port?: number }

/** @throws ConfigError if the port cannot be opened. */
export async function openMetrics(metricsPort: number, app: WatchedApp): Promise<Watch> {
  const { host, entryPoints, outcomes, linesDropped, parts } = app
  const { listener, ...metrics } = createMetrics({
    ...readingsOf(app),
    linesDropped,
    signInOutcomes: Object.keys({ ...SIGN_IN_OUTCOMES, ...outcomes }),
    entryPoints: entryPoints.map(({ name }) => name),
    ofFeatures: parts.map((open) => (registry) => open.registerMetrics?.(registry as never)),
  })
  const server = createHttpServer(listener)
  const port = await listen(server, metricsPort, host).catch((cause: ListenFault) => {
    if (cause.port === undefined) throw cause
    throw new ConfigError(`METRICS_PORT: port ${metricsPort} cannot be opened (${cause.code}). Set another port.`, {
      cause,
    })
  })
  return { ...metrics, ports: { metricsPort: port }, close: () => stopServer(server, 0) }
}

/** Returns what the metrics say about the stores. */
function readingsOf({ users, sessions: { sessionStore, optionalStores }, counters, parts }: WatchedApp): Readings {
  const sessions = async () => {
    await sessionStore.checkHealth()
    if (!areAvailable(optionalStores)) throw new UpstreamError('session-store', 'The session store is away')
  }
  const limitsStores = counters.optionalStores
  const limits = limitsStores.length === 0 ? {} : { limits: () => areAvailable(limitsStores) }
  const ofFeatures = Object.assign({}, ...parts.map(({ storesInMetrics }) => storesInMetrics))
  return {
    version: PACKAGE.version,
    stores: { users: () => users.checkHealth(), sessions, ...limits, ...ofFeatures },
    hashingQueue: users.hashingQueue,
    countSessions: sessionStore.count,
  }
}

function areAvailable(stores: readonly OptionalStore[]): boolean {
  return stores.every((store) => store.isAvailable())
}
