import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { RecordsDeps, SharedRecords } from '../../stores/window/shared-records.ts'
import type { RedisAddress } from '../address.ts'
import type { RedisLink } from '../link.ts'

/**
 * Takes a text. KEYS: the text, after "@", its taker and a space once it is taken. ARGV: the taker, or an empty text.
 */
const TAKE = readFileSync(new URL('take.lua', import.meta.url), 'utf8')
const Taken = z.string().nullable()

/** Opens a store of short-lived records. */
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
    async get(name) {
      const text = await link.run(keyOf(name), (commands) => commands.get(keyOf(name)))
      return text?.startsWith('@') ? null : text
    },
    async take(name, taker = '') {
      const given = { keys: [keyOf(name)], arguments: [taker] }
      return Taken.parse(await link.run(keyOf(name), (commands) => commands.eval(TAKE, given)))
    },
    close: () => link.close(),
  }
}
