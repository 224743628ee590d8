import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { openSqlite } from '../../../../server/sqlite-file.ts'
import { answerReport } from './answer-report.ts'
import type { ReportQuestion } from './report-question.ts'

/**
 * Makes the body of an answer in chunks of UTF-8, each when the caller asks for it.
 * @throws Error when the database fails.
 */
export type StreamReport = (question: ReportQuestion) => AsyncGenerator<Uint8Array, void>

/**
 * Opens the reports on a database. Reports on a file are made in steps, with other work of the program between the
 * steps. Each report has its own connection and read transaction, so that it shows the segments of one moment. A
 * database in memory allows no second connection: its reports are made in one step.
 */
export function openReports(database: DatabaseSync): StreamReport {
  const file = database.location()
  return file === null ? (question) => streamAtOnce(database, question) : (question) => streamInSteps(file, question)
}

async function* streamAtOnce(database: DatabaseSync, question: ReportQuestion) {
  const chunks = [...answerReport(database, question)]
  yield* await Promise.resolve(chunks.map(toBytes))
}

async function* streamInSteps(file: string, question: ReportQuestion) {
  const pragmas = 'PRAGMA mmap_size = 1073741824; BEGIN'
  using database = openSqlite(file, { isReadOnly: true, timeoutMs: 5_000, pragmas })
  for (const chunk of answerReport(database, question)) {
    if (chunk !== '') yield toBytes(chunk)
    await setImmediate()
  }
}

function toBytes(chunk: string): Uint8Array {
  return new TextEncoder().encode(chunk)
}
