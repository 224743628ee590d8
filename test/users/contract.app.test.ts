import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { userStores } from '../../src/users/open-user-store.ts'
import { argon2Passwords } from '../../src/users/passwords/argon2.ts'
import type { UserStore } from '../../src/users/user-store.ts'
import { userStoreList } from '../../src/users/user-store-list.ts'
import { jsonStore } from './json/kind.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { type ContractViewer, oncePerList, userStoreContract } from './user-store-contract.ts'

// Stores that need no server. The others run the contract in their own folders.
userStoreContract('sqlite', { finds: true, hashes: true }, openSqlite)
userStoreContract('json, the example of src/users/README.md', { finds: true, hashes: true }, openJson)

const sqliteFileOf = oncePerList(makeSqliteFile)

async function openSqlite(viewers: readonly ContractViewer[]): Promise<UserStore> {
  const file = join(temporaryFolder(), 'viewers.db')
  writeFileSync(file, await sqliteFileOf(viewers))
  return await userStores.open(userStores.environment.parse({ USER_STORE_URL: `sqlite:${file}` }))
}

async function makeSqliteFile(viewers: readonly ContractViewer[]): Promise<Buffer> {
  const file = join(temporaryFolder(), 'viewers.db')
  const settings = userStores.environment.parse({ USER_STORE_URL: `sqlite:${file}` })
  const editable = await userStores.openEditable(settings)
  const raw = new DatabaseSync(file)
  for (const { password, passwordHash, disabled, ...viewer } of viewers) {
    await editable.add(viewer, password)
    await editable.setDisabled(viewer.username, disabled)
    if (passwordHash === undefined) continue
    raw.prepare('UPDATE viewers SET password_hash = ? WHERE username = ?').run(passwordHash, viewer.username)
  }
  raw.close()
  await editable.close()
  return readFileSync(file)
}

const jsonRowsOf = oncePerList((viewers) =>
  Promise.all(
    viewers.map(async ({ password, passwordHash, disabled, ...viewer }) => ({
      viewer,
      passwordHash: passwordHash ?? (await argon2Passwords.hash(password)),
      disabled,
    })),
  ),
)

async function openJson(viewers: readonly ContractViewer[]): Promise<UserStore> {
  const file = join(temporaryFolder(), 'viewers.json')
  writeFileSync(file, JSON.stringify(await jsonRowsOf(viewers)))
  const stores = userStoreList([{ ...jsonStore, defaultUrl: `json:${file}` }])
  return await stores.open(stores.environment.parse({}))
}
