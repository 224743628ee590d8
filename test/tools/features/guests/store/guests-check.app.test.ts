import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { openSqliteStore } from '../../../../../src/users/sqlite/store.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/run-here.ts'

interface Finding {
  readonly code: string
  readonly state: string
}

/** Runs `store check` with a file of guests, and returns the state of the guests store. */
async function checked(prepare: (file: string) => unknown) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'guests.db')
  await prepare(file)
  const viewers = join(cwd, 'viewers.db')
  await openSqliteStore(viewers).close()
  const env = { USER_STORE_URL: `sqlite:${viewers}`, GUESTS_STORE_URL: `sqlite:${file}` }
  const { stdout, status } = await runHere(['store', 'check', '--json'], { cwd, env })
  const { findings }: { findings: Finding[] } = JSON.parse(stdout)
  return { file, status, states: findings.filter(({ code }) => code === 'guests-store').map(({ state }) => state) }
}

test('store check writes a record into the guests store, and leaves none', async () => {
  const { file, status, states } = await checked((path) => openFileRecords(path, { nowSeconds: () => 0 }).close())
  expect([status, states]).toEqual([0, ['ok']])
  const raw = new DatabaseSync(file)
  expect(raw.prepare('SELECT count(*) AS number FROM records').get()).toEqual({ number: 0 })
  raw.close()
})

test('store check fails for a guests store that is another file', async () => {
  const { status, states } = await checked((file) => writeFileSync(file, 'not a database'.repeat(100)))
  expect([status, states]).toEqual([1, ['failure']])
})

test('store check does not create a missing guests store', async () => {
  const { status, states } = await checked(() => {})
  expect([status, states]).toEqual([0, ['unknown']])
})
