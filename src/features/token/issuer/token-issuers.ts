import { availableParallelism } from 'node:os'
import { createQueue, type QueueOptions, type WorkQueue } from '../../../server/work-queue.ts'
import type { TokenSettings } from '../fields.ts'
import { buildViewerToken, CLOCK_MARGIN_SECONDS, TOKEN_LIFETIME_SECONDS } from '../viewer-token/viewer-token.ts'
import { type CacheLog, openServiceKeyCache, type ServiceKeyCache } from './service-key-cache.ts'

/** Builds the tokens of one entry point. */
export type TokenIssuer = ReturnType<typeof createTokenIssuer>

/** With a content key of 4096 bits, a token takes about 2 ms of a core, so the last of 20 waits 40 ms; 10 ms with 2048. */
const QUEUE_PER_CORE = 20
/** A token is signed in another thread, and encrypted in the main thread. With one per core, cores would be idle. */
const WIDTH_PER_CORE = 2
/** Password checks may take half of the cores, which doubles the wait. */
const LONGEST_WAIT_MS = 100

/** Returns the limits for tokens in one process. */
export function tokenQueueOptions(cores: number = availableParallelism()): QueueOptions {
  return { width: cores * WIDTH_PER_CORE, queueLength: cores * QUEUE_PER_CORE, longestWaitMs: LONGEST_WAIT_MS }
}

/** Opens the issuers of all entry points with tokens. They share a queue, and each address of keys has one cache. */
export async function openTokenIssuers(
  entryPoints: readonly Pick<TokenSettings, 'serviceKeyUrl'>[],
  { nowSeconds, log }: { readonly nowSeconds: () => number; readonly log: CacheLog },
) {
  const urls = [...new Set(entryPoints.map(({ serviceKeyUrl }) => serviceKeyUrl))]
  const opened = await Promise.all(urls.map(async (url) => [url, await openServiceKeyCache(url, log)] as const))
  const caches = new Map(opened)
  const queue = createQueue(tokenQueueOptions())
  return {
    issuerOf(settings: TokenSettings): TokenIssuer {
      const cache = caches.get(settings.serviceKeyUrl)
      if (cache === undefined) throw new Error('No cache of keys was opened for this entry point')
      return createTokenIssuer(settings, cache, queue, nowSeconds)
    },
    /** For readiness. */
    optionalStores: [...caches.values()],
    /** For the metrics. */
    readings: { queue: queue.load, refused: queue.refused, keysAgeSeconds: () => oldest([...caches.values()]) },
    close(): void {
      for (const cache of caches.values()) cache.close()
    },
  }
}

/** Returns the age of the oldest keys. Null if no keys were ever fetched. */
function oldest(caches: readonly ServiceKeyCache[]): number | null {
  const ages = caches.map((cache) => cache.ageSeconds()).filter((age) => age !== null)
  return ages.length === 0 ? null : Math.max(...ages)
}

/** Creates the issuer of one entry point. @param nowSeconds UNIX time in seconds. */
export function createTokenIssuer(
  { contentKey }: Pick<TokenSettings, 'contentKey'>,
  serviceKeys: Pick<ServiceKeyCache, 'newest' | 'refetch'>,
  queue: WorkQueue,
  nowSeconds: () => number,
) {
  return {
    /**
     * Call it before other work, so that a refusal costs nothing.
     * @throws OverloadedError if too many tokens wait, UpstreamError without a key of the service.
     */
    assertCapacity(): void {
      serviceKeys.newest()
      queue.assertCapacity()
    },
    /**
     * Builds a token. It is a credential for a minute: never log it.
     * @param endsAtSeconds the service accepts no token after this UNIX time. Default: a minute.
     * @throws OverloadedError, UpstreamError without a key of the service, RangeError for a subject that no token can have.
     */
    issue: (subject: string, endsAtSeconds = Number.POSITIVE_INFINITY): Promise<string> =>
      queue.run(() => {
        // Key and time are read after the wait: both may be older by then.
        const keys = { contentKey, serviceKey: serviceKeys.newest() }
        const latestSeconds = endsAtSeconds - TOKEN_LIFETIME_SECONDS + CLOCK_MARGIN_SECONDS
        // A token has no expiry: an earlier `iat` ends it earlier.
        return buildViewerToken(subject, keys, Math.min(nowSeconds(), latestSeconds))
      }),
    /** Call it when the player refuses tokens: the service may have changed its keys. Fetches them at most every 30 s. */
    refetchKeys: (): void => serviceKeys.refetch(),
  }
}
