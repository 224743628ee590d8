import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { usernameOf } from './many-viewers.ts'

const ROWS = 100_000
const BATCH = 250

/** Measures the upper limit of an import: generated rows, not read or checked, in transactions of the same size. */
export function bareSqliteRowsPerSecond(file: string, passwordHash: string): number {
  const database = new DatabaseSync(file)
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
       CREATE TABLE bare (key TEXT PRIMARY KEY, username TEXT NOT NULL, password_hash TEXT NOT NULL,
                          group_names TEXT NOT NULL, attributes TEXT NOT NULL) STRICT, WITHOUT ROWID`,
    )
    const insert = database.prepare('INSERT INTO bare VALUES (?, ?, ?, ?, ?)')
    const startedMs = performance.now()
    for (let from = 0; from < ROWS; from += BATCH) {
      database.exec('BEGIN')
      for (let index = from; index < from + BATCH; index++) {
        const name = usernameOf(index)
        insert.run(name, name, passwordHash, '["staff"]', '{"department":"north"}')
      }
      database.exec('COMMIT')
    }
    return ROWS / ((performance.now() - startedMs) / 1000)
  } finally {
    database.close()
  }
}

/** The same in PostgreSQL, with one statement per batch. */
export async function barePostgresRowsPerSecond(url: string, passwordHash: string): Promise<number> {
  const client = new Client({ connectionString: url, ssl: false })
  await client.connect()
  try {
    await client.query(
      `CREATE TABLE bare (key text COLLATE "C" PRIMARY KEY, username text NOT NULL, password_hash text NOT NULL,
                          group_names text[] NOT NULL, attributes jsonb NOT NULL)`,
    )
    const startedMs = performance.now()
    for (let from = 0; from < ROWS; from += BATCH) {
      const names = Array.from({ length: BATCH }, (_, index) => usernameOf(from + index))
      await client.query(
        `INSERT INTO bare SELECT name, name, $2, '{staff}', '{"department":"north"}' FROM unnest($1::text[]) AS name`,
        [names, passwordHash],
      )
    }
    return ROWS / ((performance.now() - startedMs) / 1000)
  } finally {
    await client.end()
  }
}
