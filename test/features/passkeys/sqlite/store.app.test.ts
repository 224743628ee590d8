import { describe } from 'vitest'
import { sqliteStorage } from '../../../users/sqlite/storage.ts'
import { testPasskeys } from '../passkeys-contract.ts'

describe('passkeys in SQLite', { timeout: 30_000 }, () => {
  testPasskeys(sqliteStorage)
})
