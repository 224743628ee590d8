import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectNamedTest } from '../../asvs/named-test.ts'
import { testsIn } from '../../asvs/table.ts'

/** The numbers of the criteria of WCAG 2.2, levels A and AA. 4.1.1 is gone. */
const CRITERIA = [
  ...['1.1.1', '1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5', '1.3.1', '1.3.2', '1.3.3', '1.3.4', '1.3.5'],
  ...['1.4.1', '1.4.2', '1.4.3', '1.4.4', '1.4.5', '1.4.10', '1.4.11', '1.4.12', '1.4.13'],
  ...['2.1.1', '2.1.2', '2.1.4', '2.2.1', '2.2.2', '2.3.1'],
  ...['2.4.1', '2.4.2', '2.4.3', '2.4.4', '2.4.5', '2.4.6', '2.4.7', '2.4.11'],
  ...['2.5.1', '2.5.2', '2.5.3', '2.5.4', '2.5.7', '2.5.8'],
  ...['3.1.1', '3.1.2', '3.2.1', '3.2.2', '3.2.3', '3.2.4', '3.2.6'],
  ...['3.3.1', '3.3.2', '3.3.3', '3.3.4', '3.3.7', '3.3.8', '4.1.2', '4.1.3'],
]

const ROWS = readFileSync(new URL('../../../src/login/screens/wcag.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [criterion = '', level = '', proof = ''] = line.slice(2, -2).split(' | ')
    return { criterion, level, proof }
  })

test('the table has each criterion of WCAG 2.2 AA once, in order', () => {
  expect(ROWS.map(({ criterion }) => criterion.split(' ', 1)[0])).toEqual(CRITERIA)
  expect(ROWS.filter(({ level }) => level === 'AA')).toHaveLength(24)
})

test.each(ROWS)('$criterion has only tests, or only a reason', ({ proof }) => {
  const tests = testsIn(proof).map(({ file, title }) => `\`${file}\` "${title}"`)
  if (tests.length > 0) expect(proof).toBe(tests.join(', '))
  else expect(proof).toMatch(/^Not applicable: [^.]{15,}$/)
})

test.each(
  ROWS.flatMap(({ criterion, proof }) => testsIn(proof).map(({ file, title }) => [criterion, file, title] as const)),
)('the test for %s in %s exists and is not skipped: %s', (_criterion, file, title) => {
  expectNamedTest(file, title)
})
