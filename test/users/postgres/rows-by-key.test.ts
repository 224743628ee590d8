import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rowsByKey } from '../../../src/users/postgres/own-table/rows-by-key.ts'

function openRows(select = (keys: readonly string[]) => Promise.resolve(keys.map((key) => ({ key })))) {
  const asked: (readonly string[])[] = []
  const rowOf = rowsByKey((keys) => {
    asked.push(keys)
    return select(keys)
  })
  return { rowOf, asked }
}

test('look-ups of one turn share a statement, and each gets its own row', async () => {
  const { rowOf, asked } = openRows()
  const rows = await Promise.all(['ada', 'grace', 'ada'].map(rowOf))
  expect(rows).toEqual([{ key: 'ada' }, { key: 'grace' }, { key: 'ada' }])
  expect(asked).toEqual([['ada', 'grace']])
})

test('a look-up of a later turn does not wait for a slow statement', async () => {
  const slow = Promise.withResolvers<{ key: string }[]>()
  const { rowOf } = openRows((keys) => (keys.includes('slow') ? slow.promise : Promise.resolve([{ key: 'quick' }])))
  const first = rowOf('slow')
  await nextTurn()
  expect(await rowOf('quick')).toEqual({ key: 'quick' })
  slow.resolve([])
  expect(await first).toBeUndefined()
})

test('a failed statement fails its look-ups, and not later ones', async () => {
  let isAway = true
  const { rowOf } = openRows((keys) =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(keys.map((key) => ({ key }))),
  )
  const outcomes = await Promise.allSettled(['ada', 'grace'].map(rowOf))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await rowOf('ada')).toEqual({ key: 'ada' })
})
