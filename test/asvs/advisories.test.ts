import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectNamedTest } from './named-test.ts'
import { testsIn } from './table.ts'

const fileOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

const Row = z.strictObject({
  kind: z.string().regex(/^[a-z -]+$/),
  id: z.string().regex(/^(?:CVE-20(?:2[4-9]|[3-9]\d)-\d{4,}|GHSA(?:-[2-9cfghjmpqrvwx]{4}){3})$/),
  product: z.string().min(2),
  fact: z.string().regex(/^[A-Z@].*[^.]$/),
  here: z.string(),
})

const ROWS = fileOf('src/login/advisories.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| class |'))
  .map((line) => {
    const [kind, id, product, fact, here, ...more] = line.slice(2, -2).split(' | ')
    return Row.parse({ kind, id, product, fact, here: [here, ...more].join(' | ') })
  })

test('the table has no advisory twice, and is in the order of classes and ids', () => {
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length)
  const keys = ROWS.map(({ kind, id }) => `${kind} ${id}`)
  expect(keys).toEqual(keys.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
})

test('the kit has 60 advisories or more, most of them with tests; a fork keeps those of its parts', () => {
  const { slim } = JSON.parse(fileOf('package.json'))
  if (slim === undefined) expect(ROWS.length).toBeGreaterThanOrEqual(60)
  const tested = ROWS.filter(({ here }) => testsIn(here).length > 0)
  expect(tested.length / ROWS.length).toBeGreaterThan(0.5)
})

test.each(ROWS)('the advisory $id has only tests, or only a reason', ({ here }) => {
  const tests = testsIn(here).map(({ file, title }) => `\`${file}\` "${title}"`)
  if (tests.length > 0) expect(here).toBe(tests.join(', '))
  else expect(here).toMatch(/^Cannot apply: [^.]{15,}\.$/)
})

test.each(ROWS.flatMap(({ id, here }) => testsIn(here).map(({ file, title }) => [id, file, title] as const)))(
  'the test for the advisory %s in %s exists and is not skipped: %s',
  (_id, file, title) => {
    expectNamedTest(file, title)
  },
)
