type SqlValue = null | boolean | number | string | Uint8Array | readonly string[]

/** A statement, with the values of its parameters `$1`, `$2` and so on. */
export type Statement = readonly [sql: string, ...values: SqlValue[]]

type Rows = readonly unknown[]

/**
 * Work on a database. Each `yield` runs a statement, and returns its rows. So one text has the rules for a file, which answers
 * at once, and for a server, which answers later.
 */
export type SqlWork<T> = Generator<Statement, T, Rows>

/** Work of one statement. */
export function* rowsOf(...statement: Statement): SqlWork<Rows> {
  return yield statement
}

/** Runs the work to its end. No other request of this process comes between its statements. */
export function runAtOnce<T>(work: SqlWork<T>, execute: (...statement: Statement) => Rows): T {
  let step = work.next()
  while (!step.done) step = work.next(execute(...step.value))
  return step.value
}

/** Runs the work statement by statement. Others may come between them, unless `execute` is in a transaction. */
export async function runInSteps<T>(work: SqlWork<T>, execute: (...statement: Statement) => Promise<Rows>): Promise<T> {
  let step = work.next()
  while (!step.done) step = work.next(await execute(...step.value))
  return step.value
}
