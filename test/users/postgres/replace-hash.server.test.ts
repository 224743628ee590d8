import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { argon2Passwords } from '../../../src/users/passwords/argon2.ts'
import { openPostgresStore } from '../../../src/users/postgres/store.ts'
import { verify } from '../passwords/hash-reading.ts'
import { settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

const GOOD = 'SELECT name AS username, hash AS password_hash FROM account WHERE name = $1'
/** The hash of "U*U", from crypt_blowfish. */
const BCRYPT = '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
const WRONG = { ok: false, reason: 'wrong-credentials' }

let server: PostgresServer
let database: string
let url: string
beforeAll(async () => {
  server = await startPostgres()
  database = await server.createDatabase()
  url = server.url({ database })
})
afterAll(() => server.stop())
beforeEach(async () => {
  await sql(
    `DROP TABLE IF EXISTS account; CREATE TABLE account (name text UNIQUE, hash text);
     INSERT INTO account VALUES ('ada', '')`,
  )
})

function sql(text: string, values: readonly unknown[] = []) {
  return server.query(text, values, database)
}

describe("a foreign hash in a customer's own table", () => {
  const hashOfAda = async () => (await sql(`SELECT hash FROM account WHERE name = 'ada'`)).rows[0]?.hash
  beforeEach(() => sql('UPDATE account SET hash = $1', [BCRYPT]))

  test('a foreign hash stays in a table without POSTGRES_REPLACE_HASH_QUERY', async () => {
    const store = await openPostgresStore(settingsOf(url, { POSTGRES_QUERY: GOOD }))
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(await hashOfAda()).toBe(BCRYPT)
    await store.close()
  })

  test('POSTGRES_REPLACE_HASH_QUERY replaces a foreign hash at a sign-in, with the grants of the README', async () => {
    const { user, password: secret } = await server.createRole()
    await sql(`GRANT SELECT (name, hash) ON account TO ${user}; GRANT UPDATE (hash) ON account TO ${user}`)
    const POSTGRES_REPLACE_HASH_QUERY = 'UPDATE account SET hash = $3 WHERE name = $1 AND hash = $2'
    const settings = settingsOf(server.url({ database, user, password: secret }), {
      POSTGRES_QUERY: GOOD,
      POSTGRES_REPLACE_HASH_QUERY,
    })
    const store = await openPostgresStore(settings)
    expect(await store.authenticate('ada', 'wrong')).toEqual(WRONG)
    expect(await hashOfAda()).toBe(BCRYPT)
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    const renewed = await hashOfAda()
    expect(renewed).toMatch(/^\$argon2id\$/)
    expect(await verify(argon2Passwords, renewed, 'U*U')).toBe(true)
    expect(await store.authenticate('ada', 'U*U')).toMatchObject({ ok: true })
    expect(await hashOfAda()).toBe(renewed)
    await store.close()
  })

  test('a replacement that would change hashes of other viewers is undone, and the operator is warned', async () => {
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
      { name: 'ada', hash: BCRYPT },
      { name: 'eve', hash: 'hash of eve' },
    ])
    await store.close()
  })
})

test('the queries and grants of the README work for the table that it describes', async () => {
  const readme = readFileSync(new URL('../../../src/users/postgres/README.md', import.meta.url), 'utf8')
  const blocks = (language: string) =>
    readme
      .split(`\`\`\`${language}\n`)
      .slice(1)
      .map((text) => text.split('```')[0] ?? '')
  const { POSTGRES_QUERY, POSTGRES_REPLACE_HASH_QUERY } = parseEnv(blocks('ini').join('\n'))
  const role = await server.createRole()
  await sql(`DROP TABLE account;
             CREATE TABLE account (email text, password text, status text, plan text[], customer_no int);
             INSERT INTO account VALUES ('ada@example.com', '${BCRYPT}', 'active', '{gold}', 7)`)
  for (const grant of blocks('sql').filter((text) => text.includes('account'))) {
    await sql(grant.replace('login_app', role.user))
  }
  const settings = settingsOf(server.url({ database, ...role }), { POSTGRES_QUERY, POSTGRES_REPLACE_HASH_QUERY })
  const store = await openPostgresStore(settings)
  const viewer = { username: 'ada@example.com', groups: ['gold'], attributes: { customer_no: '7' } }
  expect(await store.authenticate('Ada@Example.com', 'U*U')).toMatchObject({ ok: true, viewer })
  expect((await sql('SELECT password FROM account')).rows[0]?.password).toMatch(/^\$argon2id\$/)
  await store.close()
})
