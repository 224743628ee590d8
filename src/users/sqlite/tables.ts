import { z } from 'zod'
import { UpstreamError } from '../../errors.ts'
import { jsonIn } from '../../json-text.ts'
import { inTransaction, statementRunner } from '../../server/sqlite-transaction.ts'
import { runAtOnce } from '../own-tables/sql-work.ts'
import { statesIn, type ViewerTables, viewerReader } from '../own-tables/viewer-tables.ts'
import type { ViewersFile } from './database-file.ts'

const SCHEMA = 'main'

/** Returns the tables of an open file. A transaction locks the whole file. */
export function tablesIn({ file, database, query, ask }: ViewersFile): ViewerTables {
  const texts = json(z.array(z.string()))
  const damaged = (_table: string, { message }: Error) =>
    new UpstreamError('user-store', `A row of the viewer database ${file} is damaged: ${message}`)
  const execute = statementRunner(database)
  return {
    schema: SCHEMA,
    locking: '',
    texts,
    readViewer: viewerReader(texts, json(z.record(z.string(), z.string())), damaged),
    damaged,
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

/** Reads a column with JSON. */
function json<T extends z.ZodType>(schema: T) {
  return z.string().transform(jsonIn).pipe(schema)
}
