import { onTestFinished } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { migratePostgres, openEditablePostgresStore } from '../../../src/users/postgres/editable-store.ts'
import { type PostgresSettings, readPostgresSettings } from '../../../src/users/postgres/settings.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/users/postgres/store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { password, quickPasswords } from '../sign-in-run.ts'
import type { PostgresServer } from './server.ts'

/** A short pause of the circuit breaker, so that tests do not wait. */
const PAUSE_MS = 200

/** Reads the settings. @throws Error when one is wrong. */
export function settingsOf(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): PostgresSettings {
  const read = readPostgresSettings(url, environment)
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes))
  return read.settings
}

/** Creates the app's own table in the database, and opens it for changes. */
export async function migratedStore(url: string): Promise<EditableUserStore> {
  const settings = settingsOf(url)
  await migratePostgres(settings)
  const store = await openEditablePostgresStore(settings)
  onTestFinished(() => store.close())
  return store
}

/**
 * Creates a database with the app's own table, the viewer ada, and a role with the grants of the README.
 * @returns the database, the role and the address of the database for this role.
 */
export async function databaseWithAda(
  server: PostgresServer,
): Promise<{ database: string; user: string; url: string }> {
  const database = await server.createDatabase()
  await migratePostgres(settingsOf(server.url({ database })))
  const role = await server.createRole()
  await server.query(
    `GRANT USAGE ON SCHEMA viewer_auth TO ${role.user};
     GRANT SELECT ON ALL TABLES IN SCHEMA viewer_auth TO ${role.user};
     GRANT UPDATE (password_hash) ON viewer_auth.viewers TO ${role.user};
     GRANT INSERT, UPDATE, DELETE ON viewer_auth.password_links, viewer_auth.passkeys TO ${role.user};
     GRANT INSERT ON viewer_auth.passkey_handles TO ${role.user};
     INSERT INTO viewer_auth.viewers (key, username, password_hash) VALUES ('ada', 'ada', 'quick:${password}')`,
    [],
    database,
  )
  return { database, user: role.user, url: server.url({ database, ...role }) }
}

/** Opens a store with hashes that take no time. The timeout is that of the settings unless it is given. */
export async function openQuickStore(
  url: string,
  environment: Readonly<Record<string, string>> = {},
  { timeoutMs, ...options }: PostgresStoreOptions & { readonly timeoutMs?: number } = {},
): Promise<UserStore> {
  const read = settingsOf(url, environment)
  const settings = { ...read, timeoutMs: timeoutMs ?? read.timeoutMs }
  const store = await openPostgresStore(settings, { passwords: quickPasswords, pauseMs: PAUSE_MS, ...options })
  onTestFinished(() => store.close())
  return store
}

/** A customer's table of users, and a query for it. */
export const CUSTOMERS_TABLE = `
  CREATE TABLE app_user (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login varchar(255) NOT NULL,
    pass char(128),
    state text NOT NULL DEFAULT 'active',
    roles text[] NOT NULL DEFAULT '{}',
    department text,
    employee_number text
  );
  CREATE UNIQUE INDEX ON app_user (lower(login))`

export const CUSTOMERS_QUERY = `
  SELECT login AS username, pass AS password_hash, state <> 'active' AS disabled, roles AS groups, department,
         employee_number
  FROM app_user -- of the shop
  WHERE lower(login) = lower($1);`
