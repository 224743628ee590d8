import { z } from 'zod'
import { isLoopbackHost } from '../settings/fields.ts'
import { CertificatesFile } from '../settings/named-file.ts'
import type { KeepsPlaces } from '../stores/places/place-store.ts'
import type { StoreKind } from '../stores/store-kind.ts'
import type { KeepsRecords } from '../stores/window/shared-records.ts'
import { parseRedisUrl, type RedisAddress } from './address.ts'
import { openRedisPlaces } from './places/redis-places.ts'
import { openRedisRecords } from './window/records.ts'

interface RedisSettings {
  readonly kind: 'redis'
  readonly redis: RedisAddress
}

const URL_FORM =
  'redis://USER:PASSWORD@HOST:PORT/DATABASE or redis-cluster://USER:PASSWORD@HOST:PORT,HOST:PORT (TLS: rediss); a host ' +
  'is enough; write "@", "/", "#" and "%" in a part as %40, %2F, %23 and %25'
const KEY_PREFIX_FORM = 'must be 1 to 64 letters, digits and the characters "-", "_", ":" and ".", as in viewer-auth:'
const UNUSED_CA =
  'is not used: neither SESSION_STORE_URL nor LIMITS_STORE_URL starts with rediss:// or rediss-cluster://'

const fields = {
  REDIS_CA_FILE: CertificatesFile.optional(),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_:.-]{1,64}$/, KEY_PREFIX_FORM)
    .default('viewer-auth:')
    .meta({ protects: 'without it, another app may share the sessions' }),
}
type RedisFields = z.output<z.ZodObject<typeof fields>>

type RedisKind = StoreKind<RedisSettings, RedisFields> & KeepsPlaces<RedisSettings> & KeepsRecords<RedisSettings>

/** Sessions, failed sign-ins and records in a Redis that all copies of the app share. Its client is loaded late. */
export const redisStore: RedisKind = {
  kind: 'redis',
  urlForm: URL_FORM,
  isUrl: (url) => parseRedisUrl(url) !== null,
  fields,
  at(text, { REDIS_CA_FILE: authority = null, REDIS_KEY_PREFIX: keyPrefix }) {
    const parsed = parseRedisUrl(text)
    if (parsed === null) throw new RangeError('not an address of Redis')
    const { isTls, ...url } = parsed
    return { kind: 'redis', redis: { ...url, tls: isTls ? { authority } : null, keyPrefix } }
  },
  mistakes({ REDIS_CA_FILE, SESSION_STORE_URL, LIMITS_STORE_URL }) {
    const isUsed = [SESSION_STORE_URL, LIMITS_STORE_URL].some((url) => parseRedisUrl(url)?.isTls)
    return REDIS_CA_FILE === undefined || isUsed ? [] : [{ setting: 'REDIS_CA_FILE', message: UNUSED_CA }]
  },
  warning({ redis: { tls, nodes, isCluster } }) {
    if (tls !== null || nodes.every(({ host }) => isOwnNetwork(host))) return null
    const scheme = isCluster ? 'rediss-cluster://' : 'rediss://'
    return `the connection to Redis is not encrypted; use ${scheme} unless the whole network is yours.`
  },
  async sessions({ redis }) {
    const { redisSessions } = await import('./session-store.ts')
    return redisSessions(redis)
  },
  async counts({ redis }) {
    const { redisCounts } = await import('./counts.ts')
    return redisCounts(redis)
  },
  places: openRedisPlaces,
  records: openRedisRecords,
}

/** True for this machine and for names without a domain, which containers use among themselves. */
function isOwnNetwork(host: string): boolean {
  return isLoopbackHost(host) || !/[.:]/.test(host)
}
