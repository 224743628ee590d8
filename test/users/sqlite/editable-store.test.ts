import { join } from 'node:path'
import { userStores } from '../../../src/users/open-user-store.ts'
import { editableStoreContract } from '../editable-store-contract.ts'
import { temporaryFolder } from '../temporary-folder.ts'

editableStoreContract('sqlite', () => {
  const USER_STORE_URL = `sqlite:${join(temporaryFolder(), 'viewers.db')}`
  return Promise.resolve(() => userStores.openEditable(userStores.environment.parse({ USER_STORE_URL })))
})
