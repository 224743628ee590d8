import { describe } from 'vitest'
import { sqliteStorage } from '../../../../users/sqlite/storage.ts'
import { testPasswordLinks } from '../password-links-contract.ts'

describe('links to set a password in SQLite', { timeout: 30_000 }, () => {
  testPasswordLinks(sqliteStorage)
})
