import { z } from 'zod'
import { inTransaction, statementRunner } from '../../server/sqlite-transaction.ts'
import { runAtOnce } from '../own-tables/sql-work.ts'
import { statesIn, type ViewerTables } from '../own-tables/viewer-tables.ts'
import type { ViewersFile } from './database-file.ts'
import { damagedRow, json, readViewerRow } from './viewer-row.ts'

const SCHEMA = 'main'

/** Returns the tables of an open file. A transaction locks the whole file. */
export function tablesIn({ file, database, query, ask }: ViewersFile): ViewerTables {
  const execute = statementRunner(database)
  return {
    schema: SCHEMA,
    locking: '',
    texts: json(z.array(z.string())),
    readViewer: (row) => readViewerRow(row, file),
    damaged: (_table, cause) => damagedRow(file, cause),
    async *list(read) {
      const rows = query(() => database.prepare(`${statesIn(SCHEMA)} ORDER BY viewers.key`).iterate())
      for (;;) {
        const next = await ask(() => rows.next())
        if (next.done) return
        yield read(next.value)
      }
    },
    run: (work) => ask(() => runAtOnce(work, execute)),
    change: (work) => ask(() => inTransaction(database, () => runAtOnce(work, execute))),
  }
}
