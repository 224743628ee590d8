import { describe, expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore } from '../../src/users/editable-user-store.ts'
import type { ListedViewer } from '../../src/users/viewer-editor.ts'

export const password = 'correct horse battery'
export const ada = { username: 'Ada', groups: ['staff'], attributes: { department: 'R&D' } }
/** Opens another store on the same storage. */
export type Open = () => Promise<EditableUserStore>

export async function listed(store: EditableUserStore): Promise<ListedViewer[]> {
  const viewers: ListedViewer[] = []
  for await (const { viewer } of store.list()) viewers.push(viewer)
  return viewers
}

export async function openStore(open: Open): Promise<EditableUserStore> {
  const store = await open()
  onTestFinished(() => store.close())
  return store
}

/**
 * Tests the promises to the command line of every store whose viewers this app manages.
 * @param createStorage creates storage without viewers, and returns a function that opens stores on it.
 */
export function editableStoreContract(name: string, createStorage: () => Promise<Open>): void {
  // Hashing is slow while other tests run.
  describe(`editable store contract: ${name}`, { timeout: 30_000 }, () => {
    testChanges(createStorage)
  })
}

function testChanges(createStorage: () => Promise<Open>): void {
  test('an added viewer is stored in canonical form, and can sign in', async () => {
    const store = await openStore(await createStorage())
    const change = await store.add(
      { username: 'e\u0301mil', groups: ['b', 'b'], attributes: { a: 'e\u0301' } },
      password,
    )
    const emil = { username: 'émil', groups: ['b'], attributes: { a: 'é' }, disabled: false }
    expect(change).toEqual({ ok: true, viewer: emil })
    expect(await store.show('ÉMIL')).toEqual({ ok: true, viewer: emil })
    expect(await store.authenticate('Émil', password)).toMatchObject({ ok: true })
  })

  test('a name that is taken, in any letter case, is refused, and its viewer does not change', async () => {
    const store = await openStore(await createStorage())
    await store.add(ada, password)
    expect(await store.add({ username: 'ADA', groups: [], attributes: {} }, 'another heron ladder')).toMatchObject({
      ok: false,
      code: 'exists',
      fault: expect.stringContaining('"Ada"'),
    })
    expect(await store.authenticate('ada', password)).toEqual({ ok: true, viewer: expect.objectContaining(ada) })
  })

  test('one of two concurrent additions of the same name succeeds', async () => {
    const open = await createStorage()
    const one = await openStore(open)
    const other = await openStore(open)
    const changes = await Promise.all([one.add(ada, password), other.add(ada, 'another heron ladder')])
    expect(changes.map(({ ok }) => ok).sort()).toEqual([false, true])
    expect(await listed(one)).toHaveLength(1)
  })

  test('an invalid name, group, attribute or password is refused, and no viewer is added', async () => {
    const store = await openStore(await createStorage())
    expect(await store.add({ ...ada, username: 'a|b' }, password)).toEqual({
      ok: false,
      fault: expect.stringMatching(/user name.*\|/),
    })
    expect(await store.add({ ...ada, groups: [''] }, password)).toMatchObject({ ok: false })
    expect(await store.add({ ...ada, attributes: { username: 'x' } }, password)).toMatchObject({ ok: false })
    expect(await store.add(ada, '12345678')).toMatchObject({ ok: false, fault: expect.stringContaining('most common') })
    expect(await store.add({ ...ada, username: 'lovelace' }, 'lovelace7')).toMatchObject({ ok: false })
    expect(await listed(store)).toEqual([])
  })

  test('the list of viewers is sorted by name and marks disabled viewers', async () => {
    const store = await openStore(await createStorage())
    for (const username of ['grace', 'Ada', 'émil']) await store.add({ ...ada, username }, password)
    await store.setDisabled('grace', true)
    expect((await listed(store)).map(({ username, disabled }) => [username, disabled])).toEqual([
      ['Ada', false],
      ['grace', true],
      ['émil', false],
    ])
  })

  test('a new password replaces the old one only if it follows the rules', async () => {
    const store = await openStore(await createStorage())
    await store.add(ada, password)
    expect(await store.setPassword('ada', 'short')).toMatchObject({ ok: false })
    expect(await store.setPassword('ADA', 'another heron ladder')).toMatchObject({ ok: true })
    expect(await store.authenticate('ada', 'another heron ladder')).toMatchObject({ ok: true })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
  })

  test('an unknown viewer cannot be shown, changed or removed', async () => {
    const store = await openStore(await createStorage())
    for (const name of ['nobody', "' OR '1'='1", '\0', '\uD800', 'x'.repeat(100_000)]) {
      const unknown = { ok: false, code: 'unknown', fault: expect.stringContaining(JSON.stringify(name)) }
      expect(await store.show(name)).toMatchObject(unknown)
      expect(await store.setPassword(name, password)).toMatchObject(unknown)
      expect(await store.setDisabled(name, true)).toMatchObject(unknown)
      expect(await store.remove(name)).toMatchObject(unknown)
    }
  })

  test('a removed viewer cannot sign in, and the name can be added again', async () => {
    const store = await openStore(await createStorage())
    await store.add(ada, password)
    expect(await store.remove('ADA')).toEqual({ ok: true, viewer: { ...ada, disabled: false } })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
    expect(await store.add(ada, password)).toMatchObject({ ok: true })
  })

  test('texts with special characters of databases are stored unchanged', async () => {
    const store = await openStore(await createStorage())
    const odd = `a'"\\{},%_$1;--\u{1F600}`
    const viewer = {
      username: odd,
      groups: ['{', 'NULL', '"', "o'brien", '\\'],
      attributes: { 'x"\'\\{}': odd, empty: '' },
    }
    expect(await store.add(viewer, password)).toEqual({ ok: true, viewer: { ...viewer, disabled: false } })
    expect(await listed(store)).toEqual([{ ...viewer, disabled: false }])
    expect(await store.authenticate(odd, password)).toEqual({ ok: true, viewer: expect.objectContaining(viewer) })
  })
}
