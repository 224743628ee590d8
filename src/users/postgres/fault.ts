import { DatabaseError } from 'pg'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import type { PostgresSettings } from './settings.ts'

/**
 * Failures of PostgreSQL, told apart by what can be done about them.
 * SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

const WRONG_PASSWORD = new Set(['28P01', '28000'])
const NO_DATABASE = '3D000'
const NO_PERMISSION = '42501'
const MISSING_TABLE = new Set(['42P01', '3F000'])
/** A statement with more or fewer parameters than it was given values. */
const WRONG_PARAMETERS = '08P01'
const TOO_MANY_CONNECTIONS = '53300'
/** What a user name can bring about in a query: no text of this database, no number, a number too large. */
const NO_SUCH_NAME = new Set(['22021', '22P05', '22P02', '22003'])

/** Where the server is, without any secret. */
export function placeOf({ host, port, database }: Pick<PostgresSettings, 'host' | 'port' | 'database'>): string {
  return `the PostgreSQL database ${JSON.stringify(database)} at ${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The SQLSTATE of an answer of the server; undefined for a failure on the way to it. */
function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** An answer to this one statement, after which the connection goes on. A cancelled statement was a slow one. */
export function isAnswer(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError) || error.severity !== 'ERROR') return false
  return error.code === WRONG_PARAMETERS || !/^(08|53|57|58)/.test(error.code ?? '')
}

/**
 * Waits for an answer that must not be a refusal: a right taken away from the role, a table that somebody dropped.
 * @throws UpstreamError in its place.
 */
export async function unrefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    if (!isAnswer(cause)) throw cause
    throw new UpstreamError('user-store', `PostgreSQL refuses what is asked of it: ${cause.message}`, { cause })
  }
}

/** Whether the statement was refused because of the user name in it, which then is nobody's here. */
export function isRefusedName(error: unknown): boolean {
  return NO_SUCH_NAME.has(sqlStateOf(error) ?? '')
}

export function isMissingTable(error: unknown): boolean {
  return MISSING_TABLE.has(sqlStateOf(error) ?? '')
}

export function isMissingPermission(error: unknown): error is DatabaseError {
  return sqlStateOf(error) === NO_PERMISSION
}

/**
 * What is wrong with the settings, as a whole sentence; null for a failure that passes by itself, such as a server that
 * is away.
 */
export function settingFault(error: unknown, settings: PostgresSettings): string | null {
  const place = placeOf(settings)
  const state = sqlStateOf(error) ?? ''
  if (WRONG_PASSWORD.has(state) || asksForPassword(error)) {
    return `USER_STORE_URL: ${place} refuses the user or the password (${(error as Error).message}).`
  }
  if (state === NO_DATABASE) return `USER_STORE_URL: there is no such database: ${place}.`
  const code = codeOf(error)
  if (isCertificateFault(code)) {
    return (
      `USER_STORE_URL: the certificate of ${place} is not trusted (${code}): name the file of its CA in ` +
      'POSTGRES_CA_FILE, and the server in USER_STORE_URL as in its certificate.'
    )
  }
  if (error instanceof Error && error.message.includes('does not support SSL')) {
    return `USER_STORE_URL: ${place} takes no TLS connections, and without TLS no password is sent to another machine.`
  }
  return null
}

/** What went wrong, for the log: a sentence without a period. */
export function describeFault(error: unknown, settings: PostgresSettings): string {
  const wrong = settingFault(error, settings)
  if (wrong !== null) return wrong.replace(/\.$/, '')
  const reason = error instanceof Error ? error.message || codeOf(error) : String(error)
  const what = sqlStateOf(error) === TOO_MANY_CONNECTIONS ? 'has no connection left' : 'failed'
  return `${upperFirst(placeOf(settings))} ${what}: ${reason}`
}

function asksForPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a (non-empty )?string/.test(error.message)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
