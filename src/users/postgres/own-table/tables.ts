import { z } from 'zod'
import { rowsOf, runInSteps } from '../../own-tables/sql-work.ts'
import { statesIn, type ViewerTables } from '../../own-tables/viewer-tables.ts'
import { inTransaction, type PostgresConnection } from '../connection.ts'
import { refusalAsUpstreamError } from '../fault.ts'
import { ownRows } from './own-table.ts'

const SCHEMA = 'viewer_auth'
const LIST_ROWS = 1_000
const KeyRow = z.object({ key: z.string() })

/**
 * Returns the app's own tables.
 * @param assertUsable throws UpstreamError while the tables cannot be used.
 * @param ifForbidden the next step if the role lacks a permission.
 */
export function postgresTables(
  connection: PostgresConnection,
  assertUsable: () => Promise<void>,
  ifForbidden?: string,
): ViewerTables {
  const run: ViewerTables['run'] = (work) =>
    runInSteps(work, async (sql, ...values) => {
      await assertUsable()
      return await refusalAsUpstreamError(
        connection.use((client) => client.rows(sql, values)),
        ifForbidden,
      )
    })
  return {
    schema: SCHEMA,
    locking: 'FOR NO KEY UPDATE',
    ...ownRows,
    // Page by page, because the table may be larger than the memory.
    async *list(read) {
      const sql = `${statesIn(SCHEMA)} WHERE viewers.key > $1 ORDER BY viewers.key LIMIT ${LIST_ROWS}`
      let after = ''
      for (;;) {
        const rows = await run(rowsOf(sql, after))
        for (const row of rows) yield read(row)
        if (rows.length < LIST_ROWS) return
        after = KeyRow.parse(rows.at(-1)).key
      }
    },
    run,
    async change(work) {
      await assertUsable()
      const changed = inTransaction(connection, (client) =>
        runInSteps(work, (sql, ...values) => client.rows(sql, values)),
      )
      return await refusalAsUpstreamError(changed, ifForbidden)
    },
  }
}
