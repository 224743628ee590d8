import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { APP_SETTINGS, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const SECRET = SETTINGS.HASH_SECRET
const md5 = (...texts: string[]) => createHash('md5').update(texts.join('|')).digest('hex')
const EXPIRES = 4_000_000_000
const GOOD = JSON.stringify([{ user: 'ada' }, { hashExpire: EXPIRES }, { hash: md5('ada', `${EXPIRES}`, SECRET) }])

function check(stdin: string, env: Record<string, string> = SETTINGS, ...options: string[]) {
  return runHere(['response', 'check', ...options], { cwd: temporaryFolder(), env, stdin })
}

describe('response build', () => {
  const build = (...args: string[]) =>
    runHere(['response', 'build', ...args], { cwd: temporaryFolder(), env: { ...SETTINGS } })

  test('response build makes a response that response check accepts, with the lifetime of the settings', async () => {
    const { status, stdout } = await build('user=a=b', 'group=Zoë')
    const [user, group, expiry, hash] = JSON.parse(stdout)
    expect([status, user, group]).toEqual([0, { user: 'a=b' }, { group: 'Zoë' }])
    expect(Math.abs(expiry.hashExpire - Date.now() / 1000 - 3600)).toBeLessThan(60)
    expect(hash).toEqual({ hash: md5('a=b', 'Zoë', String(expiry.hashExpire), SECRET) })
    expect(await check(stdout)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Accepted until /) })
  })

  test('response build --lifetime 0 makes a response without expiry', async () => {
    const { stdout } = await build('user=ada', '--lifetime', '0', '--json')
    const { response, expiresAtSeconds } = JSON.parse(stdout)
    expect(expiresAtSeconds).toBeNull()
    expect(JSON.parse(response)).toEqual([{ user: 'ada' }, { hash: md5('ada', SECRET) }])
  })

  test.each([
    [['user=a|b'], 1, 'contains "|"'],
    [['user=a', 'user=b'], 1, 'is named twice'],
    [['hash=a'], 1, 'is reserved'],
    [['user'], 2, 'NAME=VALUE'],
    [['user=a', '--lifetime', '-1'], 2, 'whole number'],
    [[], 2, 'missing required argument'],
  ])('response build refuses %j', async (args, status, message) => {
    expect(await build(...args)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) })
  })
})

test.each([
  ['response check', ['response', 'check'], GOOD],
  ['response build', ['response', 'build', 'user=ada'], ''],
])('%s needs no setting of stores and sessions, and opens no file of theirs', async (_command, args, stdin) => {
  const { HASH_SECRET, PUBLIC_URL, PLAYER_RETURN_URL, PLAYER_ORIGINS } = SETTINGS
  const env = { HASH_SECRET, PUBLIC_URL, PLAYER_RETURN_URL, PLAYER_ORIGINS, SESSION_SECRET_FILE: 'nowhere.txt' }
  expect(await runHere(args, { cwd: temporaryFolder(), env, stdin, hasDefaults: false })).toMatchObject({ status: 0 })
})

