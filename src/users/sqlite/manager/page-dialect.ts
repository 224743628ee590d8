import type { DatabaseSync } from 'node:sqlite'
import type { PageDialect } from '../../manager/own-pages.ts'
import { VIEWER_COLUMNS } from '../../own-tables/viewer-tables.ts'

const FOLLOWING = ['viewer_addresses', 'passkey_handles', 'passkeys']

/** Returns how pages of an open file differ from those of other databases. */
export function pageDialect(database: DatabaseSync): PageDialect {
  return {
    placeOf: 'instr',
    eachOf: 'json_each',
    // A group is found by its JSON text: to parse each row would take ten times longer.
    inGroup: (parameter) => `instr(group_names, json_quote(${parameter})) > 0`,
    *move(key, newKey, username) {
      // The rows of other tables follow before the commit.
      database.exec('PRAGMA defer_foreign_keys = ON')
      for (const table of FOLLOWING) yield [`UPDATE ${table} SET key = $2 WHERE key = $1`, key, newKey]
      const sql = `UPDATE viewers SET key = $2, username = $3 WHERE key = $1 RETURNING ${VIEWER_COLUMNS}`
      return yield [sql, key, newKey, username]
    },
  }
}
