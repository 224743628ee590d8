import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { openPostgresStore } from '../../../src/users/postgres/store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { password, quickPasswords } from '../sign-in-run.ts'
import { openQuickStore, settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

const HASH = `quick:${password}`
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
  await sql(`DROP SCHEMA public CASCADE;
             CREATE SCHEMA public;
             GRANT USAGE ON SCHEMA public TO PUBLIC;
             CREATE TABLE account (name text UNIQUE, hash text, number int, blocked boolean);
             INSERT INTO account VALUES ('ada', '${HASH}', 7, false)`)
})

function sql(text: string, values: readonly unknown[] = []) {
  return server.query(text, values, database)
}

function open(POSTGRES_QUERY: string, more: Record<string, string> = {}, warnings: string[] = []): Promise<UserStore> {
  return openQuickStore(url, { POSTGRES_QUERY, ...more }, { warn: (message) => warnings.push(message) })
}

async function refusal(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => {
      throw new Error('Nothing was refused')
    },
    (error: Error) => error,
  )
}

const GOOD = 'SELECT name AS username, hash AS password_hash FROM account WHERE name = $1'

describe('a query that cannot work', () => {
  test.each([
    ['a syntax error', 'SELEC $1', /syntax error at or near/],
    ['an unknown table', GOOD.replace('account', 'acount'), /: relation "acount" does not exist\.$/],
    ['an unknown column', GOOD.replace('hash AS', 'pass AS'), /: column "pass" does not exist\.$/],
    ['two statements', `${GOOD}; DELETE FROM account`, /: syntax error at or near ";"\.$/],
    ['an UPDATE', "UPDATE account SET hash = '' WHERE name = $1 RETURNING name, hash", /syntax error/],
    [
      'a function that changes rows',
      `SELECT set_hash($1) AS username, '' AS password_hash`,
      /read-only transaction\.$/,
    ],
    ['a parameter in a comment', GOOD.replace('WHERE', '-- WHERE'), /bind message supplies 1 parameters/],
    ['a second parameter', `${GOOD} AND hash = $2`, /bind message supplies 1 parameters/],
    ['a row for NULL', GOOD.replace('name = $1', `$1::text IS NULL OR name = $1`), /when the user name is NULL/],
    ['no column username', GOOD.replace('name AS username,', ''), /must return a column named username/],
    ['no column password_hash', GOOD.replace('hash AS password_hash', 'hash'), /a column named password_hash/],
    ['one column twice', GOOD.replace(' FROM', ', number, number FROM'), /two columns named "number"/],
    [
      'a column disabled that is not a boolean',
      GOOD.replace(' FROM', ', number AS disabled FROM'),
      /a column "disabled" that is not a boolean/,
    ],
    [
      'an attribute that no setting can name',
      GOOD.replace(' FROM', ', number AS "a=b" FROM'),
      /returns a column "a=b"/,
    ],
  ])('a query with %s is refused at the start', async (_what, query, words) => {
    await sql(
      `CREATE FUNCTION set_hash(text) RETURNS text LANGUAGE sql AS $$ UPDATE account SET hash = '' RETURNING name $$`,
    )
    const error = await refusal(open(query))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toMatch(/POSTGRES_QUERY[ :]/)
    expect(error.message).toMatch(words)
    expect((await sql('SELECT hash FROM account')).rows).toEqual([{ hash: HASH }])
  })

  test.each([
    [
      'UPDATE account SET hash = $3 WHERE name = $1 -- AND hash = $2',
      /bind message supplies 3 parameters|could not determine/,
    ],
    ["UPDATE account SET hash = $3 WHERE name = $1 OR hash <> coalesce($2, '')", /when the user name is NULL/],
    ['UPDATE acount SET hash = $3 WHERE name = $1 AND hash = $2', /relation "acount" does not exist/],
  ])('a query that cannot replace one hash is refused at the start: %s', async (query, words) => {
    const error = await refusal(open(GOOD, { POSTGRES_REPLACE_HASH_QUERY: query }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toMatch(words)
    expect((await sql('SELECT hash FROM account')).rows).toEqual([{ hash: HASH }])
  })

  test('a role that may not read the table is told to GRANT it', async () => {
    const role = await server.createRole()
    const error = await refusal(openQuickStore(server.url({ database, ...role }), { POSTGRES_QUERY: GOOD }))
    expect(error.message).toMatch(/POSTGRES_QUERY: permission denied for table account\. GRANT it/)
  })
})

describe('what a query returns', () => {
  test('the row of a query becomes the viewer, with every other column as an attribute', async () => {
    const store = await open(`
      SELECT name AS username, hash AS password_hash, false AS disabled, ARRAY['staff', ' press ', NULL, ''] AS groups,
             number, 1.50::numeric AS price, true AS member, date '2026-11-20' AS since, ARRAY[1, 2] AS seats,
             NULL::text AS nothing, '' AS empty, 'ab'::char(5) AS padded, 'e' || U&'\\0301' AS accent
      FROM account WHERE name = $1`)
    const attributes = {
      number: '7',
      price: '1.50',
      member: 'true',
      since: '2026-11-20',
      seats: '1,2',
      empty: '',
      padded: 'ab',
      accent: 'é',
    }
    const viewer = { username: 'ada', groups: ['staff', 'press'], attributes }
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true, viewer })
    expect(await store.find?.('ada')).toMatchObject(viewer)
  })

  test('groups can be a text with commas, or NULL', async () => {
    const store = await open(
      GOOD.replace(' FROM', `, CASE number WHEN 7 THEN 'staff, night shift,,staff' END AS groups FROM`),
    )
    expect(await store.find?.('ada')).toMatchObject({ groups: ['staff', 'night shift'] })
    await sql('UPDATE account SET number = 8')
    expect(await store.find?.('ada')).toMatchObject({ groups: [] })
  })

  test('values keep the text of PostgreSQL where JavaScript or JSON would change them', async () => {
    await sql("CREATE TYPE role AS ENUM ('staff', 'vip')")
    const store = await open(
      GOOD.replace(
        ' FROM',
        `, 9007199254740993::bigint AS id, ARRAY[9007199254740993, 1.50] AS ids, '{"a": 1.50}'::json AS document,
         ARRAY['vip', 'staff']::role[] AS groups, timestamp '2026-11-20 10:00:00.5' AS seen, 'x' AS viewer,
         'y' AS value, '1 day'::interval AS life, 'NaN'::float8 AS nan, '"quoted"' AS quoted FROM`,
      ),
    )
    const attributes = {
      id: '9007199254740993',
      ids: '9007199254740993,1.50',
      document: '{"a": 1.50}',
      seen: '2026-11-20T10:00:00.5',
      viewer: 'x',
      value: 'y',
      life: '1 day',
      nan: 'NaN',
      quoted: '"quoted"',
    }
    expect(await store.find?.('ada')).toMatchObject({ username: 'ada', groups: ['vip', 'staff'], attributes })
  })

  test.each([
    [`["staff", "night, shift", 7]`, ['staff', 'night, shift', '7']],
    [`{"a": "x,staff,y"}`, [`{"a": "x,staff,y"}`]],
    [`"staff, vip"`, ['staff', 'vip']],
  ])('a JSON column gives groups only from an array or a text: %s', async (json, groups) => {
    const store = await open(GOOD.replace(' FROM', `, '${json}'::jsonb AS groups FROM`))
    expect(await store.find?.('ada')).toMatchObject({ groups })
  })

  test('a viewer whose column disabled is true or NULL is disabled', async () => {
    const store = await open(GOOD.replace(' FROM', ', blocked AS disabled FROM'))
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    for (const blocked of [true, null]) {
      await sql('UPDATE account SET blocked = $1', [blocked])
      expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
      expect(await store.find?.('ada')).toBeNull()
    }
  })

  test('a missing or unknown hash admits no viewer, and the operator is warned of the unknown one', async () => {
    const warnings: string[] = []
    const store = await open(GOOD, {}, warnings)
    await sql('UPDATE account SET hash = NULL')
    expect(await store.authenticate('ada', password)).toEqual(WRONG)
    expect(warnings).toEqual([])
    await sql(`UPDATE account SET hash = '5f4dcc3b5aa765d61d8327deb882cf99'`)
    expect(await store.authenticate('ada', 'password')).toEqual(WRONG)
    expect(warnings).toEqual([expect.stringContaining('"ada"')])
  })

  test('two rows for one name are a failure of the query, and other names still sign in', async () => {
    const store = await open(GOOD.replace('name = $1', 'name ILIKE $1'))
    await sql(`INSERT INTO account VALUES ('ADA', '${HASH}'), ('grace', '${HASH}')`)
    for (let count = 0; count < 20; count += 1) {
      const error = await refusal(store.authenticate('ada', password))
      expect(error).toBeInstanceOf(UpstreamError)
      expect(error.message).toContain('POSTGRES_QUERY returned more than one row')
    }
    expect(await store.authenticate('grace', password)).toMatchObject({ ok: true })
  })

  test('a row with another name than the one typed admits no viewer', async () => {
    const warnings: string[] = []
    const store = await open(GOOD.replace('name = $1', 'name LIKE $1'), {}, warnings)
    expect(await store.authenticate('a%', password)).toEqual(WRONG)
    expect(await store.find?.('a_a')).toBeNull()
    expect(warnings[0]).toContain('POSTGRES_QUERY returned another user name')
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
  })

  test('the columns of a query can change while the app runs', async () => {
    await sql('CREATE VIEW people AS SELECT name AS username, hash AS password_hash FROM account')
    const store = await open('SELECT * FROM people WHERE username = $1')
    expect(await store.find?.('ada')).toMatchObject({ attributes: {} })
    await sql('CREATE OR REPLACE VIEW people AS SELECT name AS username, hash AS password_hash, blocked FROM account')
    expect(await store.find?.('ada')).toMatchObject({ attributes: { blocked: 'false' } })
    await sql('DROP VIEW people; CREATE VIEW people AS SELECT name AS username FROM account')
    expect((await refusal(store.authenticate('ada', password))).message).toContain('no longer returns the columns')
    await sql('DROP VIEW people')
    expect((await refusal(store.authenticate('ada', password))).message).toContain('relation "people" does not exist')
    await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
  })
})

