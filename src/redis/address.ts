import { decodedPart } from '../settings/fields.ts'

/** A Redis server and how to connect to it. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly username: string | null
  readonly password: string | null
  readonly database: number
  /** Null for a plain connection. `authority`: CA certificates in PEM; null for the CAs that Node trusts. */
  readonly tls: { readonly authority: string | null } | null
  /** The beginning of every key. */
  readonly keyPrefix: string
}

/** The parts of a `redis://` or `rediss://` address. */
export type RedisUrl = Omit<RedisAddress, 'tls' | 'keyPrefix'> & { readonly isTls: boolean }

const REDIS_PORT = 6379

/** Parses `redis://USER:PASSWORD@HOST:PORT/DATABASE`; only the host is required. Null for any other text. */
export function parseRedisUrl(text: string): RedisUrl | null {
  const url = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null
  if (url === null || /[?#\s]/.test(text)) return null
  const [host, username, password] = [url.hostname.replace(/^\[(.*)\]$/, '$1'), url.username, url.password].map(
    decodedPart,
  )
  const [, database = ''] = /^\/?(\d{0,4})$/.exec(url.pathname) ?? [null, null]
  if (!host || !/^[A-Za-z0-9_.:-]+$/.test(host) || database === null) return null
  // Redis does not authenticate a user without a password.
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
