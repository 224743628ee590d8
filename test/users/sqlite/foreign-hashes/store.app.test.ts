import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const ada = { username: 'Ada', groups: ['staff'], attributes: { department: 'R&D' } }

// Each was made by its own tool; test/users/passwords/foreign-hashes/forms.app.test.ts names the tools.
test.each([
  ['bcrypt', 'U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['SHA-crypt', 'pässword ☃', '$5$saltstring$ErD9yViqc7noxIlEHAN2D4KmgBA1xS4Har/tCqJD8gB'],
  ['bcrypt of LDAP', 'correct horse', '{CRYPT}$2b$05$GEHCTWlE2vKhlIcRXosyvuNquP4RCTTREjmFfnLbVTYg5vwVOzgga'],
  ['MD5-crypt', 'pässword ☃', '$apr1$abcdefgh$pPk2/jLCWJf0tbErXF9Xz/'],
  ['Werkzeug', 'pässword ☃', 'pbkdf2:sha1:1000$h6BKdi7A$83e321dcfef86d3b975990fd8c746fc9ac5959a1'],
  ['ASP.NET Identity', 'my password', 'AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw'],
])(
  'a hash of %s is replaced by argon2id at the first sign-in with the right password',
  async (_form, right, foreign) => {
    const file = join(temporaryFolder(), 'viewers.db')
    const store = openEditableSqliteStore(file)
    const raw = new DatabaseSync(file)
    onTestFinished(() => {
      raw.close()
      return store.close()
    })
    const storedHash = () => raw.prepare('SELECT password_hash FROM viewers').get()?.password_hash
    await store.importBatch([{ ...ada, passwordHash: foreign, disabled: false }], 'keep')
    expect(await store.authenticate('ada', `${right}!`)).toEqual({ ok: false, reason: 'wrong-credentials' })
    expect(storedHash()).toBe(foreign)
    const first = await Promise.all([store.authenticate('ada', right), store.authenticate('ada', right)])
    expect(first[0]).toMatchObject({ ok: true, viewer: ada })
    // Both replace the hash, and one is faster: a session of the other one must last too.
    const viewer = await store.find?.('ada')
    expect(first).toEqual([0, 1].map(() => ({ ok: true, viewer })))
    expect(storedHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await store.authenticate('ada', right)).toMatchObject({ ok: true, viewer: ada })
  },
)
