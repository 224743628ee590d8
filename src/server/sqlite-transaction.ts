import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/**
 * Runs the work in one write transaction, and rolls back when it throws. Takes the write lock at the start, so that two
 * processes cannot deadlock. If a transaction is running, the work becomes part of it.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work()
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // Some errors, such as a full disk, have already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/**
 * Runs a statement that changes rows, and returns its first row. `get()` of node:sqlite would ignore an error of the
 * commit, such as a full disk.
 */
export function changedRow(
  statement: StatementSync,
  ...values: readonly SQLInputValue[]
): Record<string, unknown> | undefined {
  return statement.all(...values)[0]
}

/**
 * Returns a function that runs statements with the parameters `$1`, `$2` and so on, and returns their rows. A boolean becomes
 * 0 or 1, and a list JSON.
 */
export function statementRunner(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>()
  return (sql: string, ...values: readonly (SQLInputValue | boolean | readonly string[])[]) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement.all(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, toSqlite(value)])))
  }
}

function toSqlite(value: SQLInputValue | boolean | readonly string[]): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? JSON.stringify(value) : value
}
