import { describe, expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore, ImportedViewer, ListedViewer } from '../../src/users/editable-user-store.ts'

const password = 'correct horse battery'
const ada = { username: 'Ada', groups: ['staff'], attributes: { department: 'R&D' } }
/** Of "U*U", from crypt_blowfish. */
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

/** Opens a store again and again on one place. */
type Open = () => Promise<EditableUserStore>

async function listed(store: EditableUserStore): Promise<ListedViewer[]> {
  const viewers: ListedViewer[] = []
  for await (const viewer of store.list()) viewers.push(viewer)
  return viewers
}

function imported(username: string, told: Partial<ImportedViewer> = {}): ImportedViewer {
  return { username, passwordHash: bcrypt, groups: undefined, disabled: undefined, attributes: {}, ...told }
}

async function openStore(open: Open): Promise<EditableUserStore> {
  const store = await open()
  onTestFinished(() => store.close())
  return store
}

/**
 * What every store that this app looks after itself promises to the command line.
 * @param place makes a place without viewers, and gives what opens it.
 */
export function editableStoreContract(name: string, place: () => Promise<Open>): void {
  // Hashing takes its time on a machine that runs other tests as well.
  describe(`editable store contract: ${name}`, { timeout: 30_000 }, () => {
    changes(place)
    imports(place)
  })
}

