import { beforeEach, describe, expect, test } from 'vitest'
import type { Batch } from '../../../src/features/access-codes/codes/code-records.ts'
import { type CodeStore, createCodeStore } from '../../../src/features/access-codes/codes/code-store.ts'
import { NO_HOLDER, newCodes } from '../../../src/features/access-codes/codes/new-codes.ts'
import type { Opened } from '../../services/guests/records-contract.ts'
import { all, batchOf, KEY } from './codes-app.ts'

const START_SECONDS = 1_800_000_000
const KEPT_SECONDS = 180 * 86_400

/** The promise of access codes in a guests store. @param open opens a new store, until the test ends. */
export function codesContract(name: string, open: (nowSeconds: () => number) => Promise<Opened>): void {
  describe(`access codes contract: ${name}`, () => {
    const clock = { seconds: START_SECONDS }
    let opened: Opened
    let codes: CodeStore
    /** Those of another copy of the app, or of a command. */
    let other: CodeStore

    beforeEach(async () => {
      clock.seconds = START_SECONDS
      opened = await open(() => clock.seconds)
      codes = createCodeStore(opened.store)
      other = createCodeStore(await opened.openOther())
    })

    async function create(changes: Partial<Batch>, count = 1) {
      const batch = batchOf({ count, ...changes })
      const { stored } = newCodes(
        batch,
        Array.from({ length: count }, () => NO_HOLDER),
        KEY,
      )
      const isStored = await codes.create(batch, stored)
      return { batch, isStored, digests: stored.map(({ digest }) => digest) }
    }
    async function known(digest = '') {
      return (await other.find(digest)) ?? expect.unreachable()
    }

    test('a batch that takes several writes is found by every copy, code by code', async () => {
      const { batch, digests } = await create({}, 1_001)
      expect((await other.batches('default')).map(({ label, isComplete }) => [label, isComplete])).toEqual([
        ['GALA', true],
      ])
      expect((await all(other.codesOf(batch))).map(({ code }) => code.number)).toEqual(digests.map((_, at) => at + 1))
      for (const number of [1, 400, 401, 1_001]) {
        expect((await known(digests[number - 1])).code.number).toBe(number)
      }
      expect((await other.ofSubject('default/GALA/000401#7'))?.code.number).toBe(401)
      expect(await other.find('unknown')).toBe(null)
    })

    test('of two batches with one label at the same time, one is stored, and it is whole', async () => {
      const batches = [batchOf({ count: 500 }), batchOf({ label: 'gala', count: 500 })].map((batch) => ({
        batch,
        ...newCodes(
          batch,
          Array.from({ length: 500 }, () => NO_HOLDER),
          KEY,
        ),
      }))
      const done = await Promise.all(
        batches.map(({ batch, stored }, at) => (at === 0 ? codes : other).create(batch, stored)),
      )
      expect(done.toSorted()).toEqual([false, true])
      const [won, lost] = done[0] ? batches : batches.toReversed()
      for (const { digest } of won?.stored ?? []) expect(await codes.find(digest)).not.toBe(null)
      for (const { digest } of lost?.stored.slice(0, 5) ?? []) expect(await codes.find(digest)).toBe(null)
    })

    test('sign-ins at two copies at the same time have different numbers', async () => {
      const { digests } = await create({ isShared: true })
      const code = await known(digests[0])
      const numbers = await Promise.all(
        Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? codes : other).use(code, `n${at}`, START_SECONDS + at)),
      )
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
      const people = await all(codes.people('default/GALA/000001'))
      expect(people.map(({ name: typed }) => typed).toSorted()).toEqual(numbers.map((_, at) => `n${at}`).toSorted())
      const [listed] = await all(codes.codesOf(code.batch))
      expect(listed?.uses).toMatchObject({
        count: 60,
        firstAtSeconds: START_SECONDS,
        lastAtSeconds: START_SECONDS + 59,
      })
    })

    test('a code or a batch is revoked once, and every copy knows', async () => {
      const { batch, digests } = await create({}, 2)
      const twice = await Promise.all([codes, other].map((one) => one.revokeCode(batch, 2, START_SECONDS)))
      expect(twice.toSorted()).toEqual([false, true])
      expect(await codes.revokeCode(batch, 3, START_SECONDS)).toBe(false)
      expect((await known(digests[1])).code.revokedAtSeconds).toBe(START_SECONDS)
      expect((await known(digests[0])).code.revokedAtSeconds).toBe(null)
      expect(await codes.revokeBatch(batch, START_SECONDS + 1)).toBe(true)
      expect(await other.revokeBatch(batch, START_SECONDS + 2)).toBe(false)
      expect((await known(digests[0])).batch.revokedAtSeconds).toBe(START_SECONDS + 1)
    })

    test('codes, sign-ins and names go 180 days after the end', async () => {
      const endsAtSeconds = START_SECONDS + 60
      const { batch, digests } = await create({ isShared: true, endsAtSeconds })
      await codes.use(await known(digests[0]), 'Ada', START_SECONDS)
      // A change must not prolong a record.
      await codes.revokeCode(batch, 1, START_SECONDS)
      clock.seconds = endsAtSeconds + KEPT_SECONDS - 1
      expect((await all(other.people('default/GALA/000001'))).length).toBe(1)
      clock.seconds += 1
      expect([await other.find(digests[0] ?? ''), await other.batches(), await all(other.codesOf(batch))]).toEqual([
        null,
        [],
        [],
      ])
      expect(await all(other.people('default/GALA/000001'))).toEqual([])
      // The batch, the code, its digest, its sign-ins, and the person.
      expect(await opened.store.prune()).toBe(5)
    })

    test('codes of a second event begin without sign-ins, also with the label of the first', async () => {
      const endsAtSeconds = START_SECONDS + 60
      const { digests } = await create({ isShared: true, endsAtSeconds })
      const use = async (digest = '', name = 'Ada') => await codes.use(await known(digest), name, clock.seconds)
      expect([await use(digests[0]), await use(digests[0])]).toEqual([1, 2])
      clock.seconds = endsAtSeconds
      expect((await create({ isShared: true, endsAtSeconds: endsAtSeconds + 60 })).isStored).toBe(false)
      const next = await create({ label: 'NEXT', isShared: true, endsAtSeconds: endsAtSeconds + 60 })
      expect(await use(next.digests[0])).toBe(1)
      // Not pruned: what has ended counts no more.
      clock.seconds = endsAtSeconds + KEPT_SECONDS
      const again = await create({ isShared: true, endsAtSeconds: clock.seconds + 60 })
      expect([again.isStored, await use(again.digests[0], 'Grace')]).toEqual([true, 1])
      expect((await all(other.people('default/GALA/000001'))).map(({ name }) => name)).toEqual(['Grace'])
    })
  })
}
