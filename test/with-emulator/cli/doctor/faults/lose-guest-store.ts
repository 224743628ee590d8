import { DatabaseSync } from 'node:sqlite'
import type { Installation } from './installation.ts'

/** Deletes the tables of the guests store under the running app. */
export function loseGuestStore({ env }: Pick<Installation, 'env'>): void {
  const database = new DatabaseSync((env.GUESTS_STORE_URL ?? '').replace('sqlite:', ''))
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.exec(`DROP TABLE ${String(name)}`)
  database.close()
}
