import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { rowFault } from '../../../../src/files/list-columns.ts'
import { openRecordFile } from '../../../../src/files/record-file.ts'
import {
  type ImportCounts,
  type ImportDeps,
  type ImportOptions,
  importViewers,
} from '../../../../src/tools/cli/import/import-viewers.ts'
import { type FileRow, type ViewerRow, viewerRows } from '../../../../src/tools/cli/import/viewer-file.ts'
import type { EditableUserStore } from '../../../../src/users/editable-user-store.ts'
import { storedPasswords } from '../../../../src/users/passwords/stored-passwords.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import type { ListedViewer } from '../../../../src/users/viewer-editor.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const password = 'correct horse battery'
/** The hash of "U*U", with low costs. */
const uHash = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A'
const zero = { good: 0, added: 0, updated: 0, unchanged: 0, refused: 0, invited: 0, plaintextPasswords: 0 }

function row(username: string, fields: Partial<ViewerRow> = {}): ViewerRow {
  return {
    username,
    password: undefined,
    passwordHash: undefined,
    groups: undefined,
    disabled: undefined,
    attributes: {},
    ...fields,
  }
}

function fileOf(rows: readonly (ViewerRow | string)[]): FileRow[] {
  return rows.map((one, index) => {
    const place = { line: index + 2, endByte: (index + 1) * 10 }
    return typeof one === 'string'
      ? { ...place, ok: false, fault: rowFault('test', one) }
      : { ...place, ok: true, row: one }
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
    { existing: 'keep', acceptsWeakPasswords: false, contextWords: [], ...options },
    {
      store,
      passwords: storedPasswords,
      invitations: null,
      hashingWidth: 2,
      onRefused: (line, fault) => refusals.push([line, fault.text]),
      onProgress: () => {},
      isStopped: () => false,
      ...deps,
    },
  )
  return { counts, refusals }
}

async function listed(store: EditableUserStore): Promise<ListedViewer[]> {
  const viewers: ListedViewer[] = []
  for await (const { viewer } of store.list()) viewers.push(viewer)
  return viewers
}

test('an import adds viewers with passwords or hashes, groups, state and attributes', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [
    row('Ada', { password, groups: ['staff', 'staff'], attributes: { team: 'e\u0301', phone: null } }),
    row('grace', { passwordHash: uHash, disabled: true }),
  ])
  expect(refusals).toEqual([])
  expect(counts).toEqual({ ...zero, good: 2, added: 2, plaintextPasswords: 1 })
  expect(await store.authenticate('ada', password)).toEqual({
    ok: true,
    viewer: expect.objectContaining({ username: 'Ada', groups: ['staff'], attributes: { team: 'é' } }),
  })
  expect(await store.authenticate('grace', 'U*U')).toEqual({ ok: false, reason: 'disabled' })
})

test('a second import of the same rows changes nothing and hashes nothing', async () => {
  const store = openStore()
  const rows = [row('ada', { password, groups: ['staff'] }), row('grace', { passwordHash: uHash })]
  await run(store, rows)
  const before = await listed(store)
  const passwords = { ...storedPasswords, hash: () => Promise.reject(new Error('a password was hashed again')) }
  const { counts } = await run(store, rows, {}, { passwords })
  expect(counts).toEqual({ ...zero, good: 2, unchanged: 2, plaintextPasswords: 1 })
  expect(await listed(store)).toEqual(before)
})

test('an import changes existing viewers only with the option to update them', async () => {
  const store = openStore()
  await store.add({ username: 'Ada', groups: ['staff'], attributes: { team: 'a', city: 'London' } }, password)
  const changed = row('ADA', { passwordHash: uHash, groups: ['press'], disabled: true, attributes: { team: 'b' } })
  expect((await run(store, [changed])).counts).toMatchObject({ unchanged: 1 })
  expect(await listed(store)).toMatchObject([{ groups: ['staff'], attributes: { team: 'a' }, disabled: false }])
  expect((await run(store, [changed], { existing: 'update' })).counts).toMatchObject({ updated: 1 })
  expect(await listed(store)).toEqual([
    { username: 'Ada', groups: ['press'], attributes: { team: 'b', city: 'London' }, disabled: true },
  ])
  expect((await run(store, [changed], { existing: 'update' })).counts).toMatchObject({ unchanged: 1 })
  expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
})

test('an update removes an attribute that is empty in the file, and keeps what is not in the file', async () => {
  const store = openStore()
  await store.add({ username: 'ada', groups: ['staff'], attributes: { team: 'a', city: 'London' } }, password)
  await run(store, [row('ada', { attributes: { city: null } })], { existing: 'update' })
  expect(await listed(store)).toEqual([
    { username: 'ada', groups: ['staff'], attributes: { team: 'a' }, disabled: false },
  ])
})

