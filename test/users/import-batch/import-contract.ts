import { hash as bcryptHash } from '@node-rs/bcrypt'
import { describe, expect, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import type { Existing, ImportedViewer } from '../../../src/users/import-batch/import-rules.ts'
import { ada, listed, type Open, openStore, password } from '../editable-store-contract.ts'

/** The hash of "U*U", with low costs. */
const uHash = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A'

function imported(username: string, fields: Partial<ImportedViewer> = {}): ImportedViewer {
  return { username, passwordHash: uHash, groups: undefined, disabled: undefined, attributes: {}, ...fields }
}

/** Imports viewers. A fork without imports has no test that calls this function. */
export function importInto(store: EditableUserStore, viewers: readonly ImportedViewer[], existing: Existing) {
  return store.importBatch(viewers, existing)
}

/** Tests the imports of every store whose viewers this app manages. */
export function importContract(name: string, createStorage: () => Promise<Open>): void {
  describe(`imports into ${name}`, () => {
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

    test('an import stores texts with special characters of databases unchanged', async () => {
      const store = await openStore(await createStorage())
      const odd = `a'"\\{},%_$1;--\u{1F600}`
      const viewer = {
        username: odd,
        groups: ['{', 'NULL', '"', "o'brien", '\\'],
        attributes: { 'x"\'\\{}': odd, empty: '' },
      }
      const { groups, attributes } = viewer
      expect(await store.importBatch([imported(odd, { groups, attributes })], 'keep')).toEqual(['added'])
      expect(await listed(store)).toEqual([{ ...viewer, disabled: false }])
    })

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
      expect(await store.importBatch(batch, 'keep')).toEqual([
        'added',
        'unchanged',
        'no-password',
        'added',
        'unchanged',
      ])
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
      expect(await listed(store)).toEqual([
        { username: 'Ada', groups: ['y'], attributes: { team: 'b' }, disabled: true },
      ])
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
      const one = await openStore(open)
      const other = await openStore(open)
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
  })
}
