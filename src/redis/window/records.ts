import type { RecordsDeps, SharedRecords } from '../../stores/window/shared-records.ts'
import type { RedisAddress } from '../address.ts'
import type { RedisLink } from '../link.ts'

/** Opens a store of short-lived records. Needs Redis 6.2, for GETDEL. */
export async function openRedisRecords(
  { redis }: { readonly redis: RedisAddress },
  options: RecordsDeps,
): Promise<SharedRecords> {
  const { openRedisLink } = await import('../link.ts')
  return redisRecords(await openRedisLink(redis, options))
}

export function redisRecords(link: RedisLink): SharedRecords {
  const keyOf = (key: string) => `${link.keyPrefix}${key}`
  return {
    async put(name, text, seconds) {
      const key = keyOf(name)
      const options = { expiration: { type: 'EX', value: seconds } } as const
      await link.run(key, (commands) => commands.set(key, text, options))
    },
    get: (name) => link.run(keyOf(name), (commands) => commands.get(keyOf(name))),
    take: (name) => link.run(keyOf(name), (commands) => commands.getDel(keyOf(name))),
    close: () => link.close(),
  }
}
