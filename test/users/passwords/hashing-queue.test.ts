import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { OverloadedError } from '../../../src/errors.ts'
import { createQueue, hashingQueueOptions, threadPoolSize } from '../../../src/users/passwords/hashing-queue.ts'

/** Work that begins when the gate lets it and ends when told. */
function heldWork() {
  const begun: string[] = []
  const ends = new Map<string, { resolve: (value: string) => void; reject: (reason: Error) => void }>()
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      ends.set(name, { resolve, reject })
      return promise
    },
    finish: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

test('a queue runs as many tasks at once as its width, and the others wait in order', async () => {
  const queue = createQueue({ width: 2, queueLength: 3 })
  const held = heldWork()
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => queue.run(held.work(name)))
  await setImmediate()
  expect(held.begun).toEqual(['a', 'b'])
  held.finish('b')
  await all[1]
  await setImmediate()
  expect(held.begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) held.finish(name)
  await setImmediate()
  expect(held.begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  for (const name of ['d', 'e']) held.finish(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('past the queue the answer is a refusal at once, without beginning the work', async () => {
  const queue = createQueue({ width: 1, queueLength: 1, retryAfterSeconds: 7 })
  const held = heldWork()
  const first = queue.run(held.work('first'))
  const second = queue.run(held.work('second'))
  const third = queue.run(held.work('third'))
  await expect(third).rejects.toThrow(OverloadedError)
  await expect(third).rejects.toMatchObject({ retryAfterSeconds: 7 })
  expect(held.begun).toEqual(['first'])
  held.finish('first')
  await first
  await setImmediate()
  held.finish('second')
  expect(await second).toBe('second')
  expect(held.begun).toEqual(['first', 'second'])
})

test('asked whether there is room, it says so without taking any, and refuses without a stack', async () => {
  const queue = createQueue({ width: 1, queueLength: 1, retryAfterSeconds: 7 })
  const held = heldWork()
  queue.assertCapacity()
  const first = queue.run(held.work('first'))
  queue.assertCapacity()
  const second = queue.run(held.work('second'))
  expect(() => queue.assertCapacity()).toThrow(OverloadedError)
  const refusal = await queue.run(held.work('third')).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ retryAfterSeconds: 7, stack: expect.not.stringContaining('\n') })
  expect(new Error('of another kind').stack).toContain('\n')
  held.finish('first')
  await first
  queue.assertCapacity()
  await setImmediate()
  held.finish('second')
  await second
})

test('work that fails, later or at once, leaves its place to the next', async () => {
  const queue = createQueue({ width: 1, queueLength: 2 })
  const held = heldWork()
  const failing = queue.run(held.work('failing'))
  const throwing = queue.run(() => {
    throw new Error('at once')
  })
  const last = queue.run(held.work('last'))
  await setImmediate()
  held.fail('failing')
  await expect(failing).rejects.toThrow('failing')
  await expect(throwing).rejects.toThrow('at once')
  await setImmediate()
  held.finish('last')
  expect(await last).toBe('last')
  const again = queue.run(held.work('again'))
  await setImmediate()
  expect(held.begun).toEqual(['failing', 'last', 'again'])
  held.finish('again')
  await again
})

test('a queue of width three never runs more than three of a thousand tasks at once', async () => {
  const queue = createQueue({ width: 3, queueLength: 1000 })
  let running = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 1000 }, () =>
      queue.run(async () => {
        running += 1
        most = Math.max(most, running)
        await setImmediate()
        running -= 1
      }),
    ),
  )
  expect({ running, most }).toEqual({ running: 0, most: 3 })
})

test.each([
  { width: 0, queueLength: 1 },
  { width: 1.5, queueLength: 1 },
  { width: 1, queueLength: -1 },
])('a queue of width $width and length $queueLength is refused', (options) => {
  expect(() => createQueue(options)).toThrow(RangeError)
})

test('the hashing queue is as wide as the cores, and the thread pool wider than the queue', () => {
  expect(hashingQueueOptions(8)).toEqual({ width: 8, queueLength: 192 })
  for (const cores of [1, 2, 4, 8, 64]) expect(threadPoolSize(cores)).toBeGreaterThan(hashingQueueOptions(cores).width)
  expect(threadPoolSize(4096)).toBe(1024)
})

test('who gives up waiting leaves the queue to others, and is never begun', async () => {
  const queue = createQueue({ width: 1, queueLength: 2 })
  const held = heldWork()
  const giving = new AbortController()
  const first = queue.run(held.work('first'), giving.signal)
  const leaving = queue.run(held.work('leaving'), giving.signal)
  const staying = queue.run(held.work('staying'), new AbortController().signal)
  giving.abort(new Error('no longer'))
  await expect(leaving).rejects.toThrow('no longer')
  await expect(queue.run(held.work('too late'), giving.signal)).rejects.toThrow('no longer')
  const another = queue.run(held.work('another'))
  held.finish('first')
  expect(await first).toBe('first')
  await setImmediate()
  held.finish('staying')
  expect(await staying).toBe('staying')
  await setImmediate()
  held.finish('another')
  expect(await another).toBe('another')
  expect(held.begun).toEqual(['first', 'staying', 'another'])
})
