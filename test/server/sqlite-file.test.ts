import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyWriteAheadLog, openSqlite } from '../../src/server/sqlite-file.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { filesWith } from './files-with.ts'

const ADA = 'ada.lovelace@example.com'
const PRAGMAS = 'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS people (name TEXT, more TEXT)'

function openPeople(folder: string) {
  return openSqlite(join(folder, 'people.db'), { creates: true, timeoutMs: 1_000, pragmas: PRAGMAS })
}

test.each([
  ['a deleted row', 'DELETE FROM people WHERE name = ?'],
  ['a row with another name', "UPDATE people SET name = 'x' WHERE name = ?"],
])('no byte of %s is left in the file after a clean stop', (_what, change) => {
  const folder = temporaryFolder()
  const database = openPeople(folder)
  const insert = database.prepare('INSERT INTO people VALUES (?, ?)')
  for (const name of ['bob', ADA, 'eve']) insert.run(name, 'x'.repeat(1_500))
  database.close()
  expect(filesWith(folder, ADA)).toEqual(['people.db'])
  const again = openPeople(folder)
  again.prepare(change).run(ADA)
  again.close()
  expect(filesWith(folder, ADA)).toEqual([])
})

test('the write-ahead log is emptied while another program has the file open', () => {
  const folder = temporaryFolder()
  using app = openPeople(folder)
  app.prepare('INSERT INTO people VALUES (?, ?)').run(ADA, '')
  using command = openPeople(folder)
  command.exec('DELETE FROM people')
  expect(filesWith(folder, ADA)).toEqual(['people.db-wal'])
  emptyWriteAheadLog(command)
  expect(filesWith(folder, ADA)).toEqual([])
  app.prepare('INSERT INTO people VALUES (?, ?)').run('bob', '')
  expect(command.prepare('SELECT name FROM people').all()).toEqual([{ name: 'bob' }])
})
