import { decodedPart } from '../settings/fields.ts'

export interface RedisNode {
  readonly host: string
  readonly port: number
}

/** A Redis server or cluster, and how to connect to it. */
export interface RedisAddress {
  /** The server. In a cluster: at least one of its servers, which names the others. */
  readonly nodes: readonly RedisNode[]
  readonly isCluster: boolean
  readonly username: string | null
  readonly password: string | null
  /** 0 in a cluster, which has no other. */
  readonly database: number
  /** Null for a plain connection. `authority`: CA certificates in PEM; null for the CAs that Node trusts. */
  readonly tls: { readonly authority: string | null } | null
  /** The beginning of every key. */
  readonly keyPrefix: string
}

/** The parts of an address in a setting. */
export type RedisUrl = Omit<RedisAddress, 'tls' | 'keyPrefix'> & { readonly isTls: boolean }

const REDIS_PORT = 6379

/**
 * Parses `redis://USER:PASSWORD@HOST:PORT/DATABASE` or `redis-cluster://USER:PASSWORD@HOST:PORT,HOST:PORT`; only a host
 * is required. `rediss` in place of `redis` means TLS. Null for any other text.
 */
export function parseRedisUrl(text: string): RedisUrl | null {
  const [isCluster, scheme, credentials = '', hosts = ''] = /^(rediss?)-cluster:\/\/(.*@)?([^@/]+)\/?$/.exec(text) ?? []
  if (!isCluster) return parseServerUrl(text)
  const servers = hosts.split(',').map((host) => parseServerUrl(`${scheme}://${credentials}${host}`))
  const [first] = servers
  if (!first || servers.includes(null)) return null
  return { ...first, nodes: servers.flatMap((server) => server?.nodes ?? []), isCluster: true }
}

function parseServerUrl(text: string): RedisUrl | null {
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
    nodes: [{ host, port: url.port === '' ? REDIS_PORT : Number(url.port) }],
    isCluster: false,
    username: username || null,
    password: password || null,
    database: Number(database),
    isTls: url.protocol === 'rediss:',
  }
}
