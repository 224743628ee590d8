import { z } from 'zod'
import { fail, isLoopbackHost } from '../settings/fields.ts'
import { CertificatesFile } from '../settings/named-file.ts'
import { parseRedisUrl, type RedisAddress, type RedisUrl } from './address.ts'

export type SessionStoreSettings =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'redis'; readonly redis: RedisAddress }

export type LimitsStoreSettings = { readonly kind: 'memory' } | { readonly kind: 'redis'; readonly redis: RedisAddress }

/** The stores that several copies of the app share. */
export interface SharedStores {
  readonly sessionStore: SessionStoreSettings
  readonly limitsStore: LimitsStoreSettings
}

const REDIS_FORM =
  'redis://USER:PASSWORD@HOST:PORT/DATABASE or redis-cluster://USER:PASSWORD@HOST:PORT,HOST:PORT (TLS: rediss); only a ' +
  'host is required; write "@", "/", "#" and "%" in a part as %40, %2F, %23 and %25'
const SESSION_STORE_FORM = `must be sqlite:FILE, ${REDIS_FORM}`
const LIMITS_STORE_FORM = `must be memory:, ${REDIS_FORM}`
const KEY_PREFIX_FORM = 'must be 1 to 64 letters, digits and the characters "-", "_", ":" and ".", as in viewer-auth:'

const SessionStoreUrl = z.string().transform((text, context): { file: string } | RedisUrl => {
  const file = /^sqlite:(?!\/\/|:)(.+)$/.exec(text)?.[1]
  const store = file === undefined ? parseRedisUrl(text) : { file }
  return store ?? fail(context, SESSION_STORE_FORM)
})

const LimitsStoreUrl = z.string().transform((text, context): 'memory' | RedisUrl => {
  return text === 'memory:' ? 'memory' : (parseRedisUrl(text) ?? fail(context, LIMITS_STORE_FORM))
})

/** The settings of the shared stores. */
export const SharedStoresEnvironment = z
  .object({
    SESSION_STORE_URL: SessionStoreUrl.default({ file: 'data/sessions.db' }),
    LIMITS_STORE_URL: LimitsStoreUrl.default('memory'),
    REDIS_CA_FILE: CertificatesFile.optional(),
    REDIS_KEY_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_:.-]{1,64}$/, KEY_PREFIX_FORM)
      .default('viewer-auth:'),
  })
  .transform((given, context): SharedStores => {
    const { SESSION_STORE_URL: sessions, LIMITS_STORE_URL: limits, REDIS_CA_FILE: authority = null } = given
    const urls = [sessions, limits].filter((store) => typeof store !== 'string' && 'nodes' in store)
    if (authority !== null && !urls.some(({ isTls }) => isTls)) {
      const message =
        'is not used: neither SESSION_STORE_URL nor LIMITS_STORE_URL starts with rediss:// or rediss-cluster://'
      context.addIssue({ code: 'custom', path: ['REDIS_CA_FILE'], message })
    }
    const redisAt = ({ isTls, ...url }: RedisUrl): { kind: 'redis'; redis: RedisAddress } => ({
      kind: 'redis',
      redis: { ...url, tls: isTls ? { authority } : null, keyPrefix: given.REDIS_KEY_PREFIX },
    })
    return {
      sessionStore: 'file' in sessions ? { kind: 'sqlite', file: sessions.file } : redisAt(sessions),
      limitsStore: limits === 'memory' ? { kind: 'memory' } : redisAt(limits),
    }
  })

/** Warnings for valid settings that are usually a mistake. */
export function warningsOfStores({ sessionStore, limitsStore }: SharedStores): string[] {
  const stores = { SESSION_STORE_URL: sessionStore, LIMITS_STORE_URL: limitsStore }
  return Object.entries(stores).flatMap(([name, store]) => {
    if (store.kind !== 'redis' || store.redis.tls !== null) return []
    if (store.redis.nodes.every(({ host }) => isOwnNetwork(host))) return []
    const scheme = store.redis.isCluster ? 'rediss-cluster://' : 'rediss://'
    return [`${name}: the connection to Redis is not encrypted; use ${scheme} unless the whole network is yours.`]
  })
}

/** True for this machine and for names without a domain, which containers use among themselves. */
function isOwnNetwork(host: string): boolean {
  return isLoopbackHost(host) || !/[.:]/.test(host)
}
