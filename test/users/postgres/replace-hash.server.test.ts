import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { argon2Passwords } from '../../../src/users/passwords/argon2.ts'
import { openPostgresStore } from '../../../src/users/postgres/store.ts'
import { type PostgresServer, startPostgres } from '../../servers/postgres.ts'
import { settingsOf } from './fixture.ts'

const GOOD = 'SELECT name AS username, hash AS password_hash FROM account WHERE name = $1'
const wrong = { ok: false, reason: 'wrong-credentials' }

let server: PostgresServer
let database: string
let url: string
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(async () => {
  database = await server.createDatabase()
  url = server.url({ database })
  await sql(`CREATE TABLE account (name text UNIQUE, hash text); INSERT INTO account VALUES ('ada', '')`)
})

function sql(text: string, values: readonly unknown[] = []) {
  return server.query(text, values, database)
}

describe("a foreign hash in a customer's own table", () => {
  /** The hash of "U*U", from crypt_blowfish. */
  const bcrypt = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
  const hashOfAda = async () => (await sql(`SELECT hash FROM account WHERE name = 'ada'`)).rows[0]?.hash
  beforeEach(() => sql('UPDATE account SET hash = $1', [bcrypt]))

  test('a foreign hash stays in a table without POSTGRES_REPLACE_HASH_QUERY', async () => {
    const store = await openPostgresStore(settingsOf(url, { POSTGRES_QUERY: GOOD }))
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(await hashOfAda()).toBe(bcrypt)
    await store.close()
  })

  test('POSTGRES_REPLACE_HASH_QUERY replaces a foreign hash by argon2id at a sign-in, with the grants of the README', async () => {
    const { user, password: secret } = await server.createRole()
    await sql(`GRANT SELECT (name, hash) ON account TO ${user}; GRANT UPDATE (hash) ON account TO ${user}`)
    const POSTGRES_REPLACE_HASH_QUERY = 'UPDATE account SET hash = $3 WHERE name = $1 AND hash = $2'
    const settings = settingsOf(server.url({ database, user, password: secret }), {
      POSTGRES_QUERY: GOOD,
      POSTGRES_REPLACE_HASH_QUERY,
    })
    const store = await openPostgresStore(settings)
    expect(await store.authenticate('ada', 'wrong')).toEqual(wrong)
    expect(await hashOfAda()).toBe(bcrypt)
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    const renewed = await hashOfAda()
    expect(renewed).toMatch(/^\$argon2id\$/)
    expect(await argon2Passwords.verify(renewed, 'U*U')).toBe(true)
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(await hashOfAda()).toBe(renewed)
    await store.close()
  })

  test('a replacement that would change the hashes of other viewers is undone, and the operator is warned', async () => {
    await sql("INSERT INTO account VALUES ('eve', 'hash of eve')")
    const warnings: string[] = []
    const settings = settingsOf(url, {
      POSTGRES_QUERY: GOOD,
      POSTGRES_REPLACE_HASH_QUERY: 'UPDATE account SET hash = $3 WHERE name = $1 OR $2::text IS NOT NULL',
    })
    const store = await openPostgresStore(settings, {
      warn: (message, cause) => warnings.push(`${message} ${cause instanceof Error ? cause.message : ''}`),
    })
    for (let times = 0; times < 6; times += 1)
      expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(warnings).toHaveLength(6)
    expect(warnings[0]).toContain('POSTGRES_REPLACE_HASH_QUERY changed 2 rows')
    const hashes = await sql('SELECT name, hash FROM account ORDER BY name')
    expect(hashes.rows).toEqual([
      { name: 'ada', hash: bcrypt },
      { name: 'eve', hash: 'hash of eve' },
    ])
    await store.close()
  })
})
