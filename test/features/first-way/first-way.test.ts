import { expect, test } from 'vitest'
import { firstWay } from '../../../src/features/first-way/feature.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'

const wayOf = (name: string) => ({ name, prompts: [], show: () => expect.unreachable() })
const open = (settings: string, features: object = {}) => {
  const entryPoint = { ...ENTRY_POINT, features: { ...features, 'first-way': settings } }
  return firstWay.open({} as Parameters<typeof firstWay.open>[0], [{ entryPoint, settings }], undefined)
}

test('FIRST_WAY puts its way before the others, which keep their order', async () => {
  const opened = await open('b', { b: {} })
  const ways = ['a', 'password', 'b', 'c'].map(wayOf)
  const ordered = opened?.at?.(ENTRY_POINT, 'b').order?.(ways)
  expect(ordered?.map(({ name }) => name)).toEqual(['b', 'a', 'password', 'c'])
})

test('FIRST_WAY names a way that is on', async () => {
  expect(await open('password')).not.toBeNull()
  expect(() => open('a')).toThrow('FIRST_WAY of entry point default is off there: a')
})
