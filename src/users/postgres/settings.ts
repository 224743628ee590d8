import { z } from 'zod'
import {
  decodedPart,
  isLoopbackHost,
  mistakesOf,
  type ReadSettings,
  type SettingMistake,
  wholeNumber,
} from '../../settings/fields.ts'
import { CertificatesFile } from '../../settings/named-file.ts'

export interface PostgresSettings {
  readonly kind: 'postgres'
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Null where the server asks for none, as on a Unix socket. */
  readonly password: string | null
  /** Null for a connection that does not leave this machine; else the certificate is checked, always. */
  readonly tls: { /** In PEM; null for those that Node trusts. */ readonly ca: string | null } | null
  readonly poolSize: number
  /** For one question, waiting for a connection included. */
  readonly timeoutMs: number
  /** The customer's own table; null for the table of this app. */
  readonly query: { readonly select: string; readonly replaceHash: string | null } | null
}

/** The settings in the environment beside USER_STORE_URL. */
export const PostgresEnvironment = z.object({
  POSTGRES_PASSWORD: z.string().optional(),
  POSTGRES_CA_FILE: CertificatesFile.optional(),
  POSTGRES_POOL_SIZE: wholeNumber(1, 100).default(10),
  POSTGRES_TIMEOUT_SECONDS: wholeNumber(1, 60).default(5),
  POSTGRES_QUERY: z.string().optional(),
  POSTGRES_REPLACE_HASH_QUERY: z.string().optional(),
})

type Address = Pick<PostgresSettings, 'host' | 'port' | 'database' | 'user' | 'password'> & {
  readonly asksForTls: boolean
}

const DEFAULT_PORT = 5432
const FORM =
  'must be postgres://USER:PASSWORD@HOST/DATABASE; in the parts, signs such as "@", "/", "#" and "%" are written as ' +
  '%40, %2F, %23 and %25'
/** Each leaves it to chance or to the server whether somebody in between can read and answer. */
const UNCHECKED_MODES = ['disable', 'allow', 'prefer', 'no-verify']
/** What these ask for is done in any case, and more: the certificate and its name are checked. */
const CHECKED_MODES = ['require', 'verify-ca', 'verify-full']

/** What stands for what in the queries. */
const VALUES: Readonly<Record<string, string>> = { $1: 'the user name', $2: 'the old hash', $3: 'the new hash' }

/**
 * Whether an address is of a PostgreSQL server.
 * @param url the value of USER_STORE_URL.
 */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url)
}

/** Reads the settings of the store; every mistake is told by the name of its setting, and no value is repeated. */
export function readPostgresSettings(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadSettings<PostgresSettings> {
  const address = readAddress(url)
  const parsed = PostgresEnvironment.safeParse(environment)
  const mistakes: SettingMistake[] = []
  if ('fault' in address) mistakes.push({ setting: 'USER_STORE_URL', message: address.fault })
  if (!parsed.success) mistakes.push(...mistakesOf(parsed.error))
  if (!('fault' in address) && address.password !== null && environment.POSTGRES_PASSWORD !== undefined) {
    mistakes.push({ setting: 'POSTGRES_PASSWORD', message: 'is set beside a password in USER_STORE_URL: remove one' })
  }
  mistakes.push(...mistakesInQueries(environment))
  if ('fault' in address || !parsed.success || mistakes.length > 0) return { ok: false, mistakes }

  const { asksForTls, ...place } = address
  const { POSTGRES_CA_FILE: ca, POSTGRES_QUERY: select, POSTGRES_REPLACE_HASH_QUERY: replaceHash } = parsed.data
  const staysHere = isLoopbackHost(place.host) || place.host.startsWith('/')
  const settings: PostgresSettings = {
    kind: 'postgres',
    ...place,
    password: parsed.data.POSTGRES_PASSWORD ?? place.password,
    tls: staysHere && !asksForTls && ca === undefined ? null : { ca: ca ?? null },
    poolSize: parsed.data.POSTGRES_POOL_SIZE,
    timeoutMs: parsed.data.POSTGRES_TIMEOUT_SECONDS * 1000,
    query: select === undefined ? null : { select: oneStatement(select), replaceHash: replaceHash ?? null },
  }
  return { ok: true, settings }
}

/** In the database's own words, what is missing is "bind message supplies 1 parameters". */
function mistakesInQueries({
  POSTGRES_QUERY: select,
  POSTGRES_REPLACE_HASH_QUERY: replaceHash,
}: Readonly<Record<string, string | undefined>>): SettingMistake[] {
  if (replaceHash !== undefined && select === undefined) {
    const message = 'is set without POSTGRES_QUERY: the table of this app needs neither'
    return [{ setting: 'POSTGRES_REPLACE_HASH_QUERY', message }]
  }
  const missingIn = (setting: string, query: string | undefined, values: readonly string[]): SettingMistake[] => {
    const missing = values.find((value) => query !== undefined && !query.includes(value))
    if (missing === undefined) return []
    const written = `a shell takes it out between double quotes, and compose.yaml wants $${missing}`
    return [{ setting, message: `has no ${missing}, which is ${VALUES[missing]}: ${written}` }]
  }
  return [
    ...missingIn('POSTGRES_QUERY', select, ['$1']),
    ...missingIn('POSTGRES_REPLACE_HASH_QUERY', replaceHash, ['$1', '$2', '$3']),
  ]
}

function readAddress(text: string): Address | { readonly fault: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hash !== '') return { fault: FORM }
  const inMode = faultInParameters(url.searchParams)
  if (inMode !== null) return { fault: inMode }
  const parts = [url.hostname, url.username, url.password, url.pathname.slice(1)].map(decodedPart)
  const [host, user, password, database] = parts
  if (!host || !user || password === null || password === undefined || !database) return { fault: FORM }
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    user,
    password: password === '' ? null : password,
    database,
    asksForTls: url.searchParams.has('sslmode'),
  }
}

function faultInParameters(parameters: URLSearchParams): string | null {
  const modes = parameters.getAll('sslmode')
  if (modes.some((mode) => UNCHECKED_MODES.includes(mode))) {
    return (
      'asks with sslmode for a connection whose certificate is not checked, which is never made: remove sslmode, and ' +
      "name the server's CA in POSTGRES_CA_FILE"
    )
  }
  const isKnown = modes.length <= 1 && modes.every((mode) => CHECKED_MODES.includes(mode))
  if (isKnown && [...parameters.keys()].every((name) => name === 'sslmode')) return null
  return 'must have no parameter behind "?" but sslmode=verify-full: the others have settings of their own, POSTGRES_…'
}

/** A semicolon at the end belongs to the tool that the query was tried in. */
function oneStatement(query: string): string {
  return query.replace(/[\s;]+$/, '')
}
