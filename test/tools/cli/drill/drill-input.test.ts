import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { closedAddress } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { startPlainApp } from './plain-app.ts'

describe('bad input', () => {
  const CSV = 'username,password\nada,secret-of-ada\n'
  async function refusal(args: readonly string[], csv = CSV, env: Record<string, string> = {}) {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'viewers.csv'), csv)
    const ended = await runHere(['drill', ...args], { cwd, env })
    expect(ended.stdout).toBe('')
    expect(ended.stderr).not.toContain('secret-of')
    return { ...ended, lines: ended.stderr.trimEnd().split('\n').length }
  }
  const inFolder = (args: readonly string[], csv?: string) => {
    const file = join(temporaryFolder(), 'viewers.csv')
    writeFileSync(file, csv ?? CSV)
    return refusal(['--viewers', file, '--url', 'http://127.0.0.1:9/', ...args])
  }

  test.each([
    ['no viewers', ['--url', 'http://localhost:1/']],
    ['no address', ['--viewers', 'viewers.csv']],
    ['two kinds of viewers', ['--url', 'http://localhost:1/', '--viewers', 'a.csv', '--make-up-viewers']],
    ...[
      ['--over', '10'],
      ['--over', '0s'],
      ['--over', '1.25m'],
      ['--over', '100h'],
      ['--wrong', '101'],
      ['--wrong', '-1'],
      ['--returns', 'x'],
      ['--count', '0'],
      ['--count', '20001'],
      ['--at', 'docker stop redis'],
      ['--at', '2m='],
      ['--at', '10m=true'],
      ['--outage', '2m=true'],
      ['--max-wait', ''],
      ['--group', 'staff'],
      ['--attribute', 'ticket=yes'],
      ['--way-in', 'fax'],
    ].map((args): [string, string[]] => [
      args.join(' '),
      ['--url', 'http://localhost:1/', '--viewers', 'a.csv', ...args],
    ]),
  ])('%s is wrong usage', async (_case, args) => {
    expect((await refusal(args)).status).toBe(2)
  })

  test.each([
    ['without a column of passwords', 'username\nada\n'],
    ['without viewers', 'username,password\n'],
    ['without a header', ''],
    ['with an empty password', 'username,password\nada,\n'],
    ['with a repeated name', `${CSV}ada,secret-of-ada\n`],
    ['with another number of cells', `${CSV}bob,secret-of-bob,x\n`],
    ['of JSON Lines', '{"username":"ada","password":"secret-of-ada"}\n'],
  ])('a file %s is refused in one line', async (_case, csv) => {
    expect(await inFolder([], csv)).toMatchObject({ status: 1, lines: 1 })
  })

  test.each([
    ['more viewers than the file has', ['--count', '2']],
    ['a page in a folder that does not exist', ['--html', '/nonexistent/drill.html']],
  ])('%s is refused in one line', async (_case, args) => {
    expect(await inFolder(args)).toMatchObject({ status: 1, lines: 1 })
  })

  test('a ramp that is steeper than 500 a second is refused in one line', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => `viewer-${at},secret-of-all`)
    expect(await inFolder(['--over', '1s', '--count', '300'], `username,password\n${rows.join('\n')}\n`)).toMatchObject(
      { status: 1, lines: 1, stderr: expect.stringContaining('500') },
    )
  })

  test('a missing file, a closed port and an address without a sign-in screen are refused in one line', async () => {
    expect(await refusal(['--url', 'http://localhost:1/', '--viewers', '/nonexistent'])).toMatchObject({
      status: 1,
      lines: 1,
    })
    const closed = await closedAddress()
    const other = await startPlainApp(() => ({ status: 404, headers: {} }))
    expect(await inFolder(['--url', closed.href])).toMatchObject({ status: 1, lines: 1 })
    const refused = await inFolder(['--url', other.url])
    expect(refused).toMatchObject({ status: 1, lines: 1, stderr: expect.stringContaining('404') })
  })

  test('a weak HASH_SECRET is refused without its value', async () => {
    const { lines, stderr } = await refusal(['--url', 'http://localhost:1/', '--viewers', 'x'], CSV, {
      HASH_SECRET: 'secret-of-the-hash',
    })
    expect(lines).toBe(1)
    expect(stderr).toContain('HASH_SECRET')
  })
})

