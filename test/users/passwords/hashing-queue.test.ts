import { expect, test } from 'vitest'
import { hashingQueueOptions, threadPoolSize } from '../../../src/users/passwords/hashing-queue.ts'

test('the hashing queue runs one task a core, and the thread pool is wider than the queue', () => {
  expect(hashingQueueOptions(8)).toMatchObject({ width: 8, queueLength: 192, overloadedQueueLength: 48 })
  // Proxies give up after 10 s.
  expect(hashingQueueOptions().longestWaitMs).toBeLessThan(10_000)
  for (const cores of [1, 2, 4, 8, 64]) expect(threadPoolSize(cores)).toBeGreaterThan(hashingQueueOptions(cores).width)
  expect(threadPoolSize(4096)).toBe(1024)
})
