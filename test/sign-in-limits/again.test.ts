import { expect, test } from 'vitest'
import { createAgain } from '../../src/sign-in-limits/again.ts'

/** Counts the works of forms. */
function start() {
  const clock = { ms: 1 }
  const again = createAgain<{ number: number }>(() => clock.ms)
  let works = 0
  const work = () => Promise.resolve({ number: ++works })
  return { clock, again, work, works: () => works }
}

test('the same form is one work with one result, also while it runs, for ten seconds', async () => {
  const { clock, again, works } = start()
  const { promise, resolve } = Promise.withResolvers<{ number: number }>()
  let begun = 0
  const held = () => {
    begun += 1
    return promise
  }
  const both = [again(['a'], held), again(['a'], held)]
  resolve({ number: 7 })
  expect(await Promise.all(both)).toEqual([{ number: 7 }, { number: 7 }])
  clock.ms += 9_999
  expect([await again(['a'], held), begun, works()]).toEqual([{ number: 7 }, 1, 0])
  clock.ms += 2
  await again(['a'], held)
  expect(begun).toBe(2)
})

test('another form, and a form that was refused or failed, is done again', async () => {
  const { again, work } = start()
  expect(await again(['a'], () => Promise.resolve(null))).toBeNull()
  await expect(again(['a'], () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect([await again(['a'], work), await again(['b'], work)]).toEqual([{ number: 1 }, { number: 2 }])
})
