import { hash as bcryptHash } from '@node-rs/bcrypt'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore, ImportedViewer, ListedViewer } from '../../src/users/editable-user-store.ts'

const password = 'correct horse battery'
const ada = { username: 'Ada', groups: ['staff'], attributes: { department: 'R&D' } }
/** The hash of "U*U", with low costs. */
const uHash = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A'

/** Opens another store on the same storage. */
type Open = () => Promise<EditableUserStore>

async function listed(store: EditableUserStore): Promise<ListedViewer[]> {
  const viewers: ListedViewer[] = []
  for await (const { viewer } of store.list()) viewers.push(viewer)
  return viewers
}

function imported(username: string, fields: Partial<ImportedViewer> = {}): ImportedViewer {
  return { username, passwordHash: uHash, groups: undefined, disabled: undefined, attributes: {}, ...fields }
}

async function openStore(open: Open): Promise<EditableUserStore> {
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
    testImports(createStorage)
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

  test.each([
    ['a wrong end after 72 bytes', `${'p'.repeat(72)}wrong`],
    ['72 bytes and no end', 'p'.repeat(72)],
  ])('a bcrypt hash of 80 bytes is kept after a sign-in with %s', async (_what, typed) => {
    const own = 'p'.repeat(80)
    const store = await openStore(await createStorage())
    await store.importBatch([imported('ada', { passwordHash: await bcryptHash(own, 4) })], 'keep')
    for (const attempt of [typed, own, typed])
      expect(await store.authenticate('ada', attempt)).toMatchObject({ ok: true })
    expect(await store.authenticate('ada', `x${own}`)).toMatchObject({ ok: false })
  })

  test('a name that is taken, in any letter case, is refused, and its viewer does not change', async () => {
    const store = await openStore(await createStorage())
    await store.add(ada, password)
    expect(await store.add({ username: 'ADA', groups: [], attributes: {} }, 'another heron ladder')).toEqual({
      ok: false,
      fault: expect.stringContaining('"Ada"'),
    })
    expect(await store.authenticate('ada', password)).toEqual({ ok: true, viewer: ada })
  })

  test('one of two concurrent additions of the same name succeeds', async () => {
    const open = await createStorage()
    const [one, other] = [await openStore(open), await openStore(open)]
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
      const unknown = { ok: false, fault: expect.stringContaining(JSON.stringify(name)) }
      expect(await store.show(name)).toEqual(unknown)
      expect(await store.setPassword(name, password)).toEqual(unknown)
      expect(await store.setDisabled(name, true)).toEqual(unknown)
      expect(await store.remove(name)).toEqual(unknown)
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
    const [outcome] = await store.importBatch(
      [imported(`${odd}2`, { groups: viewer.groups, attributes: viewer.attributes })],
      'keep',
    )
    expect(outcome).toBe('added')
    expect(await listed(store)).toEqual([
      { ...viewer, disabled: false },
      { ...viewer, username: `${odd}2`, disabled: false },
    ])
    expect(await store.authenticate(odd, password)).toEqual({ ok: true, viewer })
  })
}

function testImports(createStorage: () => Promise<Open>): void {
  test('a batch of viewers returns the outcome of each viewer in order', async () => {
    const store = await openStore(await createStorage())
    await store.add(ada, password)
    const batch = [
      imported('émil', { groups: ['b', 'b'], disabled: true, attributes: { a: 'e\u0301', gone: null } }),
      imported('ADA', { groups: ['press'] }),
      imported('grace', { passwordHash: null }),
      imported('linus'),
      imported('LINUS', { groups: ['late'] }),
    ]
    expect(await store.importBatch(batch, 'keep')).toEqual(['added', 'unchanged', 'no-password', 'added', 'unchanged'])
    expect(await listed(store)).toEqual([
      { ...ada, disabled: false },
      { username: 'linus', groups: [], attributes: {}, disabled: false },
      { username: 'émil', groups: ['b'], attributes: { a: 'é' }, disabled: true },
    ])
    expect(await store.authenticate('linus', 'U*U')).toMatchObject({ ok: true })
    expect(await store.authenticate('Ada', 'U*U')).toMatchObject({ ok: false })
  })

  test('a batch with updates changes existing viewers, but never their passwords', async () => {
    const store = await openStore(await createStorage())
    await store.add({ ...ada, attributes: { team: 'a', city: 'London' } }, password)
    const changed = imported('ADA', { groups: ['press'], disabled: true, attributes: { team: 'b', city: null } })
    const withoutPassword = imported('grace', { passwordHash: null })
    expect(await store.importBatch([changed, withoutPassword], 'update')).toEqual(['updated', 'no-password'])
    expect(await store.importBatch([changed, { ...changed, passwordHash: null }], 'update')).toEqual([
      'unchanged',
      'unchanged',
    ])
    expect(
      await store.importBatch([imported('ada', { groups: ['x'] }), imported('ada', { groups: ['y'] })], 'update'),
    ).toEqual(['updated', 'updated'])
    expect(await listed(store)).toEqual([{ username: 'Ada', groups: ['y'], attributes: { team: 'b' }, disabled: true }])
    expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
  })

  test('a batch that fails adds no viewer', async () => {
    const store = await openStore(await createStorage())
    // The types forbid this hash: the database must refuse the second row.
    const broken = imported('grace', { passwordHash: null, groups: undefined })
    const batch = [imported('ada'), { ...broken, passwordHash: {} as string, username: 'grace\0' }]
    await expect(store.importBatch(batch, 'keep')).rejects.toThrow()
    expect(await listed(store)).toEqual([])
    expect(await store.importBatch([imported('ada')], 'keep')).toEqual(['added'])
  })

  test('two concurrent batches with the same viewers add each viewer once', async () => {
    const open = await createStorage()
    const [one, other] = [await openStore(open), await openStore(open)]
    const batch = Array.from({ length: 500 }, (_, index) => imported(`viewer-${index}`))
    const outcomes = await Promise.all([
      one.importBatch(batch, 'keep'),
      other.importBatch(batch.toReversed(), 'update'),
    ])
    expect(outcomes.flat().filter((outcome) => outcome === 'added')).toHaveLength(500)
    expect(await listed(one)).toHaveLength(500)
  })

  test('a list of 2,500 viewers has each viewer once, sorted by name', async () => {
    const store = await openStore(await createStorage())
    const names = Array.from({ length: 2_500 }, (_, index) => `viewer-${String(index).padStart(4, '0')}`)
    await store.importBatch(
      names.toReversed().map((name) => imported(name)),
      'keep',
    )
    expect((await listed(store)).map(({ username }) => username)).toEqual(names)
  })
}
