import { expect, test } from 'vitest'
import { userStores } from '../../../src/users/open-user-store.ts'

test.each([
  [{}, 'data/viewers.db'],
  [{ USER_STORE_URL: 'sqlite:data/other.db' }, 'data/other.db'],
  [{ USER_STORE_URL: 'sqlite:/var/lib/app/viewers.db' }, '/var/lib/app/viewers.db'],
  [{ USER_STORE_URL: 'sqlite:C:\\data\\viewers.db' }, 'C:\\data\\viewers.db'],
])('the environment %j chooses the SQLite file %s', (environment, file) => {
  expect(userStores.environment.parse(environment)).toEqual({ kind: 'sqlite', file })
})
