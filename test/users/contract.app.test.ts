import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userStores } from '../../src/users/open-user-store.ts'
import { argon2Passwords } from '../../src/users/passwords/argon2.ts'
import type { UserStore } from '../../src/users/user-store.ts'
import { userStoreList } from '../../src/users/user-store-list.ts'
import { jsonStore } from './json/kind.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { type ContractViewer, userStoreContract } from './user-store-contract.ts'

// Stores that need no server. The others run the contract in their own folders.
userStoreContract('sqlite', true, openSqlite)
userStoreContract('json, the example of src/users/README.md', true, openJson)

/** Created once: the contract never changes the viewers. */
let sqliteFile: Promise<Buffer> | undefined

async function openSqlite(viewers: readonly ContractViewer[]): Promise<UserStore> {
  sqliteFile ??= makeSqliteFile(viewers)
  const file = join(temporaryFolder(), 'viewers.db')
  writeFileSync(file, await sqliteFile)
  return await userStores.open(userStores.environment.parse({ USER_STORE_URL: `sqlite:${file}` }))
}

async function makeSqliteFile(viewers: readonly ContractViewer[]): Promise<Buffer> {
  const file = join(temporaryFolder(), 'viewers.db')
  const settings = userStores.environment.parse({ USER_STORE_URL: `sqlite:${file}` })
  const editable = await userStores.openEditable(settings)
  for (const { password, disabled, ...viewer } of viewers) {
    await editable.add(viewer, password)
    await editable.setDisabled(viewer.username, disabled)
  }
  await editable.close()
  return readFileSync(file)
}

/** Hashed once for all tests, to save time. */
let jsonRows: Promise<unknown> | undefined

async function openJson(viewers: readonly ContractViewer[]): Promise<UserStore> {
  const file = join(temporaryFolder(), 'viewers.json')
  jsonRows ??= Promise.all(
    viewers.map(async ({ password, disabled, ...viewer }) => ({
      viewer,
      passwordHash: await argon2Passwords.hash(password),
      disabled,
    })),
  )
  writeFileSync(file, JSON.stringify(await jsonRows))
  const stores = userStoreList([{ ...jsonStore, defaultUrl: `json:${file}` }])
  return await stores.open(stores.environment.parse({}))
}
