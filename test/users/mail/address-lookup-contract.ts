import { describe, expect, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import type { ImportedViewer } from '../../../src/users/import-batch/import-rules.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import type { ContractViewer } from '../user-store-contract.ts'

function viewer(username: string, mail: string, more: Partial<ContractViewer> = {}): ContractViewer {
  return { username, password: 'seven quiet herons', groups: ['staff'], attributes: { mail }, disabled: false, ...more }
}

/** The viewers that each store under test must contain. */
export const addressViewers: readonly ContractViewer[] = [
  viewer('ada', 'Ada@Example.com'),
  viewer('eve@example.com', 'mallory@example.com'),
  viewer('eve', 'eve@example.com'),
  viewer('gone', 'gone@example.com', { disabled: true }),
  viewer('old', 'grace@example.com', { disabled: true }),
  viewer('grace', 'grace@example.com'),
  viewer('one', 'shared@example.com'),
  viewer('two', 'SHARED@example.com'),
  viewer('star', '*@example.com'),
]

/**
 * Tests the promises of every store that finds viewers by a mail address, against a real one.
 * @param open opens a store that contains `addressViewers`.
 */
export function addressLookupContract(name: string, open: () => Promise<UserStore>): void {
  describe(`address lookup contract: ${name}`, { timeout: 30_000 }, () => {
    test.each([
      ['an address in another letter case', 'mail', 'ada@example.com', 'ada'],
      ['an address that is the user name of another viewer', 'mail', 'eve@example.com', 'eve'],
      ['an address of a disabled and an enabled viewer', 'mail', 'grace@example.com', 'grace'],
      ['an unknown address', 'mail', 'nobody@example.com', null],
      ['an address that is only a user name', 'mail', 'one@example.com', null],
      ['the address of a disabled viewer', 'mail', 'gone@example.com', null],
      ['a pattern of SQL', 'mail', '%@example.com', null],
      ['a filter of LDAP', 'mail', '*)(uid=*', null],
      ['quotes', 'mail', `'"@example.com`, null],
    ])('%s finds the enabled viewer with it, or none', async (_what, attribute, address, username) => {
      const store = await open()
      const owner = await store.findByAddress?.(attribute, address)
      // The same viewer, with the same version of the password: only then a session goes on.
      expect(owner).toEqual(username && (await store.find?.(username)))
      await store.close()
    })

    test('an address of two enabled viewers has no owner', async () => {
      const store = await open()
      expect(await store.findByAddress?.('mail', 'shared@example.com')).toBe('several')
      await store.close()
    })
  })
}

/**
 * Tests that a store of this app finds a viewer after each change.
 * @param createStorage as in other contracts.
 */
export function addressChangesContract(
  name: string,
  createStorage: () => Promise<() => Promise<EditableUserStore>>,
): void {
  describe(`address lookup contract, changes: ${name}`, { timeout: 30_000 }, () => {
    const ada = { username: 'ada', groups: [], attributes: { mail: 'ada@example.com', seat: '12' } }
    const ownerOf = async (store: UserStore, address: string) => {
      const owner = await store.findByAddress?.('mail', address)
      return typeof owner === 'string' ? owner : owner?.username
    }

    test('a viewer is found while enabled, and not after the removal', async () => {
      const store = await (await createStorage())()
      await store.add(ada, null)
      expect(await ownerOf(store, 'ada@example.com')).toBe('ada')
      await store.setDisabled('ada', true)
      expect(await ownerOf(store, 'ada@example.com')).toBeUndefined()
      await store.setDisabled('ada', false)
      expect(await ownerOf(store, 'ada@example.com')).toBe('ada')
      await store.remove('ada')
      expect(await ownerOf(store, 'ada@example.com')).toBeUndefined()
      await store.close()
    })

    test('a viewer is found by the address of the last import', async () => {
      const store = await (await createStorage())()
      await store.add(ada, null)
      const imported: ImportedViewer = {
        username: 'ada',
        groups: [],
        passwordHash: null,
        disabled: undefined,
        attributes: { mail: 'Ada@Example.org' },
      }
      expect(await store.importBatch([imported], 'update')).toEqual(['updated'])
      expect(await ownerOf(store, 'ada@example.com')).toBeUndefined()
      expect(await ownerOf(store, 'ada@example.org')).toBe('ada')
      await store.close()
    })
  })
}
