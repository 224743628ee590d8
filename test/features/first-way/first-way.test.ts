import { expect, test } from 'vitest'
import { firstWay } from '../../../src/features/first-way/feature.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { mistakesIn, SETTINGS } from '../../settings.ts'

const wayOf = (name: string) => ({ name, prompts: [], show: () => expect.unreachable() })

test('FIRST_WAY puts its way before the others, which keep their order', async () => {
  const opened = await firstWay.open({} as Parameters<typeof firstWay.open>[0], [], undefined)
  const ways = ['a', 'password', 'b', 'c'].map(wayOf)
  const ordered = opened?.at?.(ENTRY_POINT, 'b').order?.(ways)
  expect(ordered?.map(({ name }) => name)).toEqual(['b', 'a', 'password', 'c'])
})

test('FIRST_WAY names a way that is on', () => {
  expect(mistakesIn({ ...SETTINGS, FIRST_WAY: 'password' })).toEqual([])
  expect(mistakesIn({ ...SETTINGS, FIRST_WAY: 'a' })).toEqual(['FIRST_WAY of entry point default is off there: a'])
})
