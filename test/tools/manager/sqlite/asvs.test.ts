import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectNamedTest } from '../../../asvs/named-test.ts'
import { testsIn } from '../../../asvs/table.ts'

const TABLE = readFileSync(new URL('../../../../src/tools/manager/asvs.md', import.meta.url), 'utf8')
const ROWS = TABLE.split('\n').filter((line) => /^\| \d/.test(line))
const NAMED = ROWS.flatMap((row) => testsIn(row).map(({ file, title }) => [file, title] as const))

test('each requirement of the page for managers names a test', () => {
  expect(ROWS.length).toBeGreaterThan(30)
  expect(ROWS.filter((row) => testsIn(row).length === 0)).toEqual([])
})

test.each(NAMED)('the test in %s exists and is not skipped: %s', (file, title) => {
  expectNamedTest(`tools/manager/${file}`, title)
})
