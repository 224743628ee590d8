import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { openSqliteStore } from '../../../src/users/sqlite/store.ts'
import { failCommits } from '../../server/failing-commits.ts'
import { filesWith } from '../../server/files-with.ts'
import { editableStoreContract } from '../editable-store-contract.ts'
import { importContract } from '../import-batch/import-contract.ts'
import { pagesContract } from '../manager/pages-contract.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { sqliteStorage } from './storage.ts'

for (const contract of [editableStoreContract, importContract, pagesContract]) contract('sqlite', sqliteStorage)

test('a change that the file does not take is an error, and changes nothing', async () => {
  const file = join(temporaryFolder(), 'viewers.db')
  const store = openEditableSqliteStore(file)
  await store.add({ username: 'ada', groups: [], attributes: {} }, 'correct horse battery')
  failCommits(file, 'viewers')
  await expect(store.setDisabled('ada', true)).rejects.toThrow(UpstreamError)
  await expect(store.setPassword('ada', 'another horse battery')).rejects.toThrow(UpstreamError)
  await expect(store.remove('ada')).rejects.toThrow(UpstreamError)
  expect(await store.authenticate('ada', 'correct horse battery')).toMatchObject({ ok: true })
  await store.close()
})

test('no byte of a removed viewer is left, while the app has the file open', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'viewers.db')
  const app = openSqliteStore(file)
  const store = openEditableSqliteStore(file)
  const attributes = { mail: 'lovelace@example.com' }
  await store.add({ username: 'ada.king', groups: [], attributes }, 'correct horse battery')
  expect((await store.remove('ada.king')).ok).toBe(true)
  for (const text of ['ada.king', 'lovelace']) expect(filesWith(folder, text)).toEqual([])
  await Promise.all([store.close(), app.close()])
})
