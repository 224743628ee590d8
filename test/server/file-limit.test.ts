import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileLimitWarnings } from '../../src/server/http-server.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

test.each([
  ['256', [expect.stringMatching(/may open only 256 files/)]],
  ['1023', [expect.stringMatching(/may open only 1023 files/)]],
  ['1024', []],
  ['unlimited', []],
])('a limit of %s open files gives the warnings %s', (limit, warnings) => {
  const file = join(temporaryFolder(), 'limits')
  const line = (name: string, soft: string) => `${name.padEnd(26)}${soft.padEnd(21)}1048576              files\n`
  writeFileSync(file, line('Max processes', '10') + line('Max open files', limit))
  expect(fileLimitWarnings(file)).toEqual(warnings)
})

test('a system without limits in a file gives no warning', () => {
  expect(fileLimitWarnings(join(temporaryFolder(), 'limits'))).toEqual([])
})
