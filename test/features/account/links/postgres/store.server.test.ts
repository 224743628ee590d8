import { describe } from 'vitest'
import { postgresStorage } from '../../../../users/postgres/storage.ts'
import { testPasswordLinks } from '../password-links-contract.ts'

describe('links to set a password in PostgreSQL', { timeout: 30_000 }, () => {
  testPasswordLinks(postgresStorage())
})
