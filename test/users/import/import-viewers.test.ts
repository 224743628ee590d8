import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore, ListedViewer } from '../../../src/users/editable-user-store.ts'
import {
  type ImportCounts,
  type ImportDeps,
  type ImportOptions,
  importViewers,
} from '../../../src/users/import/import-viewers.ts'
import type { FileRow, ViewerRow } from '../../../src/users/import/viewer-file.ts'
import { knownPasswords } from '../../../src/users/passwords/known-hashes.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const password = 'correct horse battery'
/** Of "U*U", from crypt_blowfish. */
const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const nothing = { good: 0, added: 0, updated: 0, unchanged: 0, refused: 0, plaintextPasswords: 0 }

function row(username: string, told: Partial<ViewerRow> = {}): ViewerRow {
  return {
    username,
    password: undefined,
    passwordHash: undefined,
    groups: undefined,
    disabled: undefined,
    attributes: {},
    ...told,
  }
}

function fileOf(rows: readonly (ViewerRow | string)[]): FileRow[] {
  return rows.map((one, index) => {
    const place = { line: index + 2, bytesRead: (index + 1) * 10 }
    return typeof one === 'string' ? { ...place, ok: false, fault: one } : { ...place, ok: true, row: one }
  })
}

function openStore(): EditableUserStore {
  const store = openEditableSqliteStore(join(temporaryFolder(), 'viewers.db'))
  onTestFinished(() => store.close())
  return store
}

async function run(
  store: ImportDeps['store'],
  rows: readonly (ViewerRow | string)[],
  options: Partial<ImportOptions> = {},
  deps: Partial<ImportDeps> = {},
): Promise<{ counts: ImportCounts; refusals: [number, string][] }> {
  const refusals: [number, string][] = []
  const counts = await importViewers(
    Readable.from([fileOf(rows)]),
    { existing: 'keep', acceptsWeakPasswords: false, ...options },
    {
      store,
      passwords: knownPasswords,
      hashingWidth: 2,
      onRefused: (line, fault) => refusals.push([line, fault]),
      onProgress: () => {},
      isStopped: () => false,
      ...deps,
    },
  )
  return { counts, refusals }
}

async function listed(store: EditableUserStore): Promise<ListedViewer[]> {
  const viewers: ListedViewer[] = []
  for await (const viewer of store.list()) viewers.push(viewer)
  return viewers
}

test('viewers come with passwords or hashes, groups, state and attributes, and can sign in', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [
    row('Ada', { password, groups: ['staff', 'staff'], attributes: { team: 'e\u0301', phone: null } }),
    row('grace', { passwordHash: bcrypt, disabled: true }),
  ])
  expect(refusals).toEqual([])
  expect(counts).toEqual({ ...nothing, good: 2, added: 2, plaintextPasswords: 1 })
  expect(await store.authenticate('ada', password)).toEqual({
    ok: true,
    viewer: { username: 'Ada', groups: ['staff'], attributes: { team: 'é' } },
  })
  expect(await store.authenticate('grace', 'U*U')).toEqual({ ok: false, reason: 'disabled' })
})

test('a second run changes nothing and hashes nothing', async () => {
  const store = openStore()
  const rows = [row('ada', { password, groups: ['staff'] }), row('grace', { passwordHash: bcrypt })]
  await run(store, rows)
  const before = await listed(store)
  const passwords = { ...knownPasswords, hash: () => Promise.reject(new Error('a password was hashed again')) }
  const { counts } = await run(store, rows, {}, { passwords })
  expect(counts).toEqual({ ...nothing, good: 2, unchanged: 2, plaintextPasswords: 1 })
  expect(await listed(store)).toEqual(before)
})

test('viewers who are there already keep all they have, unless told to be updated', async () => {
  const store = openStore()
  await store.add({ username: 'Ada', groups: ['staff'], attributes: { team: 'a', city: 'London' } }, password)
  const told = row('ADA', { passwordHash: bcrypt, groups: ['press'], disabled: true, attributes: { team: 'b' } })
  expect((await run(store, [told])).counts).toMatchObject({ unchanged: 1 })
  expect(await listed(store)).toMatchObject([{ groups: ['staff'], attributes: { team: 'a' }, disabled: false }])
  expect((await run(store, [told], { existing: 'update' })).counts).toMatchObject({ updated: 1 })
  expect(await listed(store)).toEqual([
    { username: 'Ada', groups: ['press'], attributes: { team: 'b', city: 'London' }, disabled: true },
  ])
  expect((await run(store, [told], { existing: 'update' })).counts).toMatchObject({ unchanged: 1 })
  expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
})

test('an update takes away an attribute that is told to be empty, and leaves what the file does not speak of', async () => {
  const store = openStore()
  await store.add({ username: 'ada', groups: ['staff'], attributes: { team: 'a', city: 'London' } }, password)
  await run(store, [row('ada', { attributes: { city: null } })], { existing: 'update' })
  expect(await listed(store)).toEqual([
    { username: 'ada', groups: ['staff'], attributes: { team: 'a' }, disabled: false },
  ])
})

