import { describe, expect, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import type { ViewerFilter } from '../../../src/users/manager/viewer-pages.ts'
import { usernameKey } from '../../../src/users/viewer-fields.ts'
import { type Open, openStore } from '../editable-store-contract.ts'

const ALL: ViewerFilter = { text: '', group: '', state: 'all', oneOf: null }
const ODD = `o'brien "x"\\%_`

/** Tests the pages of viewers of every store whose viewers this app manages. */
export function pagesContract(name: string, createStorage: () => Promise<Open>): void {
  describe(`pages of ${name}`, () => {
    async function withViewers(): Promise<EditableUserStore> {
      const store = await openStore(await createStorage())
      for (const username of ['Ada', 'bob', 'Élise', 'zoe']) {
        const groups = username === 'bob' ? ['press', ODD] : username === 'zoe' ? ['staff'] : []
        const name = username === 'zoe' ? { name: 'Ödön Mc Trull' } : {}
        await store.add({ username, groups, attributes: { floor: '2', ...name } }, null)
      }
      return store
    }
    const names = async (store: EditableUserStore, filter: Partial<ViewerFilter>, after = '', limit = 10) =>
      (await store.page({ ...ALL, ...filter }, after, limit)).map(({ viewer }) => viewer.username)

    test('pages follow each other in the order of the keys', async () => {
      const store = await withViewers()
      const first = await names(store, {}, '', 3)
      const second = await names(store, {}, usernameKey(first.at(-1) ?? ''), 3)
      expect([...first, ...second].toSorted()).toEqual(['Ada', 'bob', 'zoe', 'Élise'].toSorted())
      expect(second).toHaveLength(1)
      expect(await store.count(ALL)).toBe(4)
    })

    test.each<[string, Partial<ViewerFilter>, string[]]>([
      ['a part of the name in another case', { text: 'AD' }, ['Ada']],
      ['a letter with an accent', { text: 'É' }, ['Élise']],
      ['a part of a real name in another case', { text: 'MC T' }, ['zoe']],
      ['a real name with an accent in another case', { text: 'ödÖ' }, ['zoe']],
      ['not the name of an attribute', { text: 'floor' }, []],
      ['signs that mean something in SQL', { text: "%_'" }, []],
      ['NUL', { text: '\0' }, []],
      ['a group', { group: 'press' }, ['bob']],
      ['a part of the name of a group', { group: 'pres' }, []],
      ['a group with signs of SQL and JSON', { group: ODD }, ['bob']],
      ['one of several groups', { oneOf: ['staff', 'press'] }, ['bob', 'zoe']],
      ['no group at all', { oneOf: [] }, []],
      ['viewers without a password', { state: 'no-password', text: 'a' }, ['Ada']],
      ['viewers without an invitation', { state: 'not-invited', text: 'a' }, ['Ada']],
      ['viewers with an invitation', { state: 'invited' }, []],
      ['viewers with a password', { state: 'active' }, []],
    ])('a filter finds %s', async (_what, filter, expected) => {
      const store = await withViewers()
      expect(await names(store, filter)).toEqual(expected)
      expect(await store.count({ ...ALL, ...filter })).toBe(expected.length)
    })

    test('a filter finds disabled viewers', async () => {
      const store = await withViewers()
      await store.setDisabled('zoe', true)
      expect(await names(store, { state: 'disabled' })).toEqual(['zoe'])
      expect(await names(store, { state: 'no-password', text: 'zoe' })).toEqual([])
    })

    test('a filter finds viewers whose invitation was sent, and those whose mail failed among the others', async () => {
      const store = await withViewers()
      for (const [name, digest] of Object.entries({ bob: 'sent', zoe: 'failed' })) {
        await store.passwordChanges.createLink(name, { purpose: 'invitation', digest, expiresAtSeconds: 2_000_000_000 })
      }
      await store.markSent('sent')
      expect(await names(store, { state: 'invited' })).toEqual(['bob'])
      expect(await names(store, { state: 'not-invited', text: 'zoe' })).toEqual(['zoe'])
      expect(await names(store, { state: 'not-invited', text: 'bob' })).toEqual([])
    })

    test('groups and attributes are replaced only if they are still as they were read', async () => {
      const store = await withViewers()
      const before = { username: 'bob', groups: ['press', ODD], attributes: { floor: '2' } }
      const after = { ...before, groups: ['staff'], attributes: { floor: '3', room: ODD } }
      expect(await store.replace({ ...before, attributes: {} }, after)).toEqual({ ok: false, fault: 'changed' })
      expect(await store.replace(before, after)).toEqual({ ok: true, viewer: { ...after, disabled: false } })
      expect(await store.replace(before, before)).toEqual({ ok: false, fault: 'changed' })
      expect(await store.replace(before, { ...before, groups: ['a,b'] })).toMatchObject({ ok: false })
      const unknown = { ...before, username: 'nobody' }
      expect(await store.replace(unknown, unknown)).toMatchObject({
        ok: false,
        fault: expect.stringContaining('nobody'),
      })
    })
  })
}
