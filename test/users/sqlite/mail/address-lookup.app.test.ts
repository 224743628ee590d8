import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { BY_ADDRESS } from '../../../../src/users/sqlite/mail/address-lookup.ts'
import { openSqliteStore } from '../../../../src/users/sqlite/store.ts'
import { addressChangesContract, addressLookupContract, addressViewers } from '../../mail/address-lookup-contract.ts'
import { quickPasswords } from '../../sign-in-run.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { sqliteStorage } from '../storage.ts'

addressLookupContract('sqlite', async () => openSqliteStore(await fileWithViewers()))
addressChangesContract('sqlite', sqliteStorage)

async function fileWithViewers(): Promise<string> {
  const file = join(temporaryFolder(), 'viewers.db')
  const store = openEditableSqliteStore(file, { passwords: quickPasswords })
  for (const { password, disabled, ...viewer } of addressViewers) {
    await store.add(viewer, password)
    await store.setDisabled(viewer.username, disabled)
  }
  await store.close()
  return file
}

test('a file of the previous release has the addresses of its viewers after the update', async () => {
  const file = await fileWithViewers()
  const raw = new DatabaseSync(file)
  raw.exec(
    `DROP TRIGGER viewer_added; DROP TRIGGER viewer_changed; DROP TABLE viewer_addresses; PRAGMA user_version = 4`,
  )
  raw.close()
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  expect(await store.findByAddress?.('mail', 'ada@example.com')).toMatchObject({ username: 'ada' })
})

test('the look-up uses the index of addresses', async () => {
  const raw = new DatabaseSync(await fileWithViewers())
  const plan = raw.prepare(`EXPLAIN QUERY PLAN ${BY_ADDRESS}`).all({ $1: 'mail', $2: 'x' })
  raw.close()
  expect(plan.map(({ detail }) => String(detail).split(' ')[0])).not.toContain('SCAN')
})
