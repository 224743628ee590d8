import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ConfigError } from '../../../errors.ts'
import type { SqlClient } from '../connection.ts'
import { isMissingPermission, placeOf } from '../fault.ts'
import type { PostgresSettings } from '../settings.ts'

/** Let the app read the viewers, replace hashes, and store what viewers create. `%I` is the role. */
const GRANTS = [
  'GRANT USAGE ON SCHEMA viewer_auth TO %I',
  'GRANT SELECT ON ALL TABLES IN SCHEMA viewer_auth TO %I',
  'GRANT UPDATE (password_hash) ON viewer_auth.viewers TO %I',
  'GRANT INSERT, UPDATE, DELETE ON viewer_auth.password_links TO %I',
  'GRANT INSERT, UPDATE, DELETE ON viewer_auth.passkeys TO %I',
  'GRANT INSERT ON viewer_auth.passkey_handles TO %I',
]
/** True for a role with more rights than the app needs. A superuser is a member of every role. */
const POWERFUL = `
  SELECT rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls OR pg_has_role(oid, current_user, 'MEMBER')
         AS powerful
  FROM pg_roles WHERE rolname = $1`
const PowerfulRow = z.object({ powerful: z.boolean() })
const StatementRow = z.tuple([z.object({ statement: z.string() })])

/** The role that the login app signs in with, and its password; null for a role that needs none. */
export type AppRole = Pick<PostgresSettings, 'user' | 'password' | 'database'>

/**
 * Creates the role of the app, or sets its password, and grants it what the app needs.
 * @param owner the settings of the role that is signed in.
 * @throws ConfigError when the role has more rights than the app needs, or the owner may not create roles.
 */
export async function grantAppRole(client: SqlClient, owner: PostgresSettings, app: AppRole): Promise<void> {
  const role = JSON.stringify(app.user)
  if (app.database !== owner.database) {
    throw new ConfigError(
      `The address of the app names the database ${JSON.stringify(app.database)}. Use the database of the owner.`,
    )
  }
  if (app.password !== null && !/^[\x20-\x7e]+$/.test(app.password)) {
    throw new ConfigError(`The password of the role ${role} must consist of ASCII characters.`)
  }
  const [existing] = await client.rows(POWERFUL, [app.user])
  if (existing !== undefined && PowerfulRow.parse(existing).powerful) {
    throw new ConfigError(`The role ${role} has more rights than the app needs. Use another role for the app.`)
  }
  try {
    const change = `${existing === undefined ? 'CREATE' : 'ALTER'} ROLE %I LOGIN`
    if (app.password === null) await runQuoted(client, change, [app.user])
    else await runQuoted(client, `${change} PASSWORD %L`, [app.user, scramVerifier(app.password)])
  } catch (cause) {
    if (!isMissingPermission(cause)) throw cause
    const message =
      `The role ${JSON.stringify(owner.user)} may not create or change the role ${role} in ${placeOf(owner)} ` +
      `(${cause.message}). Use a role with CREATEROLE, or create ${role} and its grants by hand.`
    throw new ConfigError(message, { cause })
  }
  for (const grant of GRANTS) await runQuoted(client, grant, [app.user])
}

/** Runs a statement that cannot have parameters. The server quotes the values: `%I` a name, `%L` a text. */
async function runQuoted(client: SqlClient, template: string, values: readonly string[]): Promise<void> {
  const rows = await client.rows('SELECT format($1, VARIADIC $2::text[]) AS statement', [template, values])
  const [{ statement }] = StatementRow.parse(rows)
  await client.rows(statement)
}

/** Returns the text that PostgreSQL stores for a password (RFC 5803), so that its log never contains the password. */
function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`
}