function changes(place: () => Promise<Open>): void {
  test('an added viewer is there, in canonical form, and can sign in', async () => {
    const store = await openStore(await place())
    const change = await store.add(
      { username: 'e\u0301mil', groups: ['b', 'b'], attributes: { a: 'e\u0301' } },
      password,
    )
    const emil = { username: 'émil', groups: ['b'], attributes: { a: 'é' }, disabled: false }
    expect(change).toEqual({ ok: true, viewer: emil })
    expect(await store.show('ÉMIL')).toEqual({ ok: true, viewer: emil })
    expect(await store.authenticate('Émil', password)).toMatchObject({ ok: true })
  })

  test('a name that is taken, in whatever case, is refused and nothing of its viewer changes', async () => {
    const store = await openStore(await place())
    await store.add(ada, password)
    expect(await store.add({ username: 'ADA', groups: [], attributes: {} }, 'another heron ladder')).toEqual({
      ok: false,
      fault: 'There is a viewer "Ada" already.',
    })
    expect(await store.authenticate('ada', password)).toEqual({ ok: true, viewer: ada })
  })

  test('of two who add one name at once, exactly one does', async () => {
    const open = await place()
    const [one, other] = [await openStore(open), await openStore(open)]
    const changes = await Promise.all([one.add(ada, password), other.add(ada, 'another heron ladder')])
    expect(changes.map(({ ok }) => ok).sort()).toEqual([false, true])
    expect(await listed(one)).toHaveLength(1)
  })

  test('a name, group, attribute or password that cannot be is refused in a sentence, and nothing is added', async () => {
    const store = await openStore(await place())
    expect(await store.add({ ...ada, username: 'a|b' }, password)).toEqual({
      ok: false,
      fault: 'The user name contains "|", which separates the hashed values.',
    })
    expect(await store.add({ ...ada, groups: [''] }, password)).toMatchObject({ ok: false })
    expect(await store.add({ ...ada, attributes: { username: 'x' } }, password)).toMatchObject({ ok: false })
    expect(await store.add(ada, '12345678')).toMatchObject({ ok: false, fault: expect.stringContaining('most common') })
    expect(await store.add({ ...ada, username: 'lovelace' }, 'lovelace7')).toMatchObject({ ok: false })
    expect(await listed(store)).toEqual([])
  })

  test('viewers are listed by name, disabled ones marked', async () => {
    const store = await openStore(await place())
    for (const username of ['grace', 'Ada', 'émil']) await store.add({ ...ada, username }, password)
    await store.setDisabled('grace', true)
    expect((await listed(store)).map(({ username, disabled }) => [username, disabled])).toEqual([
      ['Ada', false],
      ['grace', true],
      ['émil', false],
    ])
  })

  test('a new password replaces the old one, and a bad one does not', async () => {
    const store = await openStore(await place())
    await store.add(ada, password)
    expect(await store.setPassword('ada', 'short')).toMatchObject({ ok: false })
    expect(await store.setPassword('ADA', 'another heron ladder')).toMatchObject({ ok: true })
    expect(await store.authenticate('ada', 'another heron ladder')).toMatchObject({ ok: true })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
  })

  test('nobody can be changed who is not there', async () => {
    const store = await openStore(await place())
    for (const name of ['nobody', "' OR '1'='1", '\0', '\uD800', 'x'.repeat(100_000)]) {
      const nobody = { ok: false, fault: `There is no viewer ${JSON.stringify(name)}.` }
      expect(await store.show(name)).toEqual(nobody)
      expect(await store.setPassword(name, password)).toEqual(nobody)
      expect(await store.setDisabled(name, true)).toEqual(nobody)
      expect(await store.remove(name)).toEqual(nobody)
    }
  })

  test('a removed viewer is gone and the name free', async () => {
    const store = await openStore(await place())
    await store.add(ada, password)
    expect(await store.remove('ADA')).toEqual({ ok: true, viewer: { ...ada, disabled: false } })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
    expect(await store.add(ada, password)).toMatchObject({ ok: true })
  })

  test('texts that mean something to a database are kept as they are', async () => {
    const store = await openStore(await place())
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

function imports(place: () => Promise<Open>): void {
  test('many viewers come at once, and what became of each is told in order', async () => {
    const store = await openStore(await place())
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

  test('viewers who are there are updated where that is asked for, but for their passwords', async () => {
    const store = await openStore(await place())
    await store.add({ ...ada, attributes: { team: 'a', city: 'London' } }, password)
    const told = imported('ADA', { groups: ['press'], disabled: true, attributes: { team: 'b', city: null } })
    const nobody = imported('grace', { passwordHash: null })
    expect(await store.importBatch([told, nobody], 'update')).toEqual(['updated', 'no-password'])
    expect(await store.importBatch([told, { ...told, passwordHash: null }], 'update')).toEqual([
      'unchanged',
      'unchanged',
    ])
    expect(
      await store.importBatch([imported('ada', { groups: ['x'] }), imported('ada', { groups: ['y'] })], 'update'),
    ).toEqual(['updated', 'updated'])
    expect(await listed(store)).toEqual([{ username: 'Ada', groups: ['y'], attributes: { team: 'b' }, disabled: true }])
    expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
  })

  test('of a batch that cannot be kept nothing is there', async () => {
    const store = await openStore(await place())
    // Not text, as no caller with types would have it.
    const broken = imported('grace', { passwordHash: null, groups: undefined })
    const batch = [imported('ada'), { ...broken, passwordHash: {} as string, username: 'grace\0' }]
    await expect(store.importBatch(batch, 'keep')).rejects.toThrow()
    expect(await listed(store)).toEqual([])
    expect(await store.importBatch([imported('ada')], 'keep')).toEqual(['added'])
  })

  test('of two who bring the same viewers at once, each viewer is added once', async () => {
    const open = await place()
    const [one, other] = [await openStore(open), await openStore(open)]
    const batch = Array.from({ length: 500 }, (_, index) => imported(`viewer-${index}`))
    const outcomes = await Promise.all([
      one.importBatch(batch, 'keep'),
      other.importBatch(batch.toReversed(), 'update'),
    ])
    expect(outcomes.flat().filter((outcome) => outcome === 'added')).toHaveLength(500)
    expect(await listed(one)).toHaveLength(500)
  })

  test('all of many viewers are listed, each once, by name', async () => {
    const store = await openStore(await place())
    const names = Array.from({ length: 2_500 }, (_, index) => `viewer-${String(index).padStart(4, '0')}`)
    await store.importBatch(
      names.toReversed().map((name) => imported(name)),
      'keep',
    )
    expect((await listed(store)).map(({ username }) => username)).toEqual(names)
  })
}