test('an invalid row is reported with its line and reason, and the other rows are added', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [
    row('ada', { password }),
    'has 2 cells where the header has 3',
    row('', { password }),
    row('a|b', { password }),
    row('bob', { password, groups: ['a,b'] }),
    row('carol', { password, attributes: { __proto__x: '\0' } }),
    row('dave', { password: '12345678' }),
    row('eve', { password, passwordHash: uHash }),
    row('frank'),
    row('grace', { passwordHash: '5f4dcc3b5aa765d61d8327deb882cf99' }),
    row('heidi', { passwordHash: uHash.replace('m=8,', 'm=4194304000,') }),
    row('ADA', { password: 'another heron ladder' }),
    row('ivan', { passwordHash: uHash }),
  ])
  expect(refusals.sort(([a], [b]) => a - b)).toEqual([
    [3, 'has 2 cells where the header has 3'],
    [4, 'has no user name'],
    [5, expect.stringMatching(/^cannot be imported: The user name .*[^.]$/)],
    [6, expect.stringContaining('group "a,b"')],
    [7, expect.stringContaining('attribute "__proto__x"')],
    [8, expect.stringMatching(/^cannot be imported: The password .*most common.*[^.]$/)],
    [9, 'has both a password and a password hash'],
    [10, 'has neither a password nor a password hash'],
    [11, expect.stringMatching(/password hash.*like MD5/)],
    [12, expect.stringMatching(/password hash.*memory or time/)],
    [13, 'repeats the user name of an earlier line'],
  ])
  expect(counts).toMatchObject({ added: 2, refused: 11 })
  expect((await listed(store)).map(({ username }) => username)).toEqual(['ada', 'ivan'])
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
})

test('a weak password is imported if the options accept it, but never one that cannot be typed', async () => {
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

test('a password with an edge that no spreadsheet shows is named with its row, before any viewer of the batch is added', async () => {
  const edges = [' ', '\t', '\u00a0', '\u200b', '\u2060', '\ufeff']
  const rows = edges.flatMap((edge, index) => [
    row(`first${index}`, { password: `${edge}${password}` }),
    row(`last${index}`, { password: `${password}${edge}` }),
  ])
  const store = openStore()
  const { counts, refusals } = await run(store, [...rows, row('ada', { password })])
  expect([counts.added, counts.refused]).toEqual([1, 12])
  expect(refusals.every(([, fault]) => String(fault).includes('begins or ends with a blank'))).toBe(true)
  const accepted = await run(store, [row('ivan', { password: `${password} ` })], { acceptsWeakPasswords: true })
  expect(accepted.counts.added).toBe(1)
  expect(await store.authenticate('ivan', `${password} `)).toMatchObject({ ok: true })
})

test('an update adds a new viewer only with a password', async () => {
  const store = openStore()
  const { counts, refusals } = await run(store, [row('ada', { passwordHash: uHash }), row('grace')], {
    existing: 'update',
  })
  expect(counts).toMatchObject({ added: 1, refused: 1 })
  expect(refusals).toEqual([[3, 'has no password, and there is no such viewer yet']])
})

test('an import without a store reports the same faults and hashes nothing', async () => {
  const passwords = { ...storedPasswords, hash: () => Promise.reject(new Error('a password was hashed')) }
  const rows = [row('ada', { password }), row('ADA', { password }), row('bob', { password: 'short' })]
  const { counts, refusals } = await run(null, rows, {}, { passwords })
  expect(counts).toEqual({ ...zero, good: 1, refused: 2, plaintextPasswords: 2 })
  expect(refusals.map(([line]) => line)).toEqual([3, 4])
})

test('an import that fails keeps its earlier batches, and the same import then adds the rest', async () => {
  const store = openStore()
  const rows = Array.from({ length: 1000 }, (_, index) => row(`viewer-${index}`, { passwordHash: uHash }))
  let batches = 0
  const failing: ImportDeps['store'] = {
    show: (username) => store.show(username),
    importBatch: (viewers, existing) => {
      batches += 1
      return batches === 3 ? Promise.reject(new Error('the disk is full')) : store.importBatch(viewers, existing)
    },
  }
  await expect(run(failing, rows)).rejects.toThrow('the disk is full')
  const kept = (await listed(store)).length
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(1000)
  expect((await run(store, rows)).counts).toMatchObject({ added: 1000 - kept, unchanged: kept })
  expect(await listed(store)).toHaveLength(1000)
})

test('an import that is stopped ends after its batch', async () => {
  const store = openStore()
  const rows = Array.from({ length: 1000 }, (_, index) => row(`viewer-${index}`, { passwordHash: uHash }))
  const { counts } = await run(store, rows, {}, { isStopped: () => true })
  expect(counts.added).toBeGreaterThan(0)
  expect(counts.added).toBeLessThan(1000)
  expect(await listed(store)).toHaveLength(counts.added)
})

test('the progress of an import counts the rows whose passwords are hashed, not the rows that were read', async () => {
  const lines = ['username,password', ...Array.from({ length: 200 }, (_, index) => `viewer-${index}é,${password}`)]
  const path = join(temporaryFolder(), 'viewers.csv')
  writeFileSync(path, `${lines.join('\r\n')}\r\n`)
  const file = await openRecordFile(path)
  onTestFinished(() => file.close())
  const seen: { bytesDone: number; good: number }[] = []
  const columns = { columnOfField: new Map(), ignored: new Set<string>(), needsPassword: true, featureColumns: [] }
  await importViewers(
    viewerRows(file, columns),
    { existing: 'keep', acceptsWeakPasswords: false, contextWords: [] },
    {
      store: openStore(),
      passwords: { ...storedPasswords, hash: () => Promise.resolve(uHash) },
      invitations: null,
      hashingWidth: 2,
      onRefused: () => {},
      onProgress: (bytesDone, { good }) => seen.push({ bytesDone, good }),
      isStopped: () => false,
    },
  )
  const bytesOf = (rows: number) => Buffer.byteLength(lines.slice(0, rows + 1).join('\r\n'))
  expect(seen.length).toBeGreaterThan(2)
  expect(seen.at(-1)?.good).toBe(200)
  // A record ends before or after its line end.
  for (const { bytesDone, good } of seen) expect(Math.abs(bytesDone - bytesOf(good))).toBeLessThanOrEqual(2)
})
