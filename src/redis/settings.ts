import { z } from 'zod'
import { CertificatesFile, decodedPart, isLoopbackHost } from '../settings/fields.ts'
import type { LimitsStoreSettings, RedisAddress, SessionStoreSettings } from './address.ts'

export interface SharedStores {
  readonly sessionStore: SessionStoreSettings
  readonly limitsStore: LimitsStoreSettings
}

const REDIS_PORT = 6379
const REDIS_FORM =
  'redis://USER:PASSWORD@HOST:PORT/DATABASE (TLS: rediss://), only the host being needed; in a part, "@", "/", "#" and ' +
  '"%" are written %40, %2F, %23 and %25'
const SESSION_STORE_FORM = `must be sqlite:FILE, as in sqlite:data/sessions.db, or ${REDIS_FORM}`
const LIMITS_STORE_FORM = `must be memory: or ${REDIS_FORM}`
const KEY_PREFIX_FORM = 'must be 1 to 64 letters, digits and signs of "-", "_", ":" and ".", as in viewer-auth:'

type Place = Pick<RedisAddress, 'host' | 'port' | 'username' | 'password' | 'database'> & { readonly isTls: boolean }

const SessionStoreUrl = z.string().transform((text, context): { file: string } | Place => {
  const file = /^sqlite:(?!\/\/|:)(.+)$/.exec(text)?.[1]
  const store = file === undefined ? placeOf(text) : { file }
  return store ?? refuse(context, SESSION_STORE_FORM)
})

const LimitsStoreUrl = z.string().transform((text, context): 'memory' | Place => {
  return text === 'memory:' ? 'memory' : (placeOf(text) ?? refuse(context, LIMITS_STORE_FORM))
})

/** Where what several copies of the app share is kept. */
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
    const places = [sessions, limits].filter((store) => typeof store !== 'string' && 'host' in store)
    if (authority !== null && !places.some(({ isTls }) => isTls)) {
      const message = 'is set without rediss:// in SESSION_STORE_URL or LIMITS_STORE_URL, so nothing is checked with it'
      context.addIssue({ code: 'custom', path: ['REDIS_CA_FILE'], message })
    }
    const redisAt = ({ isTls, ...place }: Place): { kind: 'redis'; redis: RedisAddress } => ({
      kind: 'redis',
      redis: { ...place, tls: isTls ? { authority } : null, keyPrefix: given.REDIS_KEY_PREFIX },
    })
    return {
      sessionStore: 'file' in sessions ? { kind: 'sqlite', file: sessions.file } : redisAt(sessions),
      limitsStore: limits === 'memory' ? { kind: 'memory' } : redisAt(limits),
    }
  })

/** What is allowed, and may be meant. */
export function warningsOfStores({ sessionStore, limitsStore }: SharedStores): string[] {
  const stores = { SESSION_STORE_URL: sessionStore, LIMITS_STORE_URL: limitsStore }
  return Object.entries(stores).flatMap(([name, store]) => {
    if (store.kind !== 'redis' || store.redis.tls !== null || isOwnNetwork(store.redis.host)) return []
    return [`${name}: the connection to Redis is not encrypted; write rediss:// unless the network is all yours.`]
  })
}

/** This machine, or a name without a domain, as containers have among themselves. */
function isOwnNetwork(host: string): boolean {
  return isLoopbackHost(host) || !/[.:]/.test(host)
}

function placeOf(text: string): Place | null {
  const url = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null
  if (url === null || /[?#\s]/.test(text)) return null
  const [host, username, password] = [url.hostname.replace(/^\[(.*)\]$/, '$1'), url.username, url.password].map(
    decodedPart,
  )
  const [, database = ''] = /^\/?(\d{0,4})$/.exec(url.pathname) ?? [null, null]
  if (!host || !/^[A-Za-z0-9_.:-]+$/.test(host) || database === null) return null
  // A user of Redis without a password has none to show.
  if (username === null || password === null || (username && !password)) return null
  return {
    host,
    port: url.port === '' ? REDIS_PORT : Number(url.port),
    username: username || null,
    password: password || null,
    database: Number(database),
    isTls: url.protocol === 'rediss:',
  }
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}
