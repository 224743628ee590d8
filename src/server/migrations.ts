import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import PACKAGE from '../../package.json' with { type: 'json' }
import { ConfigError } from '../errors.ts'
import { inTransaction } from './sqlite-transaction.ts'

export const RELEASE = PACKAGE.version

/** Reads the migrations of a folder, in the order of their numbers. A migration that was released is never edited. */
export function migrationsIn(folder: URL): readonly string[] {
  const files = readdirSync(folder).toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
  return files.map((file) => readFileSync(new URL(file, folder), 'utf8'))
}

/**
 * Returns the number of migrations that a SQLite file has had.
 * @throws ConfigError that begins with the label, and names the later release that changed the file.
 */
export function fileVersion(database: DatabaseSync, migrations: readonly string[], label: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= migrations.length) return version
  const release = database.prepare('SELECT name FROM app_release').get()?.name
  const fault = `was last changed by release ${release} of this app, and this is ${RELEASE}`
  throw new ConfigError(`${label} ${fault}. Use that release or a later one, or restore an older backup.`)
}

/** Runs the missing migrations. A file without any is only read, so that a lock does not stop the start. */
export function migrateFile(database: DatabaseSync, migrations: readonly string[], label: string): void {
  if (fileVersion(database, migrations, label) === migrations.length) return
  inTransaction(database, () => {
    for (const migration of migrations.slice(fileVersion(database, migrations, label))) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length};
      DROP TABLE IF EXISTS app_release; CREATE TABLE app_release AS SELECT '${RELEASE}' AS name`)
  })
}
