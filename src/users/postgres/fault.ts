import { DatabaseError } from 'pg'
import { UpstreamError } from '../../errors.ts'
import { isCertificateFault } from '../remote/certificate-fault.ts'
import type { PostgresSettings } from './settings.ts'

/**
 * Classifies the errors of PostgreSQL by what an operator must do.
 * SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

const WRONG_PASSWORD = new Set(['28P01', '28000'])
const NO_DATABASE = '3D000'
const NO_PERMISSION = '42501'
const MISSING_TABLE = new Set(['42P01', '3F000'])
/** The number of parameters differs from the number of values. */
const WRONG_PARAMETERS = '08P01'
const TOO_MANY_CONNECTIONS = '53300'
/** Caused by a user name: not in the database's encoding, not a number, or too large a number. */
const REFUSED_NAME = new Set(['22021', '22P05', '22P02', '22003'])

/** Names the server and the database, without secrets. */
export function placeOf({ host, port, database }: Pick<PostgresSettings, 'host' | 'port' | 'database'>): string {
  return `the PostgreSQL database ${JSON.stringify(database)} at ${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns the SQLSTATE; undefined for errors that the server did not send. */
function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** True if the server refused one statement and the connection stays usable. A canceled statement was too slow. */
export function isStatementError(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError) || error.severity !== 'ERROR') return false
  return error.code === WRONG_PARAMETERS || !/^(08|53|57|58)/.test(error.code ?? '')
}

/**
 * Turns a refused statement into an UpstreamError, for example after a REVOKE or a DROP TABLE.
 * @param ifForbidden the next step, as a sentence without its period, if the role lacks a permission.
 * @throws UpstreamError instead of DatabaseError; all other errors unchanged.
 */
export async function refusalAsUpstreamError<T>(result: Promise<T>, ifForbidden = ''): Promise<T> {
  try {
    return await result
  } catch (cause) {
    if (!isStatementError(cause)) throw cause
    const nextStep = isMissingPermission(cause) && ifForbidden !== '' ? `. ${ifForbidden}` : ''
    throw new UpstreamError('user-store', `PostgreSQL refused a statement: ${cause.message}${nextStep}`, { cause })
  }
}

/** True if the server refused the statement because of the user name. No viewer can have that name. */
export function isRefusedName(error: unknown): boolean {
  return REFUSED_NAME.has(sqlStateOf(error) ?? '')
}

export function isMissingTable(error: unknown): boolean {
  return MISSING_TABLE.has(sqlStateOf(error) ?? '')
}

export function isMissingPermission(error: unknown): error is DatabaseError {
  return sqlStateOf(error) === NO_PERMISSION
}

/** Returns what is wrong with the settings, as a sentence; null for a temporary failure, such as a stopped server. */
export function settingFault(error: unknown, settings: PostgresSettings): string | null {
  const place = placeOf(settings)
  const state = sqlStateOf(error) ?? ''
  if (WRONG_PASSWORD.has(state) || lacksPassword(error)) {
    return `USER_STORE_URL: ${place} rejects the user or the password (${(error as Error).message}).`
  }
  if (state === NO_DATABASE) return `USER_STORE_URL: ${place} does not exist.`
  const code = codeOf(error)
  if (isCertificateFault(code)) {
    return (
      `USER_STORE_URL: the certificate of ${place} is not trusted (${code}). Set POSTGRES_CA_FILE to the file of its ` +
      'CA, and use a host name from the certificate in USER_STORE_URL.'
    )
  }
  if (error instanceof Error && error.message.includes('does not support SSL')) {
    return `USER_STORE_URL: ${place} does not support TLS. Without TLS the app connects only to its own machine.`
  }
  return null
}

/** Describes the failure for the log, as a sentence without its period. */
export function describeFault(error: unknown, settings: PostgresSettings): string {
  const wrongSetting = settingFault(error, settings)
  if (wrongSetting !== null) return wrongSetting.replace(/\.$/, '')
  const reason = error instanceof Error ? error.message || codeOf(error) : String(error)
  const fault = sqlStateOf(error) === TOO_MANY_CONNECTIONS ? 'has no free connections' : 'failed'
  return `${upperFirst(placeOf(settings))} ${fault}: ${reason}`
}

function lacksPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a (non-empty )?string/.test(error.message)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
