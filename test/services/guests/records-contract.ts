import { beforeEach, describe, expect, test } from 'vitest'
import {
  type GuestStore,
  MOST_PRUNED,
  MOST_WRITES,
  type RecordWrite,
} from '../../../src/services/guests/guest-records.ts'
import { pruneAll } from '../../../src/services/guests/service.ts'

export interface Opened {
  readonly store: GuestStore
  /** Opens the same store again, as another copy of the app or a command does. */
  readonly openOther: () => Promise<GuestStore>
}

/** The promise of the guests store. @param open opens a new store, until the test ends. */
export function recordsContract(name: string, open: (nowSeconds: () => number) => Promise<Opened>): void {
  describe(`guest records contract: ${name}`, () => {
    const clock = { seconds: 1_800_000_000 }
    let store: GuestStore
    let other: GuestStore
    const put = (key: string, text: string, more: Partial<RecordWrite> = {}) => ({ kind: 'code', key, text, ...more })

    beforeEach(async () => {
      clock.seconds = 1_800_000_000
      const opened = await open(() => clock.seconds)
      store = opened.store
      other = await opened.openOther()
    })

    test('a record is read as it was written, by every copy', async () => {
      const text = JSON.stringify({ name: 'Ada – Ωμέγα 😀', 'quote"': "'" })
      const version = await store.write([put('ada@example.com', text, { endsAtSeconds: 1_800_000_600.5 })])
      const record = { key: 'ada@example.com', text, version, endsAtSeconds: 1_800_000_600.5 }
      expect(await store.read('code', 'ada@example.com')).toEqual(record)
      expect(await other.read('code', 'ada@example.com')).toEqual(record)
      expect(await other.read('outbox', 'ada@example.com')).toBeNull()
    })

    test('a write replaces text, end and version', async () => {
      const first = await store.write([put('a', '1', { endsAtSeconds: 1_800_000_600 })])
      const second = await store.write([put('a', '2')])
      expect(await store.read('code', 'a')).toEqual({ key: 'a', text: '2', version: second, endsAtSeconds: null })
      expect(second).not.toBe(first)
    })

    test('no version comes again, not even after the record was deleted', async () => {
      const first = await store.write([put('a', '1')])
      await store.write([{ kind: 'code', key: 'a', text: null }])
      expect(await store.read('code', 'a')).toBeNull()
      await store.write([put('a', '2')])
      expect(await store.write([put('a', '3', { if: first ?? 0 })])).toBeNull()
      expect(await store.read('code', 'a')).toMatchObject({ text: '2' })
    })

    test.each([
      ['absent', 'absent' as const],
      ['at a version', 12_345_678],
    ])('a batch with one record that must be %s, and is not, changes nothing', async (_case, condition) => {
      await store.write([put('b', 'old')])
      const batch = [put('a', 'new'), put('b', 'new', { if: condition }), put('c', 'new', { if: 'absent' })]
      expect(await store.write(batch)).toBeNull()
      const { read } = store
      expect(await Promise.all([read('code', 'a'), read('code', 'b'), read('code', 'c')])).toMatchObject([
        null,
        { text: 'old' },
        null,
      ])
    })

    test('a step deletes only the version that it names', async () => {
      const version = (await store.write([put('a', '1')])) ?? 0
      const newer = (await store.write([put('a', '2')])) ?? 0
      const remove = (condition: number) => store.write([{ kind: 'code', key: 'a', text: null, if: condition }])
      expect(await remove(version)).toBeNull()
      expect(await remove(newer)).not.toBeNull()
      expect(await remove(newer)).toBeNull()
      expect(await store.read('code', 'a')).toBeNull()
    })

    test('a record ends at its second, and is absent from then on', async () => {
      const version = (await store.write([put('a', '1', { endsAtSeconds: clock.seconds + 600 })])) ?? 0
      clock.seconds += 599
      expect(await store.read('code', 'a')).not.toBeNull()
      expect(await store.count('code')).toBe(1)
      clock.seconds += 1
      expect(await store.read('code', 'a')).toBeNull()
      expect(await store.count('code')).toBe(0)
      expect(await store.list('code', { limit: 10 })).toEqual([])
      expect(await store.write([put('a', '2', { if: version })])).toBeNull()
      expect(await store.write([put('a', '2', { if: 'absent' })])).not.toBeNull()
      expect(await store.read('code', 'a')).toMatchObject({ text: '2', endsAtSeconds: null })
    })

    test('prune deletes what has ended, and nothing else', async () => {
      const ends = (endsAtSeconds: number | null) => ({ endsAtSeconds })
      await store.write([put('a', '1', ends(clock.seconds)), put('b', '1', ends(clock.seconds + 1)), put('c', '1')])
      expect(await store.prune()).toBe(1)
      expect(await store.prune()).toBe(0)
      expect((await store.list('code', { limit: 10 })).map(({ key }) => key)).toEqual(['b', 'c'])
    })

    test('batches of ended records follow each other until none is left, of people first', async () => {
      const ended = (kind: string, count: number) =>
        Array.from({ length: count }, (_, index) => ({ kind, key: `${index}`, text: '', endsAtSeconds: clock.seconds }))
      await store.write(ended('code', MOST_PRUNED + 1))
      await store.write(ended('person', MOST_PRUNED + 2))
      await store.write([put('stays', '1', { endsAtSeconds: clock.seconds + 1 })])
      const batches: (string | number | null | undefined)[][] = []
      async function prune(kind?: string | null) {
        const removed = await store.prune(kind)
        batches.push([kind, removed])
        return removed
      }
      await pruneAll({ prune }, ['person'])
      const ofPeople = [MOST_PRUNED, 2, 0].map((removed) => ['person', removed])
      expect(batches).toEqual([...ofPeople, [null, MOST_PRUNED], [null, 1], [null, 0]])
      expect((await store.list('code', { limit: 10 })).map(({ key }) => key)).toEqual(['stays'])
    })

    test('two copies delete ended records at the same time', async () => {
      const keys = Array.from({ length: 2 * MOST_PRUNED }, (_, index) => `${index}`)
      await store.write(keys.map((key) => put(key, '', { endsAtSeconds: clock.seconds })))
      await Promise.all([pruneAll(store, []), pruneAll(other, [])])
      expect(await store.prune()).toBe(0)
      clock.seconds -= 1
      expect(await store.count('code')).toBe(0)
    })

    test('a list has pages in the order of bytes, and keeps to its prefix and kind', async () => {
      const keys = ['a', 'A', 'a:~', 'a:1', 'a:10', 'a:2', 'b', 'a;', '_', 'a_', "a:'", 'a:%']
      await store.write(keys.map((key) => put(key, key)))
      await store.write([{ kind: 'other', key: 'a:3', text: '' }])
      const all = await store.list('code', { limit: 100 })
      expect(all.map(({ key }) => key)).toEqual(keys.toSorted())
      const first = await store.list('code', { prefix: 'a:', limit: 2 })
      const rest = await other.list('code', { prefix: 'a:', after: first.at(-1)?.key ?? '', limit: 100 })
      expect([...first, ...rest].map(({ key }) => key)).toEqual(['a:%', "a:'", 'a:1', 'a:10', 'a:2', 'a:~'])
      expect([await store.count('code', 'a:'), await store.count('code'), await store.count('none')]).toEqual([
        6, 12, 0,
      ])
    })

    test('of many writers at once, one adds a record, and each counts up a version', async () => {
      const both = (index: number) => (index % 2 === 0 ? store : other)
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, index) => both(index).write([put('a', `${index}`, { if: 'absent' })])),
      )
      expect(added.filter((version) => version !== null)).toHaveLength(1)
      await store.write([put('count', '0')])
      async function countUp(records: GuestStore): Promise<void> {
        while (true) {
          const found = await records.read('code', 'count')
          const next = put('count', `${Number(found?.text) + 1}`, { if: found?.version ?? 0 })
          if ((await records.write([next])) !== null) return
        }
      }
      await Promise.all(Array.from({ length: 20 }, (_, index) => countUp(both(index))))
      expect(await store.read('code', 'count')).toMatchObject({ text: '20' })
    })

    test('two writers of the same records in other orders do not block each other', async () => {
      const names = ['a', 'b', 'c', 'd']
      const rounds = Array.from({ length: 20 }, (_, index) => {
        const order = index % 2 === 0 ? names : names.toReversed()
        return (index % 2 === 0 ? store : other).write(order.map((key) => put(key, `${index}`)))
      })
      expect((await Promise.all(rounds)).includes(null)).toBe(false)
      const texts = (await store.list('code', { limit: 10 })).map(({ text }) => text)
      expect(new Set(texts).size).toBe(1)
    })

    test.each<[string, readonly RecordWrite[]]>([
      ['without a step', []],
      ['with too many steps', Array.from({ length: MOST_WRITES + 1 }, (_, index) => put(`k${index}`, ''))],
      ['with a record twice', [put('a', '1'), put('b', '1'), put('a', '2')]],
      ['with an empty key', [put('', '1')]],
      ['with a key that is not ASCII', [put('straße', '1')]],
      ['with a space in a key', [put('a b', '1')]],
      ['with a kind in capitals', [put('a', '1', { kind: 'Code' })]],
      ['with a text that is too long', [put('a', 'x'.repeat(100_001))]],
      ['with NUL in a text', [put('a', 'x\0')]],
      ['that would delete an absent record', [{ kind: 'code', key: 'a', text: null, if: 'absent' }]],
    ])('a batch %s is refused', async (_case, writes) => {
      await expect(store.write(writes)).rejects.toThrow(RangeError)
      expect(await store.count('code')).toBe(0)
    })

    test('a batch of the largest size is written whole', async () => {
      await store.write(Array.from({ length: MOST_WRITES }, (_, index) => put(`k${index}`, 'x'.repeat(200))))
      expect(await other.count('code')).toBe(MOST_WRITES)
      await store.checkHealth()
      expect(store.isAvailable()).toBe(true)
    })
  })
}
