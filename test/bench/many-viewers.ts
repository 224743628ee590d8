import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { runCommandLine } from './command-line.ts'
import { type Installation, usernameOf as nameOfInstallation, VIEWERS } from './installation.ts'

export const MANY = 1_000_000

/** Returns a name. Names with close numbers are far apart in alphabetical order. */
export function usernameOf(index: number): string {
  return `${(index * 2_654_435_761).toString(36)}.viewer@example.com`
}

/** Writes a file for `viewers import`, of viewers with a password or hash, a group and an attribute. */
export async function writeViewerFile(
  path: string,
  count: number,
  password: string,
  { nameOf = usernameOf, column = 'password_hash' } = {},
): Promise<void> {
  const file = createWriteStream(path)
  file.write(`username,${column},groups,department\n`)
  for (let index = 0; index < count; index++) {
    const isRoom = file.write(`${nameOf(index)},"${password}",staff,north\n`)
    if (!isRoom) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

/** Imports the viewers of an installation into another user store, such as PostgreSQL. */
export async function importViewers({ folder, passwordHash }: Installation, USER_STORE_URL: string): Promise<void> {
  const file = join(folder, 'viewers.csv')
  await writeViewerFile(file, VIEWERS, passwordHash, { nameOf: nameOfInstallation })
  await runCommandLine(['viewers', 'migrate'], { USER_STORE_URL })
  await runCommandLine(['viewers', 'import', file], { USER_STORE_URL })
}

/** Makes a file of a million viewers by SQL, in a few seconds instead of an import. */
export function addManyViewers(file: string, passwordHash: string): void {
  void openEditableSqliteStore(file).close()
  const database = new DatabaseSync(file)
  try {
    const insert = database.prepare(
      `INSERT INTO viewers (key, username, password_hash, group_names, attributes)
       VALUES (?1, ?1, ?2, '["staff"]', '{"department":"north"}')`,
    )
    const names = Array.from({ length: MANY }, (_, index) => usernameOf(index)).sort()
    database.exec('BEGIN')
    for (const name of names) insert.run(name, passwordHash)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