describe('where a drill may run', () => {
  const address = async (url: string, env: Record<string, string>) => {
    const csv = join(temporaryFolder(), 'viewers.csv')
    writeFileSync(csv, 'username,password\nada,x\n')
    const { status, stderr } = await runHere(['drill', '--url', url, '--viewers', csv], { cwd: temporaryFolder(), env })
    expect(status).toBe(1)
    return stderr.includes('DRILL_URLS') ? 'refused' : 'allowed'
  }
  const STAGING = 'https://login.staging.invalid/e/town-hall'
  test.each([
    ['a public address without DRILL_URLS', STAGING, {}, 'refused'],
    ['a listed address', STAGING, { DRILL_URLS: STAGING }, 'allowed'],
    [
      'an address below a listed path',
      STAGING,
      { DRILL_URLS: 'https://a.invalid/, https://login.staging.invalid/' },
      'allowed',
    ],
    ['an address whose path only begins like a listed one', `${STAGING}-2`, { DRILL_URLS: STAGING }, 'refused'],
    ['another port', 'https://login.staging.invalid:444/', { DRILL_URLS: 'https://login.staging.invalid/' }, 'refused'],
    ['another host', 'https://login.invalid/', { DRILL_URLS: 'https://login.staging.invalid/' }, 'refused'],
    [
      'a path that leads out of a listed one',
      'https://login.staging.invalid/e/a/../b',
      { DRILL_URLS: 'https://login.staging.invalid/e/a' },
      'refused',
    ],
    ['localhost', 'http://127.0.0.1:9/', {}, 'allowed'],
    ['localhost beside a local PUBLIC_URL', 'http://127.0.0.1:9/', { PUBLIC_URL: 'http://localhost:3000' }, 'allowed'],
    ['localhost beside a public PUBLIC_URL', 'http://127.0.0.1:9/', { PUBLIC_URL: SETTINGS.PUBLIC_URL }, 'refused'],
    ['PUBLIC_URL itself', `${SETTINGS.PUBLIC_URL}/`, { PUBLIC_URL: SETTINGS.PUBLIC_URL }, 'refused'],
    ['a wrong DRILL_URLS', 'http://127.0.0.1:9/', { DRILL_URLS: 'login.staging.invalid' }, 'refused'],
    ['plain http in DRILL_URLS', 'http://127.0.0.1:9/', { DRILL_URLS: 'http://login.staging.invalid/' }, 'refused'],
  ])('%s is %4$s', async (_case, url, env, expected) => {
    expect(await address(url, env)).toBe(expected)
  })
  test.each([
    ['of another app', STAGING, SETTINGS.PUBLIC_URL, true],
    ['of the drilled app', STAGING, new URL(STAGING).origin, false],
    ['of another local app', 'http://127.0.0.1:9/', 'http://127.0.0.1:3000', true],
    ['of the drilled local app', 'http://127.0.0.1:9/', 'http://127.0.0.1:9', false],
  ])('made-up viewers in the user store %s are refused: %4$s', async (_case, url, publicUrl, isRefused) => {
    const args = ['drill', '--url', url, '--make-up-viewers']
    const env = { DRILL_URLS: STAGING, PUBLIC_URL: publicUrl }
    const { status, stderr } = await runHere(args, { cwd: temporaryFolder(), env })
    expect([status, stderr.includes('--make-up-viewers')]).toEqual([1, isRefused])
  })
  test.each(['http://login.staging.invalid/', 'ftp://127.0.0.1/', 'https://ada:x@login.staging.invalid/', 'login'])(
    'the address %s is refused',
    async (url) => {
      const args = ['drill', '--url', url, '--viewers', 'x']
      const { status, stderr } = await runHere(args, { cwd: temporaryFolder(), env: { DRILL_URLS: STAGING } })
      expect([status, stderr.includes('--url')]).toEqual([1, true])
    },
  )
  test.each([
    ['localhost:3100', 'http://localhost:3100/'],
    ['127.0.0.1:3100/e/town-hall', 'http://127.0.0.1:3100/e/town-hall'],
    ['login.staging.invalid', 'https://login.staging.invalid/'],
  ])('the address %s without a scheme is refused with %s', async (url, completed) => {
    const { status, stderr } = await runHere(['drill', '--url', url, '--viewers', 'x'], { cwd: temporaryFolder() })
    expect([status, stderr.includes(completed)]).toEqual([1, true])
  })
})
