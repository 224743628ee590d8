import { Gauge, type Registry } from 'prom-client'
import type { QueueLoad } from '../../server/work-queue.ts'

/** The state of the app, read when Prometheus asks. A part that does not apply is absent. */
export interface Readings {
  /** The version in package.json. */
  readonly version: string
  /** Checks that a store answers, by the name of the store. Rejects or returns false if it does not. */
  readonly stores: Readonly<Record<string, () => Promise<void> | boolean>>
  /** Password checks under way, and those that wait. */
  readonly hashingQueue?: (() => QueueLoad) | undefined
  /** The number of stored sessions. Those that ended a moment ago may be among them. */
  readonly countSessions?: (() => number) | undefined
}

/** Prometheus waits 10 s by default. */
const STORE_ANSWERS_WITHIN_MS = 3_000

/** Registers gauges that are read when Prometheus asks. */
export function registerGauges(registry: Registry, readings: Readings): void {
  const registers = [registry]
  const { version, stores, hashingQueue, countSessions } = readings
  new Gauge({
    name: 'viewer_auth_build_info',
    help: 'Always 1; the labels name the versions of the app and of Node',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.versions.node }, 1)
  new Gauge({
    name: 'viewer_auth_store_up',
    help: '1 if the store answers, else 0. Viewers can sign in without the stores of sessions and limits',
    labelNames: ['store'],
    registers,
    async collect() {
      const checks = Object.entries(stores).map(async ([store, check]) => ({ store, isUp: await isUp(check) }))
      for (const { store, isUp } of await Promise.all(checks)) this.set({ store }, isUp ? 1 : 0)
    },
  })
  if (hashingQueue) registerQueue(registry, hashingQueue)
  if (countSessions) registerSessions(registry, countSessions)
}

function registerQueue(registry: Registry, queue: () => QueueLoad): void {
  new Gauge({
    name: 'viewer_auth_password_checks',
    help: 'Password checks that run, and that wait in the queue',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(queue())) this.set({ state }, count)
    },
  })
}

function registerSessions(registry: Registry, countSessions: () => number): void {
  new Gauge({
    name: 'viewer_auth_sessions',
    help: 'Sessions of returning viewers in the file of sessions',
    registers: [registry],
    collect() {
      try {
        this.set(countSessions())
      } catch {
        // A locked file: viewer_auth_store_up says so.
        this.reset()
      }
    },
  })
}

/** A store that hangs counts as one that does not answer, so that Prometheus gets the other metrics in time. */
async function isUp(check: () => Promise<void> | boolean): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), STORE_ANSWERS_WITHIN_MS)
  try {
    return await Promise.race([Promise.resolve(check()).then((answer) => answer !== false), late.promise])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
