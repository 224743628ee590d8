import { describe, expect, test } from 'vitest'
import {
  authenticateUser,
  faultInNewPassword,
} from '../../../../../src/tools/emulator/oauth/own-accounts/user-authentication.ts'
import { openRoomDatabase, STUDIO } from '../room-database.ts'

describe('A user of the service', () => {
  const database = openRoomDatabase()

  test('a user signs in with the name in any case and the exact password', async () => {
    expect(await authenticateUser(database, 'STUDIO', STUDIO.password)).toBe(STUDIO.id)
    expect(await authenticateUser(database, 'studio', `${STUDIO.password} `)).toBeNull()
  })
})

describe('A new password', () => {
  test.each([
    ['short12', 'tooShort'],
    ['x'.repeat(129), 'tooLong'],
    ['password1', 'common'],
    ['PassWord1', 'common'],
    ['zzzzzzzzzzzz', 'common'],
    ['ada.lovelace', 'likeUsername'],
    ['ada.lovelace1', 'likeUsername'],
    ['two\nlines of it', 'unusable'],
    ['half \ud800 of it', 'unusable'],
  ])('the new password %j is refused as %s', async (password, fault) => {
    expect(await faultInNewPassword(password, 'ada.lovelace')).toBe(fault)
  })

  test.each([
    'correct horse battery',
    'тихий зелёный чайник',
    ' spaces stay ',
    'x'.repeat(64).replace(/x/g, (_x, at) => String(at % 7)),
    '🐘🦒🦓🐅🦁🐊🦏🐆',
  ])('the new password %j is accepted', async (password) => {
    expect(await faultInNewPassword(password, 'ada')).toBeNull()
  })
})
