import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../src/errors.ts'
import { SQLITE_BUSY } from '../../src/server/sqlite-file.ts'
import { createLockGuard } from '../../src/sessions/sqlite-file.ts'

test('after a statement that found the file locked, none is tried for a second', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const guard = createLockGuard()
  const statement = vi.fn(() => {
    throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_BUSY })
  })
  for (const pauseMs of [0, 0, 999]) {
    vi.advanceTimersByTime(pauseMs)
    expect(() => guard.run(statement)).toThrow(UpstreamError)
    expect([statement.mock.calls.length, guard.isWritable()]).toEqual([1, false])
  }
  vi.advanceTimersByTime(1)
  expect([guard.run(() => 'stored'), guard.isWritable()]).toEqual(['stored', true])
})
