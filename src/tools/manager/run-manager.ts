import { UNBRANDED } from '../../brand/brand.ts'
import { readUserStore } from '../../config.ts'
import { createClientAddress, trustedProxiesOf } from '../../login/request/client-address.ts'
import { createHttpServer, listen, stopServer } from '../../server/http-server.ts'
import { limitAge, RetentionEnvironment } from '../../server/log/limited-file.ts'
import { openLogs } from '../../server/log/log.ts'
import { userStores } from '../../users/open-user-store.ts'
import { argon2Passwords } from '../../users/passwords/argon2.ts'
import { openManagerStore } from '../cli/manager/accounts/manager-store.ts'
import { entryPointsIn } from '../cli/settings/chosen-entry-point.ts'
import { eventTimesOf, type HasEventTimes } from '../cli/settings/event-times.ts'
import { readManagerSettings } from '../cli/settings/manager/settings.ts'
import { readToolSettings } from '../cli/settings/read-tool-settings.ts'
import type { CommandIo } from '../cli/terminal/io.ts'
import { loadAll } from '../cli/terminal/lazy.ts'
import { type HasViewerFacts, viewerFactsOf } from '../cli/viewers/viewer-facts.ts'
import { eventReports } from './after/event-reports.ts'
import { openActs } from './door/acts.ts'
import { createManagerApp } from './manager-app.ts'
import type { HasPagePart, Viewers } from './section.ts'

const REQUESTS_DEADLINE_MS = 5_000

/**
 * Opens the stores and listens.
 * @throws ConfigError if a setting is wrong, and NodeJS.ErrnoException if the port cannot be opened.
 */
export async function runManager(
  env: CommandIo['env'],
  features: readonly (HasViewerFacts & HasEventTimes & HasPagePart)[],
) {
  const settings = readManagerSettings(env)
  const { log, close: closeLog } = openLogs('info', null)
  const store = openManagerStore(settings.storeFile)
  const viewers = await openViewers(env)
  const closers: (() => void)[] = []
  const first = entryPointsIn(env)
  if (first === null) log.warn('The entry points cannot be read here: no brand, no doors, no limit to an entry point')
  const logAct = openActs(settings.logFile, log)
  const { RETENTION_DAYS } = readToolSettings(env, RetentionEnvironment, [])
  limitAge(settings.logFile, RETENTION_DAYS, (err) => log.error({ event: 'manager-log-failed', err }))
  const app = createManagerApp({
    env,
    settings,
    store,
    viewers,
    logAct,
    actsFile: settings.logFile,
    brand: first?.find(({ basePath }) => basePath === '')?.brand ?? first?.[0]?.brand ?? UNBRANDED,
    viewerFacts: await viewerFactsOf({ features }),
    events: await eventTimesOf(features),
    parts: await loadAll(features.map(({ page }) => page)),
    reports: eventReports(env),
    entryPoints: () => entryPointsIn(env),
    passwords: argon2Passwords,
    nowSeconds: () => Date.now() / 1000,
    addressOf: createClientAddress(trustedProxiesOf(settings.proxyHops, []), log),
    onFault: (err, id) => log.error({ event: 'manager-fault', err, id }),
    warn: (err) => log.warn({ event: 'manager-fault', err }),
    onClose: (close) => void closers.push(close),
  })
  const server = createHttpServer(app)
  const port = await listen(server, settings.port, settings.host)
  log.info({ event: 'started', port, managerUrl: settings.url.origin }, 'The page for managers listens')
  return {
    port,
    async stop(): Promise<void> {
      for (const close of closers) close()
      await stopServer(server, REQUESTS_DEADLINE_MS)
      await viewers.store.close()
      store.close()
      log.info({ event: 'stopped' })
      await closeLog()
    },
  }
}

/** Opens the store of viewers to change them, or else to look them up. */
async function openViewers(env: CommandIo['env']): Promise<Viewers> {
  const settings = readUserStore(env)
  if (!userStores.isOwn(settings)) return { store: await userStores.open(settings), editable: null }
  const editable = await userStores.openEditable(settings)
  return { store: editable, editable }
}
