import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import type { GuestRecords } from '../../../src/services/guests/guest-records.ts'
import { createOutbox, type Delivery } from '../../../src/services/mail-code/outbox.ts'
import { createSeal } from '../../../src/services/pass/seal.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const LEASE_MS = 500
const MAIL = { scope: 'one default', address: 'guest@example.com', code: 'ABCDEFGH', language: 'en', device: [] }

/** Opens a store with one mail, and starts copies that send it. */
function start() {
  const file = join(temporaryFolder(), 'guests.db')
  const seal = createSeal(['secret'], 'outbox')
  function copy(deliver: () => Promise<Delivery>, change = (records: GuestRecords) => records, aheadMs = 0) {
    const nowMs = () => Date.now() + aheadMs
    const store = openFileRecords(file, { nowSeconds: () => nowMs() / 1000 })
    const deps = { records: change(store), seal, nowMs, deliver, onFault: () => {}, pollMs: 5, leaseMs: LEASE_MS }
    const outbox = createOutbox(deps)
    onTestFinished(async () => {
      outbox.close()
      await store.close()
    })
    const mail = { ...MAIL, requestId: 'id', atMs: nowMs(), endsAtSeconds: nowMs() / 1000 + 600 }
    return { add: () => store.write([outbox.stepFor(mail, 'lane')]), left: () => store.count('mail-outbox') }
  }
  return { copy }
}

test('the mail that a killed copy was sending goes out as soon as its short lease ends', async () => {
  const { copy } = start()
  const { promise: isTaken, resolve: taken } = Promise.withResolvers<void>()
  const never = () => {
    taken()
    return new Promise<Delivery>(() => {})
  }
  let writes = 0
  // A killed copy writes no more.
  const killed = copy(never, (records) => ({
    ...records,
    write: (steps) => (writes++ === 0 ? records.write(steps) : Promise.resolve(null)),
  }))
  await killed.add()
  await isTaken
  const sent: number[] = []
  const takenAtMs = Date.now()
  const { left } = copy(() => {
    sent.push(Date.now() - takenAtMs)
    return Promise.resolve('done')
  })
  await expect.poll(() => sent.length).toBe(1)
  expect(sent[0]).toBeGreaterThanOrEqual(LEASE_MS / 2)
  await expect.poll(left).toBe(0)
})

test.each([0, 90_000, -90_000])(
  'a mail that takes longer than a lease is sent by one copy, with clocks %d ms apart',
  async (aheadMs) => {
    const { copy } = start()
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<Delivery>()
    let sent = 0
    const deliver = () => {
      sent += 1
      return isAnswered
    }
    const { add, left } = copy(deliver)
    copy(deliver, (records) => records, aheadMs)
    await add()
    await new Promise((resolve) => setTimeout(resolve, 4 * LEASE_MS))
    answer('done')
    await expect.poll(left).toBe(0)
    expect(sent).toBe(1)
  },
)

test('a mail that fails after some renewals of its lease waits, and is there once', async () => {
  const { copy } = start()
  let tries = 0
  const { add, left } = copy(async () => {
    tries += 1
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS))
    return 'retry'
  })
  await add()
  await expect.poll(() => tries).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 6 * LEASE_MS))
  expect([tries, await left()]).toEqual([1, 1])
})