test('each row that cannot be taken is told by its line and reason, and the others are added', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [
    row('ada', { password }),
    'has 2 cells where the header has 3',
    row('', { password }),
    row('a|b', { password }),
    row('bob', { password, groups: ['a,b'] }),
    row('carol', { password, attributes: { __proto__x: '\0' } }),
    row('dave', { password: '12345678' }),
    row('eve', { password, passwordHash: bcrypt }),
    row('frank'),
    row('grace', { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99' }),
    row('heidi', { passwordHash: '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }),
    row('ADA', { password: 'another heron ladder' }),
    row('ivan', { passwordHash: bcrypt }),
  ])
  expect(refusals.sort(([a], [b]) => a - b)).toEqual([
    [3, 'has 2 cells where the header has 3'],
    [4, 'has no user name'],
    [5, 'cannot be imported: The user name contains "|", which separates the hashed values'],
    [6, 'cannot be imported: The group "a,b" contains a comma, which separates groups in the settings'],
    [7, 'cannot be imported: The value of the attribute "__proto__x" contains a control character'],
    [8, 'cannot be imported: The password is among the 10,000 most common ones, which are tried first'],
    [9, 'has both a password and a password hash'],
    [10, 'has neither a password nor a password hash'],
    [11, 'has a password hash that is of no known form'],
    [12, 'has a password hash that needs more memory or time than one sign-in may use'],
    [13, 'repeats the user name of an earlier line'],
  ])
  expect(counts).toMatchObject({ added: 2, refused: 11 })
  expect((await listed(store)).map(({ username }) => username)).toEqual(['ada', 'ivan'])
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
})

test('a weak password is taken where it is asked for, but not one that nobody could type', async () => {
  const store = openStore()
  const { counts, refusals } = await run(
    store,
    [row('ada', { password: '12345678' }), row('grace', { password: 'x' }), row('linus', { password: 'a\0b' })],
    { acceptsWeakPasswords: true },
  )
  expect(counts).toMatchObject({ added: 2, refused: 1 })
  expect(refusals).toMatchObject([[4, expect.stringContaining('line break or NUL')]])
  expect(await store.authenticate('grace', 'x')).toMatchObject({ ok: true })
})

test('an update adds a viewer who is not there only with a password', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [row('ada', { passwordHash: bcrypt }), row('grace')], {
    existing: 'update',
  })
  expect(counts).toMatchObject({ added: 1, refused: 1 })
  expect(refusals).toEqual([[3, 'has no password, and there is no such viewer yet']])
})

test('a check without a store finds the same faults and hashes nothing', async () => {
  const passwords = { ...knownPasswords, hash: () => Promise.reject(new Error('a password was hashed')) }
  const rows = [row('ada', { password }), row('ADA', { password }), row('bob', { password: 'short' })]
  const { counts, refusals } = await run(null, rows, {}, { passwords })
  expect(counts).toEqual({ ...nothing, good: 1, refused: 2, plaintextPasswords: 2 })
  expect(refusals.map(([line]) => line)).toEqual([3, 4])
})

test('a transaction is a batch: what fails in the middle leaves the batches before, and begun again goes on', async () => {
  const store = openStore()
  const rows = Array.from({ length: 1000 }, (_, index) => row(`viewer-${index}`, { passwordHash: bcrypt }))
  let batches = 0
  const failing: ImportDeps['store'] = {
    show: (username) => store.show(username),
    importBatch: (viewers, existing) => {
      batches += 1
      return batches === 3 ? Promise.reject(new Error('the disk is full')) : store.importBatch(viewers, existing)
    },
  }
  await expect(run(failing, rows)).rejects.toThrow('the disk is full')
  const there = (await listed(store)).length
  expect(there).toBeGreaterThan(0)
  expect(there).toBeLessThan(1000)
  expect((await run(store, rows)).counts).toMatchObject({ added: 1000 - there, unchanged: there })
  expect(await listed(store)).toHaveLength(1000)
})

test('of a batch that the database refuses nothing is there', async () => {
  const store = openStore()
  const imported = { username: 'ada', passwordHash: bcrypt, groups: [], disabled: false, attributes: {} }
  // Not text, as no caller with types would have it: SQLite refuses the second row.
  const broken = { ...imported, username: 'grace', passwordHash: {} as string }
  await expect(store.importBatch([imported, broken], 'keep')).rejects.toThrow()
  expect(await listed(store)).toEqual([])
  expect(await store.importBatch([imported], 'keep')).toEqual(['added'])
})

test('it stops after the batch in which it was told to', async () => {
  const store = openStore()
  const rows = Array.from({ length: 1000 }, (_, index) => row(`viewer-${index}`, { passwordHash: bcrypt }))
  const { counts } = await run(store, rows, {}, { isStopped: () => true })
  expect(counts.added).toBeGreaterThan(0)
  expect(counts.added).toBeLessThan(1000)
  expect(await listed(store)).toHaveLength(counts.added)
})

test('the progress tells how much was read and what became of it', async () => {
  const seen: [number, number][] = []
  const rows = Array.from({ length: 600 }, (_, index) => row(`viewer-${index}`, { passwordHash: bcrypt }))
  await run(openStore(), rows, {}, { onProgress: (bytesRead, { added }) => seen.push([bytesRead, added]) })
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.at(-1)).toEqual([6000, 600])
})
