import type { Logger } from 'pino'
import type { FailedSignIns } from '../sign-in-limits/failed-sign-ins.ts'
import { ACCOUNT_FAILURES, FAILED_ACCOUNT, FAILED_ADDRESS } from '../sign-in-limits/failure-totals.ts'
import { accountKey, networkOf, pairKey, pairPrefix } from '../sign-in-limits/keys.ts'
import { DAY_SECONDS } from '../sign-in-limits/limit-refusal.ts'
import { DELAY, FAILED_PAIR, LONGEST_DELAY_SECONDS } from '../sign-in-limits/pair-limit.ts'
import type { StoredCounts } from '../stores/store-kind.ts'
import type { RedisAddress } from './address.ts'
import { countInRedis, redisCounters } from './counters.ts'
import { keysByPrefix, openRedisLink, type RedisLink, removeByPrefix, removeKeys, withRedis } from './link.ts'

const SETTING = 'LIMITS_STORE_URL'

/** Counts of failed sign-ins in Redis. While Redis is away, each copy of the app counts in memory. */
export function redisCounts(address: RedisAddress): StoredCounts {
  return {
    async open({ nowSeconds, log }) {
      const without = 'each copy of the app counts failed sign-ins in its own memory'
      const link = await openRedisLink(address, { setting: SETTING, without, log, nowSeconds })
      void warnOfEviction(link, log)
      return { openCounter: redisCounters(link), optionalStores: [link], close: () => link.close() }
    },
    unlock: ({ username, address: from }) =>
      withRedis(address, SETTING, async (link) => ({
        viewer: username !== undefined && (await unlockInRedis(link, username)),
        address: from !== undefined && (await unlockAddressInRedis(link, from)),
      })),
    failedSignIns: (username) => withRedis(address, SETTING, (link) => failuresInRedis(link, username)),
  }
}

/** Warns if Redis may evict counts. Uses no `run()`: a Redis user who may not use INFO is not an outage. */
async function warnOfEviction(link: RedisLink, log: Pick<Logger, 'warn'>): Promise<void> {
  // The servers of a cluster have the same settings.
  const [server] = link.servers()
  const memory = (await server?.info('memory').catch(() => '')) ?? ''
  const [, bytes = '0'] = /^maxmemory:(\d+)/m.exec(memory) ?? []
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? []
  if (bytes === '0' || policy === 'noeviction') return
  log.warn(
    { event: 'redis-evicts', setting: SETTING, policy },
    `${SETTING}: Redis has maxmemory-policy ${policy}, so it forgets counts of failed sign-ins when it is full. ` +
      'Set noeviction.',
  )
}

/**
 * Deletes the failed sign-ins of an account, from all addresses, so that its owner can try immediately. The counts of
 * addresses stay, because they may belong to other viewers.
 * @param username as typed at the sign-in, in any spelling of the same account.
 * @returns true if there were counts.
 * @throws UpstreamError if Redis does not answer.
 */
export async function unlockInRedis(link: RedisLink, username: string): Promise<boolean> {
  const account = accountKey(username)
  const keyOf = (name: string, key: string) => `${link.keyPrefix}${name}:${key}`
  let removed = await removeKeys(link, [keyOf(FAILED_ACCOUNT, account)])
  for (const name of [FAILED_PAIR, DELAY]) {
    removed += await removeByPrefix(link, keyOf(name, pairPrefix(account)))
  }
  return removed > 0
}

/**
 * Deletes the failed sign-ins of an address (IPv6: of its /64), so that all viewers there can try immediately. The
 * counts of accounts stay.
 * @returns true if there was a count.
 * @throws UpstreamError if Redis does not answer.
 */
async function unlockAddressInRedis(link: RedisLink, address: string): Promise<boolean> {
  return (await removeKeys(link, [`${link.keyPrefix}${FAILED_ADDRESS}:${networkOf(address)}`])) > 0
}

/** Reads the failed sign-ins of a viewer. @throws UpstreamError if Redis does not answer. */
async function failuresInRedis(link: RedisLink, username: string): Promise<FailedSignIns> {
  const account = accountKey(username)
  const counterOf = (name: string, seconds: number) =>
    countInRedis(link, (key) => `${link.keyPrefix}${name}:${key}`, seconds)
  const [inPairs, delays] = [counterOf(FAILED_PAIR, DAY_SECONDS), counterOf(DELAY, LONGEST_DELAY_SECONDS)]
  const prefix = `${link.keyPrefix}${FAILED_PAIR}:${pairPrefix(account)}`
  const networks = new Set<string>()
  for await (const keys of keysByPrefix(link, prefix)) for (const key of keys) networks.add(key.slice(prefix.length))
  const addresses = await Promise.all(
    [...networks].toSorted().map(async (address) => {
      const pair = pairKey(account, address)
      const [inPair, delay] = await Promise.all([inPairs.get(pair), delays.get(pair)])
      const count = inPair?.consumedPoints ?? 0
      return { address, count, waitSeconds: secondsOf(count >= ACCOUNT_FAILURES ? inPair : delay) }
    }),
  )
  const inAccount = await counterOf(FAILED_ACCOUNT, DAY_SECONDS).get(account)
  const count = inAccount?.consumedPoints ?? 0
  return { count, lockedSeconds: count >= ACCOUNT_FAILURES ? secondsOf(inAccount) : 0, addresses }
}

function secondsOf(count: { readonly msBeforeNext: number } | null): number {
  return Math.max(0, Math.ceil((count?.msBeforeNext ?? 0) / 1000))
}
