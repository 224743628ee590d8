import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash } from '@node-rs/argon2'
import { expect, onTestFinished, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../src/errors.ts'
import { createQueue } from '../../../src/server/work-queue.ts'
import type { PasswordHashing, UsableHash } from '../../../src/users/passwords/argon2.ts'
import { storedPasswords } from '../../../src/users/passwords/stored-passwords.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../../src/users/sqlite/store.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const password = 'correct horse battery'
const ada = { username: 'Ada', groups: ['staff'], attributes: { department: 'R&D' } }

/** Creates a file with Ada, and opens stores on it. */
async function storeWithAda(options: SqliteStoreOptions = {}) {
  const file = join(temporaryFolder(), 'viewers.db')
  const editable = openEditableSqliteStore(file)
  expect(await editable.add(ada, password)).toMatchObject({ ok: true })
  const warnings: string[] = []
  const store = openSqliteStore(file, { warn: (message) => warnings.push(message), ...options })
  onTestFinished(async () => {
    await store.close()
    await editable.close()
  })
  const raw = new DatabaseSync(file)
  onTestFinished(() => raw.close())
  return { file, editable, store, raw, warnings }
}

function countingPasswords({ hash = storedPasswords.hash, ...changes }: Partial<PasswordHashing & UsableHash> = {}) {
  const verified: string[] = []
  const passwords: PasswordHashing = {
    ...storedPasswords,
    hash,
    read: (passwordHash) => {
      const reading = storedPasswords.read(passwordHash)
      if (!reading.ok) return reading
      const verify = (text: string) => {
        verified.push(passwordHash)
        return reading.verify(text)
      }
      return { ...reading, verify, ...changes }
    },
  }
  return { passwords, verified }
}

function storedHash(raw: DatabaseSync): string {
  return String(raw.prepare(`SELECT password_hash FROM viewers WHERE key = 'ada'`).get()?.password_hash)
}

test.each([
  ['a known name and a wrong password', 'ada', 'wrong'],
  ['an unknown name', 'nobody', password],
  ['an empty name', '', password],
  ['a name with NUL', 'ada\0', password],
  ['a name of 100 kB', 'a'.repeat(100_000), password],
])('a sign-in with %s verifies exactly one hash, of the usual cost', async (_what, username, typed) => {
  const { passwords, verified } = countingPasswords()
  const { store } = await storeWithAda({ passwords })
  await store.authenticate(username, typed)
  expect(verified).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)])
})

test('a sign-in with an unknown name verifies the hash of a viewer, so that it takes the same time', async () => {
  const { passwords, verified } = countingPasswords()
  const { store, raw } = await storeWithAda({ passwords })
  const cheap = await hash(password, { memoryCost: 4096, timeCost: 1 })
  raw.prepare('UPDATE viewers SET password_hash = ?').run(cheap)
  for (const name of ['aaa', 'zzz', '', 'zzz\0']) await store.authenticate(name, password)
  expect(verified).toEqual([cheap, cheap, cheap, cheap])
})

test('the password of the viewer whose hash is verified for an unknown name is refused and not rehashed', async () => {
  const { store, raw } = await storeWithAda()
  const cheap = await hash(password, { memoryCost: 4096, timeCost: 1 })
  raw.prepare('UPDATE viewers SET password_hash = ?').run(cheap)
  expect(await store.authenticate('nobody', password)).toEqual({ ok: false, reason: 'wrong-credentials' })
  expect(storedHash(raw)).toBe(cheap)
})

test('an empty store verifies the dummy hash for an unknown name', async () => {
  const { passwords, verified } = countingPasswords()
  const { store, raw } = await storeWithAda({ passwords })
  raw.exec('DELETE FROM viewers')
  expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'wrong-credentials' })
  expect(verified).toEqual([passwords.dummyHash])
})

test('a hash of lower cost is renewed only at a sign-in with the right password', async () => {
  const { store, raw } = await storeWithAda()
  const cheap = await hash(password, { memoryCost: 4096, timeCost: 1 })
  raw.prepare('UPDATE viewers SET password_hash = ?').run(cheap)
  await store.authenticate('ada', 'wrong')
  expect(storedHash(raw)).toBe(cheap)
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true, viewer: ada })
  const renewed = storedHash(raw)
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true, viewer: ada })
  expect(storedHash(raw)).toBe(renewed)
})

