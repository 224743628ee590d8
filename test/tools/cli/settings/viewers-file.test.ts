import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { viewersFile } from '../../../../src/tools/cli/settings/editable-store.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

test('the file of the viewers is that of USER_STORE_URL, or the default', () => {
  expect(viewersFile({})).toBe('data/viewers.db')
  expect(viewersFile({ USER_STORE_URL: '' })).toBe('data/viewers.db')
  expect(viewersFile({ USER_STORE_URL: 'sqlite:/srv/viewers.db' })).toBe('/srv/viewers.db')
  expect(viewersFile({ USER_STORE_URL: 'ldaps://directory.example.com' })).toBeNull()
})

test('the address of the user store may be in a file', () => {
  const file = join(temporaryFolder(), 'user-store-url')
  writeFileSync(file, 'sqlite:/srv/viewers.db\n')
  expect(viewersFile({ USER_STORE_URL_FILE: file })).toBe('/srv/viewers.db')
  writeFileSync(file, 'postgres://login_app@db.example.com/viewers\n')
  expect(viewersFile({ USER_STORE_URL_FILE: file })).toBeNull()
})
