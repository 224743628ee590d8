import { UpstreamError } from '../../../errors.ts'
import type { RedisLink } from '../../../redis/link.ts'
import { type FlowRecords, type FlowStore, RECORD_SCHEMAS, RECORD_SECONDS, type RecordKind } from './flow-store.ts'

/** Opens a store in Redis, for several copies of the app. Needs Redis 6.2, for GETDEL. */
export function openRedisFlows(link: RedisLink): FlowStore {
  const keyOf = (kind: RecordKind, key: string) => `${link.keyPrefix}sso:${kind}:${key}`
  return {
    async put(kind, name, record) {
      const key = keyOf(kind, name)
      const options = { expiration: { type: 'EX', value: RECORD_SECONDS[kind] } } as const
      await link.run(key, (commands) => commands.set(key, JSON.stringify(record), options))
    },
    async take(kind, name) {
      const key = keyOf(kind, name)
      return parsed(kind, await link.run(key, (commands) => commands.getDel(key)))
    },
    async read(kind, name) {
      const key = keyOf(kind, name)
      return parsed(kind, await link.run(key, (commands) => commands.get(key)))
    },
    async has(kind, name) {
      const key = keyOf(kind, name)
      return (await link.run(key, (commands) => commands.get(key))) !== null
    },
    close: () => link.close(),
  }
}

function parsed<Kind extends RecordKind>(kind: Kind, text: string | null): FlowRecords[Kind] | null {
  if (text === null) return null
  try {
    return RECORD_SCHEMAS[kind].parse(JSON.parse(text))
  } catch (cause) {
    throw new UpstreamError('sso-store', 'Redis has a sign-in that this version cannot read', { cause })
  }
}
