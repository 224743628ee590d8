import { expect, test } from 'vitest'
import { createSeenNames } from '../../../src/users/import/seen-names.ts'

test('a set of seen names knows each of 200,000 names after its first addition', () => {
  const seen = createSeenNames()
  const names = Array.from({ length: 200_000 }, (_, index) => `viewer-${index}`)
  expect(names.filter((name) => seen.add(name))).toEqual([])
  expect(names.filter((name) => !seen.add(name))).toEqual([])
  expect(seen.add('')).toBe(false)
  expect(seen.add('')).toBe(true)
})

test('a set of 300,000 seen names takes no more memory than its table', () => {
  const before = process.memoryUsage().arrayBuffers
  const seen = createSeenNames()
  for (let index = 0; index < 300_000; index += 1) seen.add(`viewer-${index}`)
  // A slot has eight bytes, and at most half of the slots are used.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(2 ** 20 * 8 + 1_000_000)
})
