import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import { createRemoteGuard, type RemoteGuard, type RemoteGuardOptions } from '../../../src/users/remote/guard.ts'

const OPTIONS: RemoteGuardOptions = { timeoutMs: 1000, width: 2, queueLength: 3, failures: 3, pauseMs: 500 }
const away = () => Promise.reject(new UpstreamError('user-store', 'gone'))
const answer = () => Promise.resolve('here')
/** Part of the message while the breaker refuses requests. */
const BREAKER_IS_OPEN = 'several times in a row'
const TIMED_OUT = 'did not answer within 1 s'
/** Never settles and ignores its signal. */
const hang = () => vi.fn((_signal: AbortSignal) => new Promise<string>(() => {}))

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

/** Returns the value or error of a settled promise, or 'pending'. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await setImmediate()
  const settled = promise.then(
    (value) => value,
    (error: unknown) => error,
  )
  return await Promise.race([settled, Promise.resolve('pending')])
}

test('a guarded request returns the answer of the store', async () => {
  const guard = createRemoteGuard(OPTIONS)
  expect(await guard.run(answer)).toBe('here')
  await expect(guard.probe(answer)).resolves.toBeUndefined()
})

test('a request that times out is aborted, fails and frees its place', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
  const request = hang()
  const late = guard.run(request)
  await vi.advanceTimersByTimeAsync(999)
  expect(await stateOf(late)).toBe('pending')
  expect(request.mock.calls[0]?.[0].aborted).toBe(false)
  late.catch(() => {})
  await vi.advanceTimersByTimeAsync(1)
  await expect(late).rejects.toThrow(UpstreamError)
  await expect(late).rejects.toThrow(TIMED_OUT)
  expect(request.mock.calls[0]?.[0].aborted).toBe(true)
  expect(await guard.run(answer)).toBe('here')
})

test('a request that fails after its timeout affects no other request', async () => {
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

test('a request queues for a place, and is rejected without being sent when the queue is full', async () => {
  const guard = createRemoteGuard(OPTIONS)
  const { promise, resolve } = Promise.withResolvers<string>()
  const request = vi.fn(() => promise)
  const five = Array.from({ length: 5 }, () => guard.run(request))
  await expect(guard.run(request)).rejects.toThrow(OverloadedError)
  expect(request).toHaveBeenCalledTimes(2)
  resolve('done')
  expect(await Promise.all(five)).toEqual(Array(5).fill('done'))
})

test('a request queues for half of its timeout at most, so that the other half is left for the answer', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 1, failures: 9 })
  const first = guard.run(hang())
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

test('a request that queued has only the rest of its timeout', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = guard.run(() => promise)
  const second = guard.run(hang())
  second.catch(() => {})
  await vi.advanceTimersByTimeAsync(400)
  resolve('done')
  expect(await first).toBe('done')
  await vi.advanceTimersByTimeAsync(599)
  expect(await stateOf(second)).toBe('pending')
  await vi.advanceTimersByTimeAsync(1)
  await expect(second).rejects.toThrow(TIMED_OUT)
})

test('a probe needs no place', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, queueLength: 0 })
  const busy = [guard.run(hang()), guard.run(hang())]
  for (const one of busy) one.catch(() => {})
  await expect(guard.run(answer)).rejects.toThrow(OverloadedError)
  await guard.probe(answer)
  await vi.advanceTimersByTimeAsync(1000)
  await expect(Promise.all(busy)).rejects.toThrow(UpstreamError)
})

test('concurrent probes share one request to the store', async () => {
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

test('concurrent probes that fail count as one failure', async () => {
  const guard = createRemoteGuard(OPTIONS)
  const all = Array.from({ length: 500 }, () => guard.probe(away))
  for (const one of all) await expect(one).rejects.toThrow('gone')
  expect(await guard.run(answer)).toBe('here')
})

test('an open breaker refuses requests and probes at once, without sending them', async () => {
  const guard = createRemoteGuard(OPTIONS)
  await failTimes(guard, 2)
  expect(await guard.run(answer)).toBe('here')
  await failTimes(guard, 3)
  const request = vi.fn(answer)
  await expect(guard.run(request)).rejects.toThrow(UpstreamError)
  await expect(guard.run(request)).rejects.toThrow(BREAKER_IS_OPEN)
  await expect(guard.probe(request)).rejects.toThrow(BREAKER_IS_OPEN)
  expect(request).not.toHaveBeenCalled()
})

test('a breaker that opens rejects queued requests at once', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 1 })
  const request = hang()
  const hung = guard.run(request)
  const queued = [guard.run(request), guard.run(request)]
  for (const one of [hung, ...queued]) one.catch(() => {})
  for (let time = 0; time < 3; time += 1) await expect(guard.probe(away)).rejects.toThrow('gone')
  for (const one of queued) await expect(one).rejects.toThrow(BREAKER_IS_OPEN)
  expect(request).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1000)
  await expect(hung).rejects.toThrow(TIMED_OUT)
})

test('an open breaker lets one request through after the pause and refuses the others at once', async () => {
  const guard = createRemoteGuard(OPTIONS)
  await failTimes(guard, 3)
  await vi.advanceTimersByTimeAsync(499)
  await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
  await vi.advanceTimersByTimeAsync(1)
  const { promise, resolve } = Promise.withResolvers<string>()
  const trial = guard.run(() => promise)
  for (let other = 0; other < 5; other += 1) await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
  await expect(guard.probe(answer)).rejects.toThrow(BREAKER_IS_OPEN)
  resolve('back')
  expect(await trial).toBe('back')
  expect(await guard.run(answer)).toBe('here')
  await failTimes(guard, 2)
  expect(await guard.run(answer)).toBe('here')
})

test('a trial that fails or hangs keeps the breaker open', async () => {
  const guard = createRemoteGuard(OPTIONS)
  await failTimes(guard, 3)
  await vi.advanceTimersByTimeAsync(500)
  await failTimes(guard, 1)
  await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
  await vi.advanceTimersByTimeAsync(500)
  const hung = guard.run(hang())
  hung.catch(() => {})
  await vi.advanceTimersByTimeAsync(1000)
  await expect(hung).rejects.toThrow(TIMED_OUT)
  await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
  await vi.advanceTimersByTimeAsync(500)
  expect(await guard.run(answer)).toBe('here')
})

test('a probe can be the trial that closes the breaker', async () => {
  const guard = createRemoteGuard(OPTIONS)
  await failTimes(guard, 3)
  await vi.advanceTimersByTimeAsync(500)
  await guard.probe(answer)
  expect(await guard.run(answer)).toBe('here')
})

test('an outage is reported once with its failure, and its end once', async () => {
  const warn = vi.fn()
  const guard = createRemoteGuard({ ...OPTIONS, warn })
  await failTimes(guard, 2)
  expect(warn).not.toHaveBeenCalled()
  await failTimes(guard, 1)
  for (let trial = 0; trial < 3; trial += 1) {
    await vi.advanceTimersByTimeAsync(500)
    await failTimes(guard, 1)
  }
  const message = expect.stringContaining('failed 3 times in a row')
  expect(warn.mock.calls).toEqual([[message, new UpstreamError('user-store', 'gone')]])
  await vi.advanceTimersByTimeAsync(500)
  await guard.run(answer)
  expect(warn.mock.calls.slice(1)).toEqual([[expect.stringContaining('answers again')]])
})

test('failures while other requests succeed do not open the breaker', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
  for (let round = 0; round < 3; round += 1) {
    const hung = Array.from({ length: 5 }, () => guard.run(hang()))
    for (const one of hung) one.catch(() => {})
    await vi.advanceTimersByTimeAsync(500)
    expect(await guard.run(answer)).toBe('here')
    await vi.advanceTimersByTimeAsync(500)
    for (const one of hung) await expect(one).rejects.toThrow(TIMED_OUT)
    expect(await guard.run(answer)).toBe('here')
  }
})

test('failures of requests sent after the last success open the breaker', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
  const before = Array.from({ length: 3 }, () => guard.run(hang()))
  expect(await guard.run(answer)).toBe('here')
  const after = Array.from({ length: 2 }, () => guard.run(hang()))
  for (const one of [...before, ...after]) one.catch(() => {})
  await vi.advanceTimersByTimeAsync(1000)
  await expect(guard.run(away)).rejects.toThrow('gone')
  await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
})

test('failures open the breaker although a probe succeeds meanwhile', async () => {
  const guard = createRemoteGuard({ ...OPTIONS, width: 9 })
  const hung = Array.from({ length: 3 }, () => guard.run(hang()))
  for (const one of hung) one.catch(() => {})
  await guard.probe(answer)
  await vi.advanceTimersByTimeAsync(1000)
  await expect(guard.run(answer)).rejects.toThrow(BREAKER_IS_OPEN)
})

test('an error that is no UpstreamError is passed on unchanged and never opens the breaker', async () => {
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
