import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { argon2Passwords } from '../../../src/users/passwords/argon2.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { type PostgresServer, startPostgres } from '../../servers/postgres.ts'
import { password } from '../sign-in-run.ts'
import { openQuickStore } from './fixture.ts'

const HASH = `quick:${password}`
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
  await sql(`CREATE TABLE account (name text UNIQUE, hash text, number int, blocked boolean);
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
    ['no SQL', 'SELEC $1', /^POSTGRES_QUERY is refused by the database: syntax error at or near/],
    [
      'another table',
      GOOD.replace('account', 'acount'),
      'is refused by the database: relation "acount" does not exist.',
    ],
    ['another column', GOOD.replace('hash AS', 'pass AS'), 'is refused by the database: column "pass" does not exist.'],
    ['two statements', `${GOOD}; DELETE FROM account`, 'is refused by the database: syntax error at or near ";".'],
    [
      'a change',
      "UPDATE account SET hash = '' WHERE name = $1 RETURNING name, hash",
      /is refused by the database: .*\.$/,
    ],
    ['a function that changes', `SELECT set_hash($1) AS username, '' AS password_hash`, /read-only transaction\.$/],
    [
      'a name in a comment',
      GOOD.replace('WHERE', '-- WHERE'),
      /is refused by the database: bind message supplies 1 parameters/,
    ],
    ['a second value', `${GOOD} AND hash = $2`, /is refused by the database: bind message supplies 1 parameters/],
    [
      'everybody',
      GOOD.replace('name = $1', `$1::text IS NULL OR name = $1`),
      'returns a row for no user name at all: it must compare the name with $1.',
    ],
    ['no user name', GOOD.replace('name AS username,', ''), /^POSTGRES_QUERY must return a column named username/],
    [
      'no hash',
      GOOD.replace('hash AS password_hash', 'hash'),
      /^POSTGRES_QUERY must return a column named password_hash/,
    ],
    ['one column twice', GOOD.replace(' FROM', ', number, number FROM'), 'returns two columns named "number".'],
    [
      'a state that is no boolean',
      GOOD.replace(' FROM', ', number AS disabled FROM'),
      /a column "disabled" that is not a boolean/,
    ],
    [
      'an attribute that no setting can name',
      GOOD.replace(' FROM', ', number AS "a=b" FROM'),
      /returns a column "a=b"/,
    ],
  ])('%s is told at the start, in a sentence', async (_what, query, sentence) => {
    await sql(
      `CREATE FUNCTION set_hash(text) RETURNS text LANGUAGE sql AS $$ UPDATE account SET hash = '' RETURNING name $$`,
    )
    const error = await refusal(open(query))
    expect(error).toBeInstanceOf(ConfigError)
    if (typeof sentence === 'string') expect(error.message).toBe(`POSTGRES_QUERY ${sentence}`)
    else expect(error.message).toMatch(sentence)
    expect((await sql('SELECT hash FROM account')).rows).toEqual([{ hash: HASH }])
  })

  test.each([
    [
      'UPDATE account SET hash = $3 WHERE name = $1 -- AND hash = $2',
      /bind message supplies 3 parameters|could not determine/,
    ],
    [
      "UPDATE account SET hash = $3 WHERE name = $1 OR hash <> coalesce($2, '')",
      /changes rows for no user name at all/,
    ],
    ['UPDATE acount SET hash = $3 WHERE name = $1 AND hash = $2', /relation "acount" does not exist/],
  ])('so is that of replacing a hash: %s', async (query, sentence) => {
    const error = await refusal(open(GOOD, { POSTGRES_REPLACE_HASH_QUERY: query }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toMatch(sentence)
    expect((await sql('SELECT hash FROM account')).rows).toEqual([{ hash: HASH }])
  })

  test('a role that may not read is told so', async () => {
    const role = await server.createRole()
    const error = await refusal(openQuickStore(server.url({ database, ...role }), { POSTGRES_QUERY: GOOD }))
    expect(error.message).toBe(
      'POSTGRES_QUERY is refused by the database: permission denied for table account; GRANT it to the role in USER_STORE_URL.',
    )
  })
})

describe('what a query returns', () => {
  test('becomes the viewer: every other column is an attribute, as text', async () => {
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
    expect(await store.authenticate('ada', password)).toEqual({ ok: true, viewer })
    expect(await store.find?.('ada')).toEqual(viewer)
  })

  test('has its groups in a text with commas, or none', async () => {
    const store = await open(
      GOOD.replace(' FROM', `, CASE number WHEN 7 THEN 'staff, night shift,,staff' END AS groups FROM`),
    )
    expect(await store.find?.('ada')).toMatchObject({ groups: ['staff', 'night shift'] })
    await sql('UPDATE account SET number = 8')
    expect(await store.find?.('ada')).toMatchObject({ groups: [] })
  })

  test('has the same text as in PostgreSQL also where JavaScript or JSON would change it', async () => {
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
    expect(await store.find?.('ada')).toEqual({ username: 'ada', groups: ['vip', 'staff'], attributes })
  })

  test.each([
    [`["staff", "night, shift", 7]`, ['staff', 'night, shift', '7']],
    [`{"a": "x,staff,y"}`, [`{"a": "x,staff,y"}`]],
    [`"staff, vip"`, ['staff', 'vip']],
  ])('has the groups of a JSON array, and no group that is only part of JSON: %s', async (json, groups) => {
    const store = await open(GOOD.replace(' FROM', `, '${json}'::jsonb AS groups FROM`))
    expect(await store.find?.('ada')).toMatchObject({ groups })
  })

  test('is disabled unless known to be enabled', async () => {
    const store = await open(GOOD.replace(' FROM', ', blocked AS disabled FROM'))
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    for (const blocked of [true, null]) {
      await sql('UPDATE account SET blocked = $1', [blocked])
      expect(await store.authenticate('ada', password)).toEqual({ ok: false, reason: 'disabled' })
      expect(await store.find?.('ada')).toBeNull()
    }
  })

  test('without a hash lets nobody in, and neither does one that cannot be read, of which the operator is told', async () => {
    const warnings: string[] = []
    const store = await open(GOOD, {}, warnings)
    await sql('UPDATE account SET hash = NULL')
    expect(await store.authenticate('ada', password)).toEqual(wrong)
    expect(warnings).toEqual([])
    await sql(`UPDATE account SET hash = '5f4dcc3b5aa765d61d8327deb882cf99'`)
    expect(await store.authenticate('ada', 'password')).toEqual(wrong)
    expect(warnings).toEqual(['The password hash of "ada" is of no known form: set a new password for this viewer.'])
  })

  test('in two rows is a fault of the query: nobody is let in, whichever is right, and other names go on', async () => {
    const store = await open(GOOD.replace('name = $1', 'name ILIKE $1'))
    await sql(`INSERT INTO account VALUES ('ADA', '${HASH}'), ('grace', '${HASH}')`)
    for (let count = 0; count < 20; count += 1) {
      const error = await refusal(store.authenticate('ada', password))
      expect(error).toBeInstanceOf(UpstreamError)
      expect(error.message).toContain('POSTGRES_QUERY returned more than one row for one user name')
    }
    expect(await store.authenticate('grace', password)).toMatchObject({ ok: true })
  })

  test('under another name than the one typed lets nobody in', async () => {
    const warnings: string[] = []
    const store = await open(GOOD.replace('name = $1', 'name LIKE $1'), {}, warnings)
    expect(await store.authenticate('a%', password)).toEqual(wrong)
    expect(await store.find?.('a_a')).toBeNull()
    expect(warnings[0]).toContain('POSTGRES_QUERY returned a viewer of another name')
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
  })

  test('may get other columns while the app runs', async () => {
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
  test('comes to the query as it was typed, in NFC: case is the query’s to decide', async () => {
    await sql(`INSERT INTO account VALUES ('Émil', '${HASH}')`)
    const exact = await open(GOOD)
    expect(await exact.authenticate('E\u0301mil', password)).toMatchObject({ ok: true, viewer: { username: 'Émil' } })
    expect(await exact.authenticate('émil', password)).toEqual(wrong)
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
  ])('that holds %s is nobody’s, and leaves the table as it is', async (_what, name) => {
    const store = await open(GOOD.replace('name = $1', 'lower(name) = lower($1)'))
    expect(await store.authenticate(name, password)).toEqual(wrong)
    expect(await store.find?.(name)).toBeNull()
    expect((await sql('SELECT count(*)::int AS count FROM account')).rows).toEqual([{ count: 1 }])
  })

  test('that holds a backslash, a quote or a percent sign is found when it is somebody’s', async () => {
    const name = `o'brien\\%_"$1`
    await sql('INSERT INTO account VALUES ($1, $2)', [name, HASH])
    const store = await open(GOOD)
    expect(await store.authenticate(name, password)).toMatchObject({ ok: true, viewer: { username: name } })
  })

  test('that the database cannot hold, or that is no number where numbers are names, is nobody’s and no failure', async () => {
    const latin = `l${database}`
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
      expect(await store.authenticate('ada\u{1F600}', password)).toEqual(wrong)
      expect(await numbers.authenticate('seven', password)).toEqual(wrong)
      expect(await numbers.authenticate('99999999999', password)).toEqual(wrong)
    }
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    expect(await numbers.authenticate('7', password)).toMatchObject({ ok: true })
  })
})

test('a name that nobody has takes the hash of somebody, the same one each time', async () => {
  const verified: string[] = []
  const passwords = {
    ...argon2Passwords,
    faultIn: () => null,
    needsRehash: () => false,
    verify: (hash: string, typed: string) => {
      verified.push(hash)
      return Promise.resolve(hash === `quick:${typed}`)
    },
  }
  const store = await openQuickStore(url, { POSTGRES_QUERY: GOOD }, { passwords })
  await store.authenticate('nobody', password)
  expect(verified).toEqual([argon2Passwords.dummyHash])
  await store.authenticate('ada', password)
  verified.length = 0
  for (const name of ['nobody', 'nobody', 'someone else'])
    expect(await store.authenticate(name, password)).toEqual(wrong)
  expect(verified).toEqual([HASH, HASH, HASH])
})
