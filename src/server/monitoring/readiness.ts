import type { RequestHandler } from 'express'
import { untilDeadline, withDeadline } from '../circuit-breaker.ts'

/** Load balancers give up after a few seconds, and then say less. A locked table would hold the answer for longer. */
const STORE_ANSWERS_WITHIN_MS = 2000

/** A store that the app can do without for a while. While it is away, readiness says "degraded". */
export interface OptionalStore {
  /** The setting with its address, for readiness. */
  readonly setting: string
  isAvailable(): boolean
  /** Returns the UNIX time of the store, in seconds. Absent if the store has no clock that all copies of the app share. */
  readonly nowSeconds?: (() => Promise<number>) | undefined
}

export interface ReadinessOptions {
  /** By their settings. Without one of them, no viewer can sign in. */
  readonly requiredStores: Readonly<Record<string, { checkHealth(): Promise<void> }>>
  readonly optionalStores: readonly OptionalStore[]
  /** False once the program has begun to stop. */
  readonly isAccepting: () => boolean
  /** Returns what features add to the answer of a copy that takes viewers. */
  readonly ofFeatures: () => object
  /** Gets the setting of each required store that does not answer, at each request. */
  readonly onAway: (setting: string, error: unknown) => void
}

/**
 * Answers a load balancer in JSON: 200 with `ready` or `degraded`, 503 with `stopping` or `unavailable`. `away` names the
 * settings of the stores that do not answer.
 */
export function createReadiness(options: ReadinessOptions): RequestHandler {
  const { optionalStores, isAccepting, ofFeatures } = options
  return async (_req, res) => {
    if (!isAccepting()) return void res.status(503).json({ status: 'stopping' })
    const failed = await failedStores(options)
    if (failed.length > 0) return void res.status(503).json({ status: 'unavailable', away: failed })
    // Several stores may have one setting.
    const away = [...new Set(optionalStores.flatMap((store) => (store.isAvailable() ? [] : store.setting)))]
    // Still 200: all copies share the store, and the load balancer must not remove them all.
    const status = away.length === 0 ? { status: 'ready' } : { status: 'degraded', away }
    res.json({ ...status, ...ofFeatures() })
  }
}

async function failedStores({ requiredStores, onAway }: ReadinessOptions): Promise<string[]> {
  const checks = Object.entries(requiredStores).map(async ([setting, store]) => {
    try {
      const late = () => new Error(`${setting} did not answer within ${STORE_ANSWERS_WITHIN_MS / 1000} s.`)
      const check = (deadline: AbortSignal) => untilDeadline(() => store.checkHealth(), deadline)
      await withDeadline(STORE_ANSWERS_WITHIN_MS, late, check)
      return []
    } catch (error) {
      onAway(setting, error)
      return [setting]
    }
  })
  return (await Promise.all(checks)).flat()
}
