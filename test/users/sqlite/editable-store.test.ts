import { join } from 'node:path'
import { openEditableUserStore } from '../../../src/users/editable-user-store.ts'
import { editableStoreContract } from '../editable-store-contract.ts'
import { temporaryFolder } from '../temporary-folder.ts'

editableStoreContract('sqlite', () => {
  const file = join(temporaryFolder(), 'viewers.db')
  return Promise.resolve(() => openEditableUserStore({ kind: 'sqlite', file }))
})