describe('response check', () => {
  test.each([
    [60, false],
    [100, true],
  ])(
    'a response with ten values of %i letters that need six characters in an address is said to be too long: %s',
    async (count, isLong) => {
      const values = Array.from({ length: 10 }, () => 'é'.repeat(count))
      const objects = values.map((value, index) => ({ [`p${index}`]: value }))
      const response = JSON.stringify([
        ...objects,
        { hashExpire: EXPIRES },
        { hash: md5(...values, `${EXPIRES}`, SECRET) },
      ])
      const { status, stdout } = await check(response)
      expect([status, /adds \d{4} characters to an address/.test(stdout)]).toEqual([0, isLong])
    },
  )

  test.each([
    ['the response', GOOD],
    ['the address that received it', `https://player.example/pass?a=1&hash=${encodeURIComponent(GOOD)}`],
    ['its query', `?hash=${encodeURIComponent(GOOD)}`],
    ['the encoded response', encodeURIComponent(GOOD)],
  ])('response check reads %s', async (_case, stdin) => {
    const { status, stdout } = await check(`${stdin}\n`)
    expect([status, stdout]).toEqual([0, 'Accepted until 2096-10-02T07:06:40.000Z.\n'])
  })

  const pairs = (hash: string, ...parameters: object[]) => JSON.stringify([...parameters, { hash }])
  test.each([
    ['another secret', pairs(md5('ada', 'another'), { user: 'ada' }), 'another secret'],
    ['another order', pairs(md5('staff', 'ada', SECRET), { user: 'ada' }, { group: 'staff' }), 'group, user'],
    ['an expiry in the past', pairs(md5('ada', '1000', SECRET), { user: 'ada' }, { hashExpire: 1000 }), 'expired'],
    ['an expiry that is not hashed', pairs(md5('ada', SECRET), { user: 'ada' }, { hashExpire: EXPIRES }), 'hashExpire'],
    ['a line end after the secret', pairs(md5('ada', `${SECRET}\n`), { user: 'ada' }), 'white space'],
    ['a name twice', pairs(md5('ada', 'eve', SECRET), { user: 'ada' }, { user: 'eve' }), 'named twice'],
    ['a "|"', pairs(md5('a|b', SECRET), { user: 'a|b' }), 'contains "|"'],
    ['no JSON', 'hello', 'not JSON'],
  ])('response check tells why it refuses %s, without values and secrets', async (_case, stdin, message) => {
    const { status, stdout, stderr } = await check(stdin)
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toContain(message)
    expect(stdout).not.toContain(SECRET)
    expect(stdout).not.toContain('ada')
  })

  test('response check accepts a hash before the expiry with a warning, and refuses it with --strict', async () => {
    const hash = { hash: md5('ada', String(EXPIRES), SECRET) }
    const given = JSON.stringify([{ user: 'ada' }, hash, { hashExpire: String(EXPIRES) }])
    const { status, stdout } = await check(given)
    expect([status, stdout]).toEqual([0, expect.stringContaining('warning')])
    expect((await check(given, undefined, '--strict')).status).toBe(1)
    expect((await check(GOOD, undefined, '--strict')).status).toBe(0)
  })

  test('response check names a "+" that was not encoded in the address', async () => {
    const given = pairs(md5('ada+tv', SECRET), { user: 'ada+tv' })
    const address = `https://player.example/pass?hash=${encodeURIComponent(given).replaceAll('%2B', '+')}`
    expect(await check(address)).toMatchObject({ status: 1, stdout: expect.stringContaining('%2B') })
  })

  test('response check tells that the parameters differ from the settings', async () => {
    const { status, stdout } = await check(pairs(md5('ada', SECRET), { name: 'ada' }))
    expect(status).toBe(0)
    expect(stdout).toMatch(/ name,.* user\./)
  })

  test('response check tells that a response has the previous secret', async () => {
    const env = { ...SETTINGS, HASH_SECRET: 'b81f4c02d97e36a5f0c8127d6e9a4b53', HASH_SECRET_PREVIOUS: SECRET }
    const { status, stdout } = await check(GOOD, env, '--json')
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { accepted: true, secret: 'previous', kind: 'good' }])
    expect((await check(pairs(md5('ada', 'other'), { user: 'ada' }), env)).status).toBe(1)
  })

  test('response check finds the entry point with the matching secret', async () => {
    const entry = (name: string, secret: string) => ({
      name,
      secret,
      playerReturnUrl: SETTINGS.PLAYER_RETURN_URL,
      playerOrigins: [SETTINGS.PLAYER_ORIGINS],
    })
    const file = join(temporaryFolder(), 'entry-points.json')
    writeFileSync(file, JSON.stringify([entry('staff', 'b81f4c02d97e36a5f0c8127d6e9a4b53'), entry('press', SECRET)]))
    const env = { ...APP_SETTINGS, ENTRY_POINTS_FILE: file }
    const found = await check(GOOD, env, '--json')
    expect(JSON.parse(found.stdout)).toEqual({
      accepted: true,
      isInOrder: true,
      entryPoint: 'press',
      secret: 'current',
      kind: 'good',
      expiresAtSeconds: EXPIRES,
      parameters: ['user'],
    })
    expect((await check(GOOD, env, '--entry-point', 'staff')).status).toBe(1)
    const unknown = await check(GOOD, env, '--entry-point', 'unknown')
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('one of: staff, press') })
  })

  test.each([
    ['nothing', '', 'No response'],
    ['false', 'false', 'false'],
    ['70 kB', 'x'.repeat(70_000), '65536'],
  ])('response check refuses %s on standard input', async (_case, stdin, message) => {
    expect(await check(stdin)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
  })
})
