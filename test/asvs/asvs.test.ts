import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isFork, presentGuards, provenRows, readGuards, testsOf, timesFound } from './guards.ts'
import { expectNamedTest } from './named-test.ts'
import { documentsIn, readTable, scoreOf, TABLE_FILE, testsIn } from './table.ts'

const ROWS = readTable()
const PROVEN = provenRows()

/** Returns the anchors of all headings in a file, such as `the-log`. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('the table has no requirement twice, and is in order', () => {
  for (const part of ['core', 'further']) {
    const ids = ROWS.filter((row) => row.part === part).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
  }
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length)
})

test('the kit has all 163 requirements and meets 55 core requirements or more; a fork meets as large a share', () => {
  if (!isFork) expect(ROWS).toHaveLength(163)
  const core = ROWS.filter(({ part }) => part === 'core')
  expect(scoreOf(ROWS, 'core').met / core.length).toBeGreaterThanOrEqual(55 / 62)
})

test.each(ROWS)('the requirement $id has tests or a document if it is met, and else a reason', ({ state, proof }) => {
  const proofs = testsIn(proof).length + documentsIn(proof).length
  if (state === 'met') expect(proofs).toBeGreaterThan(0)
  else expect(proof).toMatch(/^[A-Z][^|]{20,}\.$/)
})

test.each(ROWS.flatMap(({ id, proof }) => testsIn(proof).map(({ file, title }) => [id, file, title] as const)))(
  'the test of requirement %s in %s exists and is not skipped: %s',
  (_id, file, title) => {
    expectNamedTest(file, title)
  },
)

test.each(ROWS.flatMap(({ id, proof }) => documentsIn(proof).map((target) => [id, target] as const)))(
  'the document of requirement %s exists: %s',
  (_id, target) => {
    const [file = '', anchor] = target.split('#')
    const path = join(dirname(TABLE_FILE), file)
    expect(existsSync(path)).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(path)).toContain(anchor)
  },
)

test.each(presentGuards())(
  'the guard of $ids in $file is there once, and $testFile has their tests: $text',
  (guard) => {
    expect(timesFound(guard)).toBe(1)
    expect(guard.ids.filter((id) => testsOf(PROVEN, id, guard).length === 0)).toEqual([])
    expect(guard.replacement).not.toBe(guard.text)
  },
)

test('each requirement with tests has a guard, or a reason in guards.txt', () => {
  const { guards, reasons } = readGuards()
  const known = new Set([...guards.flatMap(({ ids }) => ids), ...reasons.keys()])
  const tested = ROWS.filter(({ proof }) => testsIn(proof).length > 0)
  expect(tested.flatMap(({ id }) => (known.has(id) ? [] : id))).toEqual([])
})
