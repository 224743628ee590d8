import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { OverloadedError } from '../../src/errors.ts'
import { createQueue } from '../../src/server/work-queue.ts'

/** Makes tasks that end only at `finish` or `fail`, and records which have started. */
function heldTasks() {
  const started: string[] = []
  const ends = new Map<string, { resolve: (value: string) => void; reject: (reason: Error) => void }>()
  return {
    started,
    task: (name: string) => () => {
      started.push(name)
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      ends.set(name, { resolve, reject })
      return promise
    },
    finish: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

test('a queue runs as many tasks at once as its width, and the others in order', async () => {
  const queue = createQueue({ width: 2, queueLength: 3 })
  const held = heldTasks()
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => queue.run(held.task(name)))
  await setImmediate()
  expect(held.started).toEqual(['a', 'b'])
  held.finish('b')
  await all[1]
  await setImmediate()
  expect(held.started).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) held.finish(name)
  await setImmediate()
  expect(held.started).toEqual(['a', 'b', 'c', 'd', 'e'])
  for (const name of ['d', 'e']) held.finish(name)
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a full queue refuses a task at once and never starts it', async () => {
  const queue = createQueue({ width: 1, queueLength: 1, retryAfterSeconds: 7 })
  const held = heldTasks()
  const first = queue.run(held.task('first'))
  const second = queue.run(held.task('second'))
  const third = queue.run(held.task('third'))
  await expect(third).rejects.toThrow(OverloadedError)
  await expect(third).rejects.toMatchObject({ retryAfterSeconds: 7 })
  expect(held.started).toEqual(['first'])
  held.finish('first')
  await first
  await setImmediate()
  held.finish('second')
  expect(await second).toBe('second')
  expect(held.started).toEqual(['first', 'second'])
})

test('a check of the capacity takes no place in the queue, and a refusal has no stack trace', async () => {
  const queue = createQueue({ width: 1, queueLength: 1, retryAfterSeconds: 7 })
  const held = heldTasks()
  queue.assertCapacity()
  const first = queue.run(held.task('first'))
  queue.assertCapacity()
  const second = queue.run(held.task('second'))
  expect(() => queue.assertCapacity()).toThrow(OverloadedError)
  const refusal = await queue.run(held.task('third')).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ retryAfterSeconds: 7, stack: expect.not.stringContaining('\n') })
  expect(new Error('of another kind').stack).toContain('\n')
  held.finish('first')
  await first
  queue.assertCapacity()
  await setImmediate()
  held.finish('second')
  await second
})

test('a task that fails, at once or later, frees its place for the next one', async () => {
  const queue = createQueue({ width: 1, queueLength: 2 })
  const held = heldTasks()
  const failing = queue.run(held.task('failing'))
  const throwing = queue.run(() => {
    throw new Error('at once')
  })
  const last = queue.run(held.task('last'))
  await setImmediate()
  held.fail('failing')
  await expect(failing).rejects.toThrow('failing')
  await expect(throwing).rejects.toThrow('at once')
  await setImmediate()
  held.finish('last')
  expect(await last).toBe('last')
  const again = queue.run(held.task('again'))
  await setImmediate()
  expect(held.started).toEqual(['failing', 'last', 'again'])
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

test('a queued task that is aborted frees its place and is never started', async () => {
  const queue = createQueue({ width: 1, queueLength: 2 })
  const held = heldTasks()
  const aborted = new AbortController()
  const first = queue.run(held.task('first'), aborted.signal)
  const cancelled = queue.run(held.task('cancelled'), aborted.signal)
  const staying = queue.run(held.task('staying'), new AbortController().signal)
  aborted.abort(new Error('no longer'))
  await expect(cancelled).rejects.toThrow('no longer')
  await expect(queue.run(held.task('too late'), aborted.signal)).rejects.toThrow('no longer')
  const another = queue.run(held.task('another'))
  held.finish('first')
  expect(await first).toBe('first')
  await setImmediate()
  held.finish('staying')
  expect(await staying).toBe('staying')
  await setImmediate()
  held.finish('another')
  expect(await another).toBe('another')
  expect(held.started).toEqual(['first', 'staying', 'another'])
})

test('a queue that stays long for a second is shorter until it is empty', async () => {
  let nowMs = 0
  const queue = createQueue({ width: 1, queueLength: 4, overloadedQueueLength: 1, nowMs: () => nowMs })
  const held = heldTasks()
  const tasks: Promise<string>[] = []
  const add = (name: string) => tasks.push(queue.run(held.task(name)))
  for (const name of ['a', 'b', 'c', 'd']) add(name)
  await setImmediate()
  nowMs = 1000
  add('e')
  nowMs = 1001
  held.finish('a')
  await setImmediate()
  // Three tasks wait: room in the long queue only.
  expect(() => queue.assertCapacity()).toThrow(OverloadedError)
  for (const name of ['b', 'c', 'd']) {
    expect(() => queue.assertCapacity()).toThrow(OverloadedError)
    held.finish(name)
    await setImmediate()
  }
  for (const name of ['f', 'g', 'h', 'i']) add(name)
  expect(() => queue.assertCapacity()).toThrow(OverloadedError)
  for (const name of ['e', 'f', 'g', 'h', 'i']) {
    held.finish(name)
    await setImmediate()
  }
  expect(await Promise.all(tasks)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
})

test('two bursts with a pause do not make the queue shorter', async () => {
  let nowMs = 0
  const queue = createQueue({ width: 1, queueLength: 4, overloadedQueueLength: 1, nowMs: () => nowMs })
  const held = heldTasks()
  for (const burst of ['first', 'second']) {
    const names = ['1', '2', '3', '4', '5'].map((number) => `${burst} ${number}`)
    const tasks = names.map((name) => queue.run(held.task(name)))
    for (const name of names) {
      await setImmediate()
      held.finish(name)
    }
    expect(await Promise.all(tasks)).toEqual(names)
    nowMs += 10_000
  }
})

test('a task that has waited too long is refused in its turn, and the next one starts', async () => {
  let nowMs = 0
  const queue = createQueue({ width: 1, queueLength: 3, longestWaitMs: 5000, nowMs: () => nowMs })
  const held = heldTasks()
  const [slow, stale] = ['slow', 'stale'].map((name) => queue.run(held.task(name)))
  await setImmediate()
  nowMs = 4000
  const fresh = queue.run(held.task('fresh'))
  nowMs = 6000
  held.finish('slow')
  await expect(stale).rejects.toThrow(OverloadedError)
  await setImmediate()
  expect(held.started).toEqual(['slow', 'fresh'])
  held.finish('fresh')
  expect(await Promise.all([slow, fresh])).toEqual(['slow', 'fresh'])
  expect(queue.load()).toEqual({ running: 0, waiting: 0 })
})
