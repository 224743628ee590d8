import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { codesContract } from './codes-contract.ts'

codesContract('SQLite', (nowSeconds) => {
  const file = join(temporaryFolder(), 'guests.db')
  function open() {
    const store = openFileRecords(file, { nowSeconds })
    onTestFinished(store.close)
    return store
  }
  return Promise.resolve({ store: open(), openOther: () => Promise.resolve(open()) })
})
