import { keysByPrefix, type RedisLink, withRedis } from '../redis/link.ts'
import type { LimitsStoreSettings } from '../redis/settings.ts'
import { ACCOUNT_FAILURES, FAILED_ACCOUNT } from './failure-totals.ts'
import { accountKey, pairKey, pairPrefix } from './keys.ts'
import { DELAY, FAILED_PAIR } from './pair-limit.ts'
import { countInRedis } from './redis-counters.ts'

/** The failed sign-ins of a viewer that still count. */
export interface FailedSignIns {
  /** From all addresses, since the last success. */
  readonly count: number
  /** Seconds until the account is free again at addresses where it has never signed in; 0 if it is not locked. */
  readonly lockedSeconds: number
  /** `waitSeconds` is the time until the next attempt from this address, or from its IPv6 network; 0 for none. */
  readonly addresses: readonly { readonly address: string; readonly count: number; readonly waitSeconds: number }[]
}

/**
 * Reads the failed sign-ins of a viewer. Changes nothing; the login app may be running.
 * @param username as typed at the sign-in, in any spelling of the same account.
 * @returns null if they are counted in the memory of the app, which no command can read.
 * @throws UpstreamError if Redis does not answer.
 */
export async function readFailedSignIns(
  settings: LimitsStoreSettings,
  username: string,
): Promise<FailedSignIns | null> {
  if (settings.kind === 'memory') return null
  return await withRedis(settings.redis, 'LIMITS_STORE_URL', (link) => failuresInRedis(link, username))
}

async function failuresInRedis(link: RedisLink, username: string): Promise<FailedSignIns> {
  const account = accountKey(username)
  const counterOf = (name: string) => countInRedis(link, (key) => `${link.keyPrefix}${name}:${key}`, 0)
  const [inPairs, delays] = [counterOf(FAILED_PAIR), counterOf(DELAY)]
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
  const inAccount = await counterOf(FAILED_ACCOUNT).get(account)
  const count = inAccount?.consumedPoints ?? 0
  return { count, lockedSeconds: count >= ACCOUNT_FAILURES ? secondsOf(inAccount) : 0, addresses }
}

function secondsOf(count: { readonly msBeforeNext: number } | null): number {
  return Math.max(0, Math.ceil((count?.msBeforeNext ?? 0) / 1000))
}
