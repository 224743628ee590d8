import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { SETTINGS } from '../../settings.ts'

test('without settings of mail, the account pages send no mail', () => {
  const account = { addressAttribute: 'username', resetsPerHour: 400 }
  expect(readConfig(SETTINGS).features).toMatchObject({ account, mail: { server: null } })
})
