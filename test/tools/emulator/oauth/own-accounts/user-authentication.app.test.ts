import { describe, expect, test } from 'vitest'
import { authenticateUser } from '../../../../../src/tools/emulator/oauth/own-accounts/user-authentication.ts'
import { openRoomDatabase, STUDIO } from '../room-database.ts'

describe('A user of the service', () => {
  const database = openRoomDatabase()

  test('a user signs in with the name in any case and the exact password', async () => {
    expect(await authenticateUser(database, 'STUDIO', STUDIO.password)).toBe(STUDIO.id)
    expect(await authenticateUser(database, 'studio', `${STUDIO.password} `)).toBeNull()
  })
})
