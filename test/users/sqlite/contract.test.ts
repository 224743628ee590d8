import { join } from 'node:path'
import { openUserStore } from '../../../src/users/open-user-store.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { userStoreContract } from '../user-store-contract.ts'

userStoreContract('sqlite', true, async (viewers) => {
  const file = join(temporaryFolder(), 'viewers.db')
  const editable = openEditableSqliteStore(file)
  for (const { password, disabled, ...viewer } of viewers) {
    await editable.add(viewer, password)
    await editable.setDisabled(viewer.username, disabled)
  }
  await editable.close()
  return await openUserStore({ kind: 'sqlite', file })
})
