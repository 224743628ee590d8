import { describe } from 'vitest'
import { postgresStorage } from '../../../users/postgres/storage.ts'
import { testPasskeys } from '../passkeys-contract.ts'

describe('passkeys in PostgreSQL', { timeout: 30_000 }, () => {
  testPasskeys(postgresStorage())
})
