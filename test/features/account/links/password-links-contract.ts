import { expect, onTestFinished, test } from 'vitest'
import type { NewPasswordLink } from '../../../../src/users/account/password-changes.ts'
import type { EditableUserStore } from '../../../../src/users/editable-user-store.ts'

const NOW = 2_000_000_000
const password = 'correct horse battery'
const other = 'another heron ladder'
const ada = { username: 'Ada', groups: ['staff'], attributes: { mail: 'ada@example.com' } }

function link(digest: string, purpose: NewPasswordLink['purpose'] = 'reset'): NewPasswordLink {
  return { purpose, digest, expiresAtSeconds: NOW + 1800 }
}

/**
 * Tests the promises about links to set a password, of every store whose viewers this app manages.
 * @param createStorage creates storage without viewers, and returns a function that opens stores on it.
 */
export function testPasswordLinks(createStorage: () => Promise<() => Promise<EditableUserStore>>): void {
  async function storesWithAda(count = 1): Promise<EditableUserStore[]> {
    const open = await createStorage()
    const stores = await Promise.all(Array.from({ length: count }, open))
    onTestFinished(() => void Promise.all(stores.map((store) => store.close())))
    await stores[0]?.add(ada, password)
    return stores
  }
  async function storeWithAda(): Promise<EditableUserStore> {
    const [store] = await storesWithAda()
    return store ?? expect.unreachable()
  }
  const viewerOf = async (store: EditableUserStore) => (await store.find?.('ada')) ?? expect.unreachable()
  const canSignIn = async (store: EditableUserStore, typed: string) => (await store.authenticate('ada', typed)).ok

  test('a link sets the password once, and the old password no longer works', async () => {
    const store = await storeWithAda()
    const { passwordChanges } = store
    await passwordChanges.assertAllowed()
    expect(await passwordChanges.createLink('ADA', link('d1'))).toEqual(ada)
    expect(await passwordChanges.findLink('d1', NOW)).toEqual({ purpose: 'reset', viewer: ada })
    expect(await passwordChanges.setByLink('d1', NOW, other)).toEqual({ purpose: 'reset', viewer: ada })
    expect(await passwordChanges.setByLink('d1', NOW, password)).toBeNull()
    expect([await canSignIn(store, password), await canSignIn(store, other)]).toEqual([false, true])
  })

  test('of two concurrent uses of a link, one sets the password', async () => {
    const [one, two] = await storesWithAda(2)
    await one?.passwordChanges.createLink('ada', link('d1'))
    const uses = [one, two].map((store) => store?.passwordChanges.setByLink('d1', NOW, other))
    expect((await Promise.all(uses)).filter((used) => used !== null)).toHaveLength(1)
  })

  test('a link ends when it expires, and at a newer link for the same purpose', async () => {
    const { passwordChanges } = await storeWithAda()
    await passwordChanges.createLink('ada', link('d1'))
    expect(await passwordChanges.findLink('d1', NOW + 1799)).not.toBeNull()
    expect(await passwordChanges.findLink('d1', NOW + 1800)).toBeNull()
    expect(await passwordChanges.setByLink('d1', NOW + 1800, other)).toBeNull()
    await passwordChanges.createLink('ada', link('d2'))
    expect(await passwordChanges.findLink('d1', NOW)).toBeNull()
    await passwordChanges.createLink('ada', link('d3', 'invitation'))
    expect(await passwordChanges.findLink('d2', NOW)).not.toBeNull()
  })

  test('only one of two programs that saw the same invitation replaces it', async () => {
    const [one, two] = await storesWithAda(2)
    const invite = (store: EditableUserStore | undefined, digest: string, replaces: NewPasswordLink['replaces']) =>
      store?.passwordChanges.createLink('ada', {
        ...link(digest, 'invitation'),
        ...(replaces !== undefined && { replaces }),
      })
    const winners = async (replaces: NewPasswordLink['replaces'], digests: readonly [string, string]) => {
      const made = await Promise.all([invite(one, digests[0], replaces), invite(two, digests[1], replaces)])
      return made.filter((viewer) => viewer !== null).length
    }
    expect(await winners(null, ['d1', 'd2'])).toBe(1)
    const seen = (await one?.inspect('ada'))?.invitation ?? null
    expect(seen).toEqual({ expiresAtSeconds: NOW + 1800, isSent: false })
    await one?.revokeLinks('ada')
    expect(await invite(two, 'd3', seen)).toBeNull()
    await invite(one, 'd4', undefined)
    await one?.markSent('d4')
    expect(await winners({ expiresAtSeconds: NOW + 1800, isSent: true }, ['d5', 'd6'])).toBe(1)
  })

  test('a new password ends all links of its viewer, however it was set', async () => {
    const store = await storeWithAda()
    const { passwordChanges } = store
    await passwordChanges.createLink('ada', link('d1'))
    await passwordChanges.createLink('ada', link('d2', 'invitation'))
    await passwordChanges.setByLink('d1', NOW, other)
    expect(await passwordChanges.findLink('d2', NOW)).toBeNull()
    await passwordChanges.createLink('ada', link('d3'))
    await store.setPassword('ada', password)
    expect(await passwordChanges.findLink('d3', NOW)).toBeNull()
    await passwordChanges.createLink('ada', link('d4'))
    expect(await passwordChanges.change(await viewerOf(store), other)).toBe(true)
    expect(await passwordChanges.findLink('d4', NOW)).toBeNull()
    expect(await canSignIn(store, other)).toBe(true)
  })

  test('an unknown, disabled or removed viewer has no link', async () => {
    const store = await storeWithAda()
    const { passwordChanges } = store
    for (const name of ['nobody', '\0', '\uD800', 'x'.repeat(300)]) {
      expect(await passwordChanges.createLink(name, link('d0'))).toBeNull()
    }
    await passwordChanges.createLink('ada', link('d1'))
    await store.setDisabled('ada', true)
    expect(await passwordChanges.findLink('d1', NOW)).toBeNull()
    expect(await passwordChanges.setByLink('d1', NOW, other)).toBeNull()
    expect(await passwordChanges.createLink('ada', link('d2'))).toBeNull()
    await store.setDisabled('ada', false)
    await store.remove('ada')
    await store.add(ada, password)
    expect(await passwordChanges.findLink('d1', NOW)).toBeNull()
    expect(await passwordChanges.change({ username: 'nobody' }, other)).toBe(false)
  })

  test('a change with an old password, which was checked in time, does not replace a newer one', async () => {
    const store = await storeWithAda()
    const viewer = await viewerOf(store)
    await store.setPassword('ada', 'third heron')
    expect(await store.passwordChanges.change(viewer, other)).toBe(false)
    expect([await canSignIn(store, other), await canSignIn(store, 'third heron')]).toEqual([false, true])
  })

  test('a change that began before another new password does not replace it', async () => {
    const [one, two] = await storesWithAda(2)
    const viewer = two && (await viewerOf(two))
    // The change waits for these.
    const checks = Array.from({ length: 16 }, () => two?.authenticate('ada', other))
    const change = viewer && two?.passwordChanges.change(viewer, other)
    await two?.inspect('ada')
    await one?.setPassword('ada', 'third heron')
    await Promise.all([...checks, change])
    expect(await one?.authenticate('ada', 'third heron')).toMatchObject({ ok: true })
  })

  test('a viewer without a password cannot sign in before the invitation is used', async () => {
    const store = await storeWithAda()
    expect(await store.add({ ...ada, username: 'grace' }, null)).toMatchObject({ ok: true })
    const grace = { viewer: { ...ada, username: 'grace', disabled: false }, hasPassword: false }
    expect(await store.inspect('GRACE')).toEqual({ ...grace, invitation: null })
    await store.passwordChanges.createLink('grace', link('d1', 'invitation'))
    const invitation = { expiresAtSeconds: NOW + 1800, isSent: false }
    expect(await store.inspect('grace')).toEqual({ ...grace, invitation })
    await store.markSent('d1')
    expect(await store.inspect('grace')).toEqual({ ...grace, invitation: { ...invitation, isSent: true } })
    const listed: object[] = []
    for await (const state of store.list()) listed.push(state)
    expect(listed).toContainEqual({ ...grace, invitation: { ...invitation, isSent: true } })
    expect(listed).toHaveLength(2)
    expect(await store.authenticate('grace', '')).toMatchObject({ ok: false })
    await store.passwordChanges.setByLink('d1', NOW, other)
    expect(await store.inspect('grace')).toEqual({ ...grace, hasPassword: true, invitation: null })
    expect(await store.authenticate('grace', other)).toMatchObject({ ok: true })
    expect(await store.inspect('nobody')).toBeNull()
  })

  test('viewers are found by an attribute, unless they are disabled', async () => {
    const store = await storeWithAda()
    const { passwordChanges } = store
    for (const name of ['b', 'c', 'd', 'e']) {
      await store.add({ username: name, groups: [], attributes: { '"m\'ail': 'Shared@Example.com' } }, null)
    }
    const namesOf = async (value: string) =>
      (await passwordChanges.findByAttribute('"m\'ail', value)).map(({ username }) => username)
    await store.setDisabled('b', true)
    expect(await namesOf('shared@example.COM')).toEqual(['c', 'd', 'e'])
    expect(await namesOf('%')).toEqual([])
    expect(await passwordChanges.findByAttribute('mail', 'ADA@example.com')).toEqual([ada])
  })

  test('revoked links set no password', async () => {
    const store = await storeWithAda()
    await store.passwordChanges.createLink('ada', link('d1'))
    await store.passwordChanges.createLink('ada', link('d2', 'invitation'))
    expect([await store.revokeLinks('ADA'), await store.revokeLinks('ada')]).toEqual([true, false])
    expect(await store.passwordChanges.setByLink('d1', NOW, other)).toBeNull()
    expect(await store.passwordChanges.setByLink('d2', NOW, other)).toBeNull()
  })
}
