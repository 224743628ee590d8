import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMailShares, mostOfNetwork, partsOf } from '../../../src/services/mail/mail-shares.ts'
import { openMemoryCounter } from '../../../src/sign-in-limits/memory-counters.ts'
import { openCountsFile } from '../../../src/stores/counts-file/counts-file.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { mailSharesContract } from './mail-shares-contract.ts'

mailSharesContract('memory', () => {
  const counter = openMemoryCounter('test-mails', 3_600)
  return Promise.resolve(() => Promise.resolve(() => counter))
})

mailSharesContract('a SQLite file', () => {
  const { openCounter, close } = openCountsFile(join(temporaryFolder(), 'limits.db'), (text) =>
    expect.unreachable(text),
  )
  onTestFinished(close)
  return Promise.resolve(() => Promise.resolve(openCounter))
})

test.each([
  // mails an hour, entry points; own, common, reserve, one network
  [10_000, 1, 5_000, 2_500, 2_500, 2_500],
  [10_000, 2, 2_500, 2_500, 2_500, 2_500],
  [10_000, 10, 500, 2_500, 2_500, 2_500],
  [40, 2, 10, 10, 10, 300],
  [7, 3, 1, 3, 1, 300],
  [1, 1, 0, 1, 0, 300],
  [1, 5, 0, 1, 0, 300],
  [1_000_000, 1, 500_000, 250_000, 250_000, 250_000],
])('%i mails an hour at %i entry points are divided', (mails, entryPoints, own, common, reserve, network) => {
  expect(partsOf(mails, entryPoints)).toEqual({ own, common, reserve })
  expect(own * entryPoints + common + reserve).toBe(mails)
  expect(mostOfNetwork(mails)).toBe(network)
})

test('mails that wait are sent when the hour is over', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const shares = createMailShares(openMemoryCounter, 'test-mails', 1, () => 1)
  expect([await shares.take('one', false), await shares.take('one', true)]).toEqual([expect.any(Function), null])
  vi.advanceTimersByTime(3_600_001)
  expect([await shares.isUsedUp('one'), await shares.take('one', false)]).toEqual([false, expect.any(Function)])
})
