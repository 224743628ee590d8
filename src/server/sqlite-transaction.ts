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
