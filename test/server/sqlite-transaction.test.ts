import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { inTransaction } from '../../src/server/sqlite-transaction.ts'

function openNumbers() {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  database.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)')
  const insert = database.prepare('INSERT INTO numbers VALUES (?)')
  const add = (n: number) => void insert.run(n)
  const all = () =>
    database
      .prepare('SELECT n FROM numbers')
      .all()
      .map(({ n }) => n)
  return { database, add, all }
}

test('a transaction keeps the work and returns its result', () => {
  const { database, add, all } = openNumbers()
  const result = inTransaction(database, () => {
    add(1)
    return 'done'
  })
  expect([result, all(), database.isTransaction]).toEqual(['done', [1], false])
})

test('an error rolls back a transaction and all transactions within it', () => {
  const { database, add, all } = openNumbers()
  const work = () => {
    add(1)
    inTransaction(database, () => add(2))
    throw new RangeError('broken')
  }
  expect(() => inTransaction(database, work)).toThrow(RangeError)
  expect([all(), database.isTransaction]).toEqual([[], false])
})

test('an error of SQLite that ends the transaction itself is thrown as it is', () => {
  const { database, add, all } = openNumbers()
  add(1)
  const conflict = () => inTransaction(database, () => database.exec('INSERT OR ROLLBACK INTO numbers VALUES (1)'))
  expect(conflict).toThrow(/UNIQUE constraint/)
  expect([all(), database.isTransaction]).toEqual([[1], false])
})
