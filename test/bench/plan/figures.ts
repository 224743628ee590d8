import type { BenchRow, FailedRow } from '../bench-row.ts'

/** The rows that a plan is made from, by the names that `npm run bench` prints. */
const ROWS = {
  signInMicros: 'Sign-in, Redis and PostgreSQL',
  returnMicros: 'GET / of a returning viewer, Redis and PostgreSQL',
  pageMicros: 'GET / without a session, Redis and PostgreSQL',
  redisMicros: 'CPU of Redis for a sign-in',
  redisCommands: 'Redis commands of a sign-in',
  redisConnections: 'Redis connections of a copy, idle',
  redisBytes: 'Memory of Redis for a sign-in',
  postgresTransactions: 'PostgreSQL transactions of a sign-in',
  reloadMicros: 'CPU of a reload of the waiting page',
  admissionMicros: 'CPU of an admission at the opening',
} as const

/** What one viewer costs on a machine. */
export type PlanFigures = Readonly<Record<keyof typeof ROWS, number>>

/** Returns the figures of rows that were measured on one machine. @throws Error that names the rows that are missing. */
export function figuresOf(rows: readonly (BenchRow | FailedRow)[]): PlanFigures {
  const measured = rows.filter((row): row is BenchRow => 'value' in row)
  const read = Object.entries(ROWS).map(([key, name]) => [key, measured.find((row) => row.name === name)?.value])
  const missing = Object.values(ROWS).filter((name) => !measured.some((row) => row.name === name))
  if (missing.length > 0) throw new Error(`These rows were not measured: ${missing.join('; ')}.`)
  return Object.fromEntries(read) as PlanFigures
}
