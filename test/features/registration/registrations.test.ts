import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { decisionsContract } from './decisions-contract.ts'
import { registrationsContract } from './registrations-contract.ts'

for (const contract of [registrationsContract, decisionsContract]) {
  contract('SQLite', (nowSeconds) => {
    const file = join(temporaryFolder(), 'guests.db')
    const open = () => {
      const store = openFileRecords(file, { nowSeconds })
      onTestFinished(store.close)
      return store
    }
    return Promise.resolve({ store: open(), openOther: () => Promise.resolve(open()) })
  })
}
