import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import {
  createRemoteGuard,
  type RemoteGuard,
  type RemoteGuardOptions,
} from '../../../src/users/remote/circuit-breaker.ts'

const OPTIONS: RemoteGuardOptions = { timeoutMs: 1000, width: 2, queueLength: 3, failures: 3, pauseMs: 500 }
const away = () => Promise.reject(new UpstreamError('user-store', 'gone'))
const answer = () => Promise.resolve('here')
/** Never settles, whatever its signal says, and counts how often it was begun. */
const deaf = () => vi.fn((_signal: AbortSignal) => new Promise<string>(() => {}))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

async function failTimes(guard: RemoteGuard, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await expect(guard.run(away)).rejects.toThrow('gone')
}

/** What has become of a promise by now. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await setImmediate()
  const settled = promise.then(
    (value) => value,
    (error: unknown) => error,
  )
  return await Promise.race([settled, Promise.resolve('pending')])
}

describe('a request of a store', () => {
  test('is answered as the store answers', async () => {
    const guard = createRemoteGuard(OPTIONS)
    expect(await guard.run(answer)).toBe('here')
    await expect(guard.probe(answer)).resolves.toBeUndefined()
  })

  test('that is late is told to stop, is a failure of the store, and gives its place to the next', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
    const request = deaf()
    const late = guard.run(request)
    await vi.advanceTimersByTimeAsync(999)
    expect(await stateOf(late)).toBe('pending')
    expect(request.mock.calls[0]?.[0].aborted).toBe(false)
    late.catch(() => {})
    await vi.advanceTimersByTimeAsync(1)
    await expect(late).rejects.toThrow(new UpstreamError('user-store', 'The user store did not answer within 1 s'))
    expect(request.mock.calls[0]?.[0].aborted).toBe(true)
    expect(await guard.run(answer)).toBe('here')
  })

  test('that fails after its time is over disturbs nobody', async () => {
    const guard = createRemoteGuard(OPTIONS)
    const { promise, reject } = Promise.withResolvers<string>()
    const late = guard.run(() => promise)
    late.catch(() => {})
    await vi.advanceTimersByTimeAsync(1000)
    await expect(late).rejects.toThrow(UpstreamError)
    reject(new UpstreamError('user-store', 'the socket was closed'))
    await setImmediate()
    expect(await guard.run(answer)).toBe('here')
  })

  test('waits for a place, and past the queue is refused at once without being begun', async () => {
    const guard = createRemoteGuard(OPTIONS)
    const { promise, resolve } = Promise.withResolvers<string>()
    const request = vi.fn(() => promise)
    const five = Array.from({ length: 5 }, () => guard.run(request))
    await expect(guard.run(request)).rejects.toThrow(OverloadedError)
    expect(request).toHaveBeenCalledTimes(2)
    resolve('done')
    expect(await Promise.all(five)).toEqual(Array(5).fill('done'))
  })

  test('waits for a place for half its time only: the other half is for the answer', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 1, failures: 9 })
    const first = guard.run(deaf())
    first.catch(() => {})
    await vi.advanceTimersByTimeAsync(400)
    const second = guard.run(answer)
    second.catch(() => {})
    await vi.advanceTimersByTimeAsync(499)
    expect(await stateOf(second)).toBe('pending')
    await vi.advanceTimersByTimeAsync(1)
    await expect(second).rejects.toThrow(OverloadedError)
    await expect(second).rejects.toMatchObject({ retryAfterSeconds: 2 })
    await vi.advanceTimersByTimeAsync(100)
    await expect(first).rejects.toThrow(UpstreamError)
    expect(await guard.run(answer)).toBe('here')
  })

  test('has only the rest of its time when it has waited', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = guard.run(() => promise)
    const second = guard.run(deaf())
    second.catch(() => {})
    await vi.advanceTimersByTimeAsync(400)
    resolve('done')
    expect(await first).toBe('done')
    await vi.advanceTimersByTimeAsync(599)
    expect(await stateOf(second)).toBe('pending')
    await vi.advanceTimersByTimeAsync(1)
    await expect(second).rejects.toThrow('did not answer')
  })

  test('of readiness needs no place', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, queueLength: 0 })
    const busy = [guard.run(deaf()), guard.run(deaf())]
    for (const one of busy) one.catch(() => {})
    await expect(guard.run(answer)).rejects.toThrow(OverloadedError)
    await guard.probe(answer)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(Promise.all(busy)).rejects.toThrow(UpstreamError)
  })
})

describe('readiness', () => {
  test('is asked by anybody, as often as they like: the store is asked once at a time', async () => {
    const guard = createRemoteGuard(OPTIONS)
    const { promise, resolve } = Promise.withResolvers<string>()
    const request = vi.fn(() => promise)
    const all = Array.from({ length: 500 }, () => guard.probe(request))
    expect(request).toHaveBeenCalledTimes(1)
    resolve('here')
    await Promise.all(all)
    await guard.probe(request)
    expect(request).toHaveBeenCalledTimes(2)
  })

  test('that is asked for by many at once is one failure', async () => {
    const guard = createRemoteGuard(OPTIONS)
    const all = Array.from({ length: 500 }, () => guard.probe(away))
    for (const one of all) await expect(one).rejects.toThrow('gone')
    expect(await guard.run(answer)).toBe('here')
  })
})

describe('a store that failed several times in a row', () => {
  test('is left alone: the next are refused at once', async () => {
    const guard = createRemoteGuard(OPTIONS)
    await failTimes(guard, 2)
    expect(await guard.run(answer)).toBe('here')
    await failTimes(guard, 3)
    const request = vi.fn(answer)
    await expect(guard.run(request)).rejects.toThrow(UpstreamError)
    await expect(guard.run(request)).rejects.toThrow('left alone')
    await expect(guard.probe(request)).rejects.toThrow('left alone')
    expect(request).not.toHaveBeenCalled()
  })

  test('refuses those who wait for a place as well, at once', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
    const request = deaf()
    const hung = guard.run(request)
    const queued = [guard.run(request), guard.run(request)]
    for (const one of [hung, ...queued]) one.catch(() => {})
    for (let time = 0; time < 3; time += 1) await expect(guard.probe(away)).rejects.toThrow('gone')
    for (const one of queued) await expect(one).rejects.toThrow('left alone')
    expect(request).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(hung).rejects.toThrow('did not answer')
  })

  test('is tried by one request after the pause, while the others are refused at once', async () => {
    const guard = createRemoteGuard(OPTIONS)
    await failTimes(guard, 3)
    await vi.advanceTimersByTimeAsync(499)
    await expect(guard.run(answer)).rejects.toThrow('left alone')
    await vi.advanceTimersByTimeAsync(1)
    const { promise, resolve } = Promise.withResolvers<string>()
    const trial = guard.run(() => promise)
    for (let other = 0; other < 5; other += 1) await expect(guard.run(answer)).rejects.toThrow('left alone')
    await expect(guard.probe(answer)).rejects.toThrow('left alone')
    resolve('back')
    expect(await trial).toBe('back')
    expect(await guard.run(answer)).toBe('here')
    await failTimes(guard, 2)
    expect(await guard.run(answer)).toBe('here')
  })

  test('is left alone again when the trial fails, or hangs', async () => {
    const guard = createRemoteGuard(OPTIONS)
    await failTimes(guard, 3)
    await vi.advanceTimersByTimeAsync(500)
    await failTimes(guard, 1)
    await expect(guard.run(answer)).rejects.toThrow('left alone')
    await vi.advanceTimersByTimeAsync(500)
    const hung = guard.run(deaf())
    hung.catch(() => {})
    await vi.advanceTimersByTimeAsync(1000)
    await expect(hung).rejects.toThrow('did not answer')
    await expect(guard.run(answer)).rejects.toThrow('left alone')
    await vi.advanceTimersByTimeAsync(500)
    expect(await guard.run(answer)).toBe('here')
  })

  test('may be found back by readiness, when no viewer comes any more', async () => {
    const guard = createRemoteGuard(OPTIONS)
    await failTimes(guard, 3)
    await vi.advanceTimersByTimeAsync(500)
    await guard.probe(answer)
    expect(await guard.run(answer)).toBe('here')
  })

  test('is spoken of once, with the failure, and once more when it is back', async () => {
    const warn = vi.fn()
    const guard = createRemoteGuard({ ...OPTIONS, warn })
    await failTimes(guard, 2)
    expect(warn).not.toHaveBeenCalled()
    await failTimes(guard, 1)
    for (let trial = 0; trial < 3; trial += 1) {
      await vi.advanceTimersByTimeAsync(500)
      await failTimes(guard, 1)
    }
    const sentence = 'The user store failed 3 times in a row: it is left alone, and tried again every 0.5 s.'
    expect(warn.mock.calls).toEqual([[sentence, new UpstreamError('user-store', 'gone')]])
    await vi.advanceTimersByTimeAsync(500)
    await guard.run(answer)
    expect(warn.mock.calls.slice(1)).toEqual([['The user store answers again.']])
  })
})

describe('a store that answers others meanwhile', () => {
  test('is not left alone for questions that it cannot bear', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
    for (let round = 0; round < 3; round += 1) {
      const hung = Array.from({ length: 5 }, () => guard.run(deaf()))
      for (const one of hung) one.catch(() => {})
      await vi.advanceTimersByTimeAsync(500)
      expect(await guard.run(answer)).toBe('here')
      await vi.advanceTimersByTimeAsync(500)
      for (const one of hung)
        await expect(one).rejects.toThrow(new UpstreamError('user-store', 'The user store did not answer within 1 s'))
      expect(await guard.run(answer)).toBe('here')
    }
  })

  test('is left alone for the questions of after its last answer', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
    const before = Array.from({ length: 3 }, () => guard.run(deaf()))
    expect(await guard.run(answer)).toBe('here')
    const after = Array.from({ length: 2 }, () => guard.run(deaf()))
    for (const one of [...before, ...after]) one.catch(() => {})
    await vi.advanceTimersByTimeAsync(1000)
    await expect(guard.run(away)).rejects.toThrow('gone')
    await expect(guard.run(answer)).rejects.toThrow('left alone')
  })

  test('or only readiness, is left alone all the same', async () => {
    const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
    const hung = Array.from({ length: 3 }, () => guard.run(deaf()))
    for (const one of hung) one.catch(() => {})
    await guard.probe(answer)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(guard.run(answer)).rejects.toThrow('left alone')
  })
})

test('only failures of the store count: any other error passes as it is, however often', async () => {
  const guard = createRemoteGuard(OPTIONS)
  const bug = new TypeError('ours')
  for (let time = 0; time < 10; time += 1) await expect(guard.run(() => Promise.reject(bug))).rejects.toBe(bug)
  await expect(
    guard.run(() => {
      throw bug
    }),
  ).rejects.toBe(bug)
  expect(await guard.run(answer)).toBe('here')
})
