import type { DatabaseSync } from 'node:sqlite'
import type { SeenRows } from '../../../video-service/analytics/moving-list.ts'

/** Remembers the rows of a report in its database, with those of an interrupted report. */
export function openSeenRows(database: DatabaseSync): (list: number) => SeenRows {
  database.exec('CREATE TABLE IF NOT EXISTS seen_row (list INTEGER, id TEXT, PRIMARY KEY (list, id)) WITHOUT ROWID')
  const find = database.prepare('SELECT 1 FROM seen_row WHERE list = ? AND id = ?')
  const keep = database.prepare('INSERT OR IGNORE INTO seen_row VALUES (?, ?)')
  return (list) => ({
    has: (id) => find.get(list, id) !== undefined,
    add: (id) => keep.run(list, id),
  })
}
