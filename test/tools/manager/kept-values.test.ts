import { expect, test } from 'vitest'
import { createKeptValues } from '../../../src/tools/manager/kept-values.ts'

test('a value is read once in its time, for each argument, and again after an act', async () => {
  const clock = { ms: 0 }
  const kept = createKeptValues(() => clock.ms)
  const reads: string[] = []
  const read = kept.keep(1000, (name: string) => reads.push(name))
  read('a')
  read('a')
  read('b')
  clock.ms = 999
  read('a')
  expect(reads).toEqual(['a', 'b'])
  kept.forget()
  read('a')
  clock.ms = 2000
  read('a')
  expect(reads).toEqual(['a', 'b', 'a', 'a'])
  const failing = kept.keep(1000, () => Promise.reject(new Error(String(reads.push('x')))))
  await expect(failing(undefined)).rejects.toThrow('5')
  await expect(failing(undefined)).rejects.toThrow('6')
})
