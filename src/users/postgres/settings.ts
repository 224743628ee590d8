import { z } from 'zod'
import {
  decodedPart,
  type Environment,
  isLoopbackHost,
  mistakesOf,
  type ReadSettings,
  type SettingMistake,
  wholeNumber,
} from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'

export interface PostgresSettings {
  readonly kind: 'postgres'
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Null if the server needs none, as on a Unix socket. */
  readonly password: string | null
  /** Null for a plain connection to this machine. Any other connection is encrypted, and the certificate checked. */
  readonly tls: { /** In PEM; null for the CAs that Node trusts. */ readonly ca: string | null } | null
  readonly poolSize: number
  /** For one use of the server, including the wait for a connection. */
  readonly timeoutMs: number
  /** Reads the customer's own table; null for the app's own table. */
  readonly query: {
    readonly select: string
    readonly replaceHash: string | null
    readonly acceptsWeakHashes: boolean
  } | null
}

/** The settings besides USER_STORE_URL. */
export const PostgresEnvironment = z.object({
  POSTGRES_PASSWORD: z.string().optional().meta({ isSecret: true }),
  POSTGRES_CA_FILE: CertificatesFile.optional().meta({
    protects: 'without it, a connection to localhost is not encrypted',
  }),
  POSTGRES_POOL_SIZE: wholeNumber(1, 100).default(10),
  POSTGRES_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
  POSTGRES_QUERY: z.string().optional().meta({ protects: 'without it, viewers of another table may watch' }),
  POSTGRES_REPLACE_HASH_QUERY: z.string().optional(),
  POSTGRES_WEAK_HASHES: z.enum(['accept', 'refuse'], 'must be accept or refuse').default('refuse'),
})

type Address = Pick<PostgresSettings, 'host' | 'port' | 'database' | 'user' | 'password'> & {
  readonly requiresTls: boolean
}

const DEFAULT_PORT = 5432
const FORM =
  'must be postgres://USER:PASSWORD@HOST/DATABASE; inside the parts, write "@", "/", "#" and "%" as %40, %2F, %23 and ' +
  '%25'
/** With these modes an attacker on the network can read the connection, or pretend to be the server. */
const UNCHECKED_MODES = ['disable', 'allow', 'prefer', 'no-verify']
/** Accepted for compatibility. The app always checks the certificate and its name. */
const CHECKED_MODES = ['require', 'verify-ca', 'verify-full']

/** The meaning of the parameters in the queries. */
const VALUES: Readonly<Record<string, string>> = { $1: 'the user name', $2: 'the old hash', $3: 'the new hash' }

/** True if this value of USER_STORE_URL is an address of a PostgreSQL server. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url)
}

/** Reads the settings of the store, or lists all mistakes by the names of the settings. No message repeats a value. */
export function readPostgresSettings(url: string, environment: Environment): ReadSettings<PostgresSettings> {
  const address = readAddress(url)
  const parsed = PostgresEnvironment.safeParse(environment)
  const mistakes: SettingMistake[] = []
  if ('fault' in address) mistakes.push({ setting: 'USER_STORE_URL', message: address.fault })
  if (!parsed.success) mistakes.push(...mistakesOf(parsed.error))
  if (!('fault' in address) && address.password !== null && environment.POSTGRES_PASSWORD !== undefined) {
    mistakes.push({
      setting: 'POSTGRES_PASSWORD',
      message: 'is set, and USER_STORE_URL has a password too: remove one',
    })
  }
  mistakes.push(...mistakesInQueries(environment))
  if ('fault' in address || !parsed.success || mistakes.length > 0) return { ok: false, mistakes }

  const { requiresTls, ...place } = address
  const { POSTGRES_CA_FILE: ca, POSTGRES_QUERY: select, POSTGRES_REPLACE_HASH_QUERY: replaceHash } = parsed.data
  const isLocal = isLoopbackHost(place.host) || place.host.startsWith('/')
  const settings: PostgresSettings = {
    kind: 'postgres',
    ...place,
    password: parsed.data.POSTGRES_PASSWORD ?? place.password,
    tls: isLocal && !requiresTls && ca === undefined ? null : { ca: ca ?? null },
    poolSize: parsed.data.POSTGRES_POOL_SIZE,
    timeoutMs: parsed.data.POSTGRES_TIMEOUT_SECONDS * 1000,
    query:
      select === undefined
        ? null
        : {
            select: withoutSemicolon(select),
            replaceHash: replaceHash ?? null,
            acceptsWeakHashes: parsed.data.POSTGRES_WEAK_HASHES === 'accept',
          },
  }
  return { ok: true, settings }
}

/** Names a missing parameter: the server's own message, "bind message supplies 1 parameters", does not. */
function mistakesInQueries({
  POSTGRES_QUERY: select,
  POSTGRES_REPLACE_HASH_QUERY: replaceHash,
}: Environment): SettingMistake[] {
  if (replaceHash !== undefined && select === undefined) {
    const message = 'needs POSTGRES_QUERY too: set both, or remove this one'
    return [{ setting: 'POSTGRES_REPLACE_HASH_QUERY', message }]
  }
  const missingIn = (setting: string, query: string | undefined, values: readonly string[]): SettingMistake[] => {
    const missing = values.find((value) => query !== undefined && !query.includes(value))
    if (missing === undefined) return []
    const hint = `a shell removes ${missing} between double quotes; in compose.yaml write $${missing}`
    return [{ setting, message: `has no ${missing}, which is ${VALUES[missing]}: ${hint}` }]
  }
  return [
    ...missingIn('POSTGRES_QUERY', select, ['$1']),
    ...missingIn('POSTGRES_REPLACE_HASH_QUERY', replaceHash, ['$1', '$2', '$3']),
  ]
}

function readAddress(text: string): Address | { readonly fault: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hash !== '') return { fault: FORM }
  const fault = faultInParameters(url.searchParams)
  if (fault !== null) return { fault }
  const parts = [url.hostname, url.username, url.password, url.pathname.slice(1)].map(decodedPart)
  const [host, user, password, database] = parts
  if (!host || !user || password === null || password === undefined || !database) return { fault: FORM }
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user,
    password: password === '' ? null : password,
    database,
    requiresTls: url.searchParams.has('sslmode'),
  }
}

function faultInParameters(parameters: URLSearchParams): string | null {
  const modes = parameters.getAll('sslmode')
  if (modes.some((mode) => UNCHECKED_MODES.includes(mode))) {
    return (
      'has an sslmode that does not check the certificate: remove sslmode, and set POSTGRES_CA_FILE to the file of the ' +
      "server's CA"
    )
  }
  const isKnown = modes.length <= 1 && modes.every((mode) => CHECKED_MODES.includes(mode))
  if (isKnown && [...parameters.keys()].every((name) => name === 'sslmode')) return null
  return 'must have no parameters except sslmode=verify-full: use the POSTGRES_… settings'
}

/** Removes a semicolon at the end, which a query copied from a tool often has. */
function withoutSemicolon(query: string): string {
  return query.replace(/[\s;]+$/, '')
}
