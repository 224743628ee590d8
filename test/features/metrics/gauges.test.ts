import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { type Readings, registerGauges } from '../../../src/features/metrics/gauges.ts'

async function linesOf(readings: Partial<Readings>): Promise<string[]> {
  const registry = new Registry()
  registerGauges(registry, { version: '1.2.3', stores: {}, ...readings })
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('viewer_auth_'))
}

test('a store is up only if it answers', async () => {
  const lines = await linesOf({
    stores: {
      answers: () => Promise.resolve(),
      available: () => true,
      away: () => false,
      rejects: () => Promise.reject(new Error('away')),
      throws: () => {
        throw new Error('away')
      },
    },
  })
  expect(lines.filter((line) => line.startsWith('viewer_auth_store_up'))).toEqual([
    'viewer_auth_store_up{store="answers"} 1',
    'viewer_auth_store_up{store="available"} 1',
    'viewer_auth_store_up{store="away"} 0',
    'viewer_auth_store_up{store="rejects"} 0',
    'viewer_auth_store_up{store="throws"} 0',
  ])
})

test('a store that hangs is not up, and the other metrics come in time', async () => {
  vi.useFakeTimers()
  try {
    const lines = linesOf({ stores: { hangs: () => new Promise(() => {}) }, countSessions: () => 7 })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await lines).toEqual(
      expect.arrayContaining(['viewer_auth_store_up{store="hangs"} 0', 'viewer_auth_sessions 7']),
    )
  } finally {
    vi.useRealTimers()
  }
})

test('the password checks that run and wait are counted, where the store hashes passwords', async () => {
  const lines = await linesOf({ hashingQueue: () => ({ running: 2, waiting: 5 }) })
  expect(lines).toContain('viewer_auth_password_checks{state="running"} 2')
  expect(lines).toContain('viewer_auth_password_checks{state="waiting"} 5')
  expect((await linesOf({})).join()).not.toContain('password_checks')
})

test('sessions that cannot be counted fail no other metric', async () => {
  const lines = await linesOf({
    countSessions: () => {
      throw new Error('locked')
    },
  })
  expect(lines.join()).toContain('viewer_auth_build_info{version="1.2.3"')
})
