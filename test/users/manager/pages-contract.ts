import { describe, expect, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import type { ViewerFilter } from '../../../src/users/manager/viewer-pages.ts'
import { usernameKey } from '../../../src/users/viewer-fields.ts'
import { type Open, openStore } from '../editable-store-contract.ts'

const ALL: ViewerFilter = { text: '', group: '', state: 'all', oneOf: null }
const PASSKEY = {
  id: 'passkey-of-bob',
  publicKey: new Uint8Array([1, 2, 3]),
  counter: 0,
  deviceType: 'multiDevice',
  isBackedUp: true,
  transports: ['internal'],
  name: 'Phone',
  createdAtSeconds: 1_800_000_000,
} as const
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

    test.each([
      ['another name', 'bob', 'Bob@example.com'],
      ['another spelling', 'bob', 'BOB'],
    ])('a viewer gets %s, with password, state, groups and passkeys, and the links end', async (_what, old, name) => {
      const store = await withViewers()
      await store.setPassword(old, 'correct horse 12')
      const handle = await store.passkeys.userHandleOf(old)
      await store.passkeys.add(old, PASSKEY)
      await store.setDisabled(old, true)
      for (const purpose of ['invitation', 'reset'] as const)
        await store.passwordChanges.createLink('zoe', { purpose, digest: purpose, expiresAtSeconds: 2_000_000_000 })
      expect(await store.rename(old, name)).toMatchObject({ ok: true, viewer: { username: name, disabled: true } })
      await store.setDisabled(name, false)
      expect(await store.authenticate(name, 'correct horse 12')).toMatchObject({ ok: true })
      expect(await store.inspect(name)).toMatchObject({ hasPassword: true, viewer: { groups: ['press', ODD] } })
      expect(await store.passkeys.userHandleOf(name)).toBe(handle)
      expect(await store.passkeys.list(name)).toMatchObject([{ id: PASSKEY.id }])
      if (usernameKey(name) !== old) expect(await store.inspect(old)).toBeNull()
      await store.rename('zoe', 'zoë')
      expect(await store.passwordChanges.findLink('invitation', 0)).toBeNull()
      expect(await store.inspect('zoë')).toMatchObject({ invitation: null })
      expect(await store.rename('zoë', 'zoe')).toMatchObject({ ok: true })
      expect(await store.count(ALL)).toBe(4)
    })

    test.each([
      ['the name of another viewer', 'bob', 'ADA', 'exists'],
      ['a name for an unknown viewer', 'nobody', 'somebody', 'unknown'],
      ['a name that cannot be one', 'bob', 'a|b', undefined],
      ['a name for one that cannot be one', '\0', 'bob2', 'unknown'],
    ])('%s is refused, and changes nothing', async (_what, old, name, code) => {
      const store = await withViewers()
      const refused = await store.rename(old, name)
      expect([refused.ok, 'code' in refused ? refused.code : undefined]).toEqual([false, code])
      expect(await names(store, {})).toEqual(await names(await withViewers(), {}))
    })

    test('a renamed viewer is found by the mail addresses of before', async () => {
      const store = await withViewers()
      await store.replace(
        { username: 'bob', groups: ['press', ODD], attributes: { floor: '2' } },
        { username: 'bob', groups: [], attributes: { mail: 'bob@example.com' } },
      )
      await store.rename('bob', 'rob')
      expect(await store.findByAddress?.('mail', 'bob@example.com')).toMatchObject({ username: 'rob' })
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