describe('a name', () => {
  test('a name reaches the query as typed, in NFC, and the query decides about upper and lower case', async () => {
    await sql(`INSERT INTO account VALUES ('Émil', '${HASH}')`)
    const exact = await open(GOOD)
    expect(await exact.authenticate('E\u0301mil', password)).toMatchObject({ ok: true, viewer: { username: 'Émil' } })
    expect(await exact.authenticate('émil', password)).toEqual(WRONG)
    const folding = await open(GOOD.replace('name = $1', 'lower(name) = lower($1)'))
    expect(await folding.authenticate('ÉMIL', password)).toMatchObject({ ok: true, viewer: { username: 'Émil' } })
  })

  test.each([
    ['a quote', `ada' OR '1'='1`],
    ['the end of the statement', `ada'; DROP TABLE account; --`],
    ['a dollar quote', '$$; DROP TABLE account; $$'],
    ['the parameter', '$1'],
    ['a backslash before a quote', `\\' OR 1=1 --`],
    ['an escape', `\\x27 OR 1=1`],
    ['a comment', 'ada/*'],
    ['NUL', 'ada\0'],
    ['half a character', 'ada\uD800'],
    ['100 kB', `ada${"'".repeat(100_000)}`],
    ['a character beyond the first plane', 'ada\u{1F600}'],
  ])('a name with %s is unknown, and does not change the table', async (_what, name) => {
    const store = await open(GOOD.replace('name = $1', 'lower(name) = lower($1)'))
    expect(await store.authenticate(name, password)).toEqual(WRONG)
    expect(await store.find?.(name)).toBeNull()
    expect((await sql('SELECT count(*)::int AS count FROM account')).rows).toEqual([{ count: 1 }])
  })

  test('a viewer whose name has a backslash, a quote and a percent sign is found', async () => {
    const name = `o'brien\\%_"$1`
    await sql('INSERT INTO account VALUES ($1, $2)', [name, HASH])
    const store = await open(GOOD)
    expect(await store.authenticate(name, password)).toMatchObject({ ok: true, viewer: { username: name } })
  })

  test('a name that the database cannot store or convert is unknown, and is not a failure', async () => {
    const latin = `l${database}`
    // Of a first try.
    await server.query(`DROP DATABASE IF EXISTS ${latin} WITH (FORCE)`)
    await server.query(`CREATE DATABASE ${latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    await server.query(
      `CREATE TABLE account (name text, hash text); INSERT INTO account VALUES ('ada', '${HASH}')`,
      [],
      latin,
    )
    const store = await openQuickStore(server.url({ database: latin }), { POSTGRES_QUERY: GOOD })
    const numbers = await open(
      `SELECT number::text AS username, hash AS password_hash FROM account WHERE number = $1::int`,
    )
    for (let count = 0; count < 20; count += 1) {
      expect(await store.authenticate('ada\u{1F600}', password)).toEqual(WRONG)
      expect(await numbers.authenticate('seven', password)).toEqual(WRONG)
      expect(await numbers.authenticate('99999999999', password)).toEqual(WRONG)
    }
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    expect(await numbers.authenticate('7', password)).toMatchObject({ ok: true })
  })
})

test('an unknown name is checked against the hash of a viewer, the same hash each time', async () => {
  const verified: string[] = []
  const passwords = {
    ...quickPasswords,
    read(hash: string) {
      verified.push(hash)
      return quickPasswords.read(hash)
    },
  }
  const store = await openQuickStore(url, { POSTGRES_QUERY: GOOD }, { passwords })
  await store.authenticate('nobody', password)
  expect(verified).toEqual([quickPasswords.dummyHash])
  await store.authenticate('ada', password)
  verified.length = 0
  for (const name of ['nobody', 'nobody', 'someone else'])
    expect(await store.authenticate(name, password)).toEqual(WRONG)
  expect(verified).toEqual([HASH, HASH, HASH])
})

test('MD5-crypt in the table of a customer signs in only if the settings accept weak hashes', async () => {
  // Made by: openssl passwd -1 -salt abcdefgh
  await sql("UPDATE account SET hash = '$1$abcdefgh$bk3ABdx70OZal.RscCmli/'")
  const warnings: string[] = []
  const signIn = async (more: Record<string, string>) => {
    const settings = settingsOf(url, { POSTGRES_QUERY: GOOD, ...more })
    const store = await openPostgresStore(settings, { warn: (message) => warnings.push(message) })
    return await store.authenticate('ada', 'pässword ☃').finally(() => store.close())
  }
  expect(await signIn({})).toEqual(WRONG)
  expect(warnings).toEqual([expect.stringMatching(/"ada" is MD5-crypt.*POSTGRES_WEAK_HASHES=accept/)])
  expect(await signIn({ POSTGRES_WEAK_HASHES: 'accept' })).toMatchObject({ ok: true })
})
