import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileLimitWarning } from '../../src/server/file-limit.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

test.each([
  ['256', /may open 256 files/],
  ['1023', /may open 1023 files/],
  ['1024', null],
  ['unlimited', null],
])('a limit of %s open files gives the warning %s', (limit, warning) => {
  const file = join(temporaryFolder(), 'limits')
  const line = (name: string, soft: string) => `${name.padEnd(26)}${soft.padEnd(21)}1048576              files\n`
  writeFileSync(file, line('Max processes', '10') + line('Max open files', limit))
  expect(fileLimitWarning(file)).toEqual(warning === null ? null : expect.stringMatching(warning))
})

test('a system without limits in a file gives no warning', () => {
  expect(fileLimitWarning(join(temporaryFolder(), 'limits'))).toBeNull()
})
