import type { DatabaseSync } from 'node:sqlite'
import PACKAGE from '../../package.json' with { type: 'json' }
import { ConfigError } from '../errors.ts'

/** A database keeps the release that last changed its tables. */
export const RELEASE = PACKAGE.version

/**
 * Returns the number of migrations that a SQLite file has had.
 * @param label names the file, at the start of a sentence.
 * @throws ConfigError if a later release has changed the file, with the name of that release.
 */
export function fileVersion(database: DatabaseSync, migrations: readonly string[], label: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= migrations.length) return version
  const release = database.prepare('SELECT name FROM app_release').get()?.name
  throw new ConfigError(
    `${label} was last changed by release ${release} of this app, and this is ${RELEASE}. Use that release or a later ` +
      'one, or restore an older backup.',
  )
}

/** Runs the missing migrations of a SQLite file. Call in a transaction. @throws as `fileVersion` does. */
export function migrateFile(database: DatabaseSync, migrations: readonly string[], label: string): void {
  const version = fileVersion(database, migrations, label)
  if (version === migrations.length) return
  for (const migration of migrations.slice(version)) database.exec(migration)
  database.exec(`PRAGMA user_version = ${migrations.length};
    DROP TABLE IF EXISTS app_release; CREATE TABLE app_release AS SELECT '${RELEASE}' AS name`)
}
