import { expect, test } from 'vitest'
import { createSeenNames } from '../../../src/users/import/seen-names.ts'

test('each of 200,000 names is new once and known afterwards', () => {
  const seen = createSeenNames()
  const names = Array.from({ length: 200_000 }, (_, index) => `viewer-${index}`)
  expect(names.filter((name) => seen.add(name))).toEqual([])
  expect(names.filter((name) => !seen.add(name))).toEqual([])
  expect(seen.add('')).toBe(false)
  expect(seen.add('')).toBe(true)
})

test('names that were met take no more memory than the table that holds them', () => {
  const before = process.memoryUsage().arrayBuffers
  const seen = createSeenNames()
  for (let index = 0; index < 300_000; index += 1) seen.add(`viewer-${index}`)
  // At most half of the places are taken, of eight bytes each.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(2 ** 20 * 8 + 1_000_000)
})
