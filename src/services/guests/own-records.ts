import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { rowsOf, type SqlWork } from '../../users/own-tables/sql-work.ts'
import {
  assertRecord,
  boundsOf,
  type GuestStore,
  MOST_PRUNED,
  orderedWrites,
  type RecordWrite,
} from './guest-records.ts'

/** A database with records. All such databases run the same statements, and differ only in these members. */
export interface RecordTable {
  readonly name: string
  /** The statement that returns the next version as `number`. */
  readonly nextVersion: string
  /** The end of a SELECT that leaves out rows that another writer holds. Empty if a writer locks all rows. */
  readonly skipLocked: string
  /** Runs work of one statement. */
  run<T>(work: SqlWork<T>): Promise<T>
  /** Runs work in one transaction. A ConfigError undoes it. */
  change<T>(work: SqlWork<T>): Promise<T>
}

const Row = z.object({
  key: z.string(),
  text: z.string(),
  version: z.coerce.number(),
  endsAtSeconds: z.number().nullable(),
})
const Numbered = z.tuple([z.object({ number: z.coerce.number() })])

const COLUMNS = 'key, text, version, ends_at AS "endsAtSeconds"'
const LIVES = '(ends_at IS NULL OR ends_at > $1)'
const IN_PAGE = `kind = $2 AND key >= $3 AND key < $4 AND ${LIVES}`

/** Undoes the transaction. */
class ConditionFailed extends ConfigError {}

/** Keeps records in a table of this app. */
export function ownRecords(
  table: RecordTable,
  nowSeconds: () => number,
): Pick<GuestStore, 'read' | 'list' | 'count' | 'write' | 'prune'> {
  const { name, skipLocked, run, change } = table
  return {
    async read(kind, key) {
      assertRecord(kind, key)
      const sql = `SELECT ${COLUMNS} FROM ${name} WHERE kind = $2 AND key = $3 AND ${LIVES}`
      return Row.array().parse(await run(rowsOf(sql, nowSeconds(), kind, key)))[0] ?? null
    },
    async list(kind, { prefix = '', after, limit }) {
      const bounds = boundsOf(kind, prefix, after)
      const sql = `SELECT ${COLUMNS} FROM ${name} WHERE ${IN_PAGE} AND key > $5 ORDER BY key LIMIT $6`
      const rows = await run(rowsOf(sql, nowSeconds(), kind, bounds.from, bounds.before, bounds.after, limit))
      return Row.array().parse(rows)
    },
    async count(kind, prefix = '') {
      const { from, before } = boundsOf(kind, prefix)
      const sql = `SELECT count(*) AS number FROM ${name} WHERE ${IN_PAGE}`
      return Numbered.parse(await run(rowsOf(sql, nowSeconds(), kind, from, before)))[0].number
    },
    async write(writes) {
      const ordered = orderedWrites(writes)
      try {
        return await change(writeAll(table, ordered, nowSeconds()))
      } catch (error) {
        if (error instanceof ConditionFailed) return null
        throw error
      }
    },
    async prune(kind = null) {
      const sql = `
        DELETE FROM ${name} WHERE (kind, key) IN
          (SELECT kind, key FROM ${name} WHERE ends_at <= $1 AND (CAST($2 AS text) IS NULL OR kind = $2)
           LIMIT ${MOST_PRUNED} ${skipLocked})
        RETURNING key`
      return (await run(rowsOf(sql, nowSeconds(), kind))).length
    },
  }
}

function* writeAll(table: RecordTable, writes: readonly RecordWrite[], now: number): SqlWork<number> {
  const [{ number }] = Numbered.parse(yield [table.nextVersion])
  for (const write of writes) if (!(yield* apply(table, write, number, now))) throw new ConditionFailed()
  return number
}

/** Applies one step. Returns false if its condition does not hold. */
function* apply({ name }: RecordTable, write: RecordWrite, version: number, now: number): SqlWork<boolean> {
  const { kind, key, text, endsAtSeconds = null, if: condition } = write
  if (text === null && condition === undefined) {
    yield [`DELETE FROM ${name} WHERE kind = $1 AND key = $2`, kind, key]
    return true
  }
  if (text === null) {
    const remove = `DELETE FROM ${name} WHERE kind = $2 AND key = $3 AND version = $4 AND ${LIVES} RETURNING key`
    return (yield [remove, now, kind, key, condition ?? null]).length === 1
  }
  const record = [now, kind, key, text, version, endsAtSeconds] as const
  if (typeof condition === 'number') {
    const replace = `
      UPDATE ${name} SET text = $4, version = $5, ends_at = $6
      WHERE kind = $2 AND key = $3 AND version = $7 AND ${LIVES} RETURNING key`
    return (yield [replace, ...record, condition]).length === 1
  }
  // $7: also if there is a record that has not ended.
  const put = `
    INSERT INTO ${name} AS own (kind, key, text, version, ends_at) VALUES ($2, $3, $4, $5, $6) ON CONFLICT (kind, key)
    DO UPDATE SET text = $4, version = $5, ends_at = $6 WHERE $7 OR own.ends_at <= $1 RETURNING key`
  return (yield [put, ...record, condition === undefined]).length === 1
}