test('a password that is set while the old hash is being renewed is kept', async () => {
  const renewing = Promise.withResolvers<void>()
  const set = Promise.withResolvers<void>()
  const { passwords } = countingPasswords({
    hash: async (text) => {
      renewing.resolve()
      await set.promise
      return await storedPasswords.hash(text)
    },
  })
  const { store, editable, raw } = await storeWithAda({ passwords })
  raw.prepare('UPDATE viewers SET password_hash = ?').run(await hash(password, { memoryCost: 4096, timeCost: 1 }))
  const signIn = store.authenticate('ada', password)
  await renewing.promise
  expect(await editable.setPassword('ada', 'another heron ladder')).toMatchObject({ ok: true })
  set.resolve()
  expect(await signIn).toMatchObject({ ok: true })
  expect(await store.authenticate('ada', 'another heron ladder')).toMatchObject({ ok: true })
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
})

test('a viewer whose hash cannot be renewed still signs in, and the operator is warned', async () => {
  const { store, raw, warnings } = await storeWithAda()
  const cheap = await hash(password, { memoryCost: 4096, timeCost: 1 })
  raw.prepare('UPDATE viewers SET password_hash = ?').run(cheap)
  raw.exec('BEGIN IMMEDIATE')
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true, viewer: ada })
  raw.exec('ROLLBACK')
  expect(storedHash(raw)).toBe(cheap)
  expect(warnings).toEqual([expect.stringContaining('hash of "Ada" could not be renewed')])
})

test.each([
  ['of unknown form', 'plain text'],
  ['that needs too much memory', '$argon2id$v=19$m=4194304000,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8'],
])(
  'a stored hash %s counts as a wrong password in the same time, and the operator is warned',
  async (_what, stored) => {
    const { passwords, verified } = countingPasswords()
    const { store, raw, warnings } = await storeWithAda({ passwords })
    raw.prepare('UPDATE viewers SET password_hash = ?').run(stored)
    expect(await store.authenticate('ada', stored)).toEqual({ ok: false, reason: 'wrong-credentials' })
    expect(verified).toEqual([storedPasswords.dummyHash])
    expect(warnings).toEqual([
      expect.stringMatching(/^The password hash of "Ada" .*: set a new password for this viewer\.$/),
    ])
  },
)

test('a full queue refuses a sign-in at once, and the renewal of a hash takes no second place', async () => {
  const held = Promise.withResolvers<void>()
  const { passwords } = countingPasswords({
    verify: async () => {
      await held.promise
      return true
    },
    needsRehash: () => true,
  })
  const { store } = await storeWithAda({ passwords, queue: createQueue({ width: 1, queueLength: 1 }) })
  const first = store.authenticate('ada', password)
  const second = store.authenticate('ada', password)
  await expect(store.authenticate('ada', password)).rejects.toThrow(OverloadedError)
  held.resolve()
  expect(await first).toMatchObject({ ok: true })
  expect(await second).toMatchObject({ ok: true })
})

test('a change by the command line takes effect in the running app at once', async () => {
  const { store, editable } = await storeWithAda()
  expect(await store.find?.('ada')).toMatchObject(ada)
  await editable.setDisabled('ADA', true)
  expect(await store.find?.('ada')).toBeNull()
  expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
  await editable.setDisabled('ada', false)
  await editable.setPassword('ada', 'another heron ladder')
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: false })
  expect(await store.authenticate('ada', 'another heron ladder')).toMatchObject({ ok: true })
  await editable.remove('ada')
  expect(await store.find?.('ada')).toBeNull()
})

test('a database that fails while the app runs gives an UpstreamError with its cause', async () => {
  const { store, raw } = await storeWithAda()
  raw.exec('DROP TABLE viewers')
  const asked: Promise<unknown>[] = [store.authenticate('ada', password), store.checkHealth()]
  if (store.find) asked.push(store.find('ada'))
  for (const answer of asked) {
    const error: unknown = await answer.then(undefined, (reason: unknown) => reason)
    expect(error).toBeInstanceOf(UpstreamError)
    expect(error).toMatchObject({
      upstream: 'user-store',
      cause: expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }),
    })
  }
})

test('a damaged row gives an UpstreamError', async () => {
  const { store, raw } = await storeWithAda()
  raw.exec(`UPDATE viewers SET group_names = '[1]'`)
  await expect(store.find?.('ada')).rejects.toThrow('is damaged')
})

test('the database file and its log files can be read only by the user of the app', async () => {
  const { file } = await storeWithAda()
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o077).toBe(0)
})
