import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, rewriteSqlite } from '../../src/server/sqlite-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

/** Returns the same numbers in each run. */
function numbers(): (below: number) => number {
  let state = 7
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('a file that is rewritten has no copy of a deleted row, also of one that SQLite moved to another page', () => {
  const file = join(temporaryFolder(), 'x.db')
  const next = numbers()
  const nameOf = (number: number) => `<person-${number}>`
  {
    using database = openSqlite(file, { creates: true, timeoutMs: 1_000, pragmas: 'PRAGMA journal_mode = WAL' })
    database.exec('CREATE TABLE people (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID; BEGIN')
    const put = database.prepare('INSERT INTO people VALUES (?1, ?2) ON CONFLICT DO UPDATE SET text = ?2')
    const remove = database.prepare('DELETE FROM people WHERE key = ?')
    for (let count = 0; count < 20_000; count++) put.run(nameOf(next(3_000)), 'x'.repeat(next(700)))
    for (let number = 0; number < 3_000; number += 5) remove.run(nameOf(number))
    database.exec('COMMIT')
  }
  const left = () => {
    const bytes = readFileSync(file)
    return Array.from({ length: 600 }, (_, index) => nameOf(index * 5)).filter((name) => bytes.includes(name))
  }
  expect(left()).not.toEqual([])
  rewriteSqlite(file, 1_000)
  expect(left()).toEqual([])
})
