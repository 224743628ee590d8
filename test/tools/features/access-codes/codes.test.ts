import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeDigest } from '../../../../src/features/access-codes/codes/code-digest.ts'
import { createCodeStore } from '../../../../src/features/access-codes/codes/code-store.ts'
import { canonicalCode } from '../../../../src/features/access-codes/codes/code-text.ts'
import { openFileRecords } from '../../../../src/services/guests/file-records.ts'
import { planLength } from '../../../../src/tools/features/access-codes/create-codes.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../../cli/run-here.ts'

const KEY = '7f3e9d1c5b2a48067985a4b3c2d1e0ff'

/** Returns the commands of an app with access codes, and its store. */
function codesIn(settings: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'guests.db')
  const env = {
    ...SETTINGS,
    ACCESS_CODES: 'on',
    ACCESS_CODE_KEY: KEY,
    GUESTS_STORE_URL: `sqlite:${file}`,
    WATCH_URL: 'https://www.example.com/live?a=1&b=2',
    ...settings,
  }
  const run = (...args: string[]) => runHere(['codes', ...args], { cwd, env })
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)
  async function find(code: string) {
    const records = openFileRecords(file, { nowSeconds: () => Date.now() / 1000, isCommand: true })
    try {
      return await createCodeStore(records).find(codeDigest(KEY, 'default', canonicalCode(code) ?? ''))
    } finally {
      await records.close()
    }
  }
  return { cwd, file, env, run, json, find, pathOf: (name: string) => join(cwd, name) }
}

/** A year and more: few codes, so that they are not too long. */
const SOON = () => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)

test('codes create prints codes once, which the app then knows, with the chance to guess them', async () => {
  const { run, find } = codesIn()
  const { status, stdout, stderr } = await run('create', '--label', 'GALA', '--count', '3', '--until', SOON())
  expect(status).toBe(0)
  const codes = [...stdout.matchAll(/GALA-000\d\s+(\S+)$/gm)].map(([, code = '']) => code)
  expect(codes).toHaveLength(3)
  expect(stderr).toMatch(/The chance that a guesser finds any valid code until the end is 1 in [\d,]+:/)
  expect(stderr).toContain('they are not shown again')
  for (const [index, code] of codes.entries()) expect((await find(code))?.code.number).toBe(index + 1)
})

test.each([
  ['0', ['--devices', '1'], 'watches on without end'],
  ['3600', ['--devices', '1'], 'watches on for up to 3600 s. Set HASH_LIFETIME_SECONDS between 300 and 900.'],
  ['900', ['--devices', '1'], null],
  ['3600', [], null],
] as const)('with responses of %s s, codes create %j warns: %s', async (seconds, args, warning) => {
  const { run } = codesIn({ HASH_LIFETIME_SECONDS: seconds })
  const { status, stderr } = await run('create', '--label', 'A', '--count', '1', '--until', SOON(), ...args)
  expect(status).toBe(0)
  if (warning === null) expect(stderr).not.toContain('HASH_LIFETIME_SECONDS')
  else expect(stderr).toContain(warning)
})

test('codes of a file have its names, groups and attributes, and no cell is a formula', async () => {
  const { run, pathOf, find } = codesIn()
  writeFileSync(pathOf('p.csv'), 'name,groups,seat\nAda,"gold;press",A1\n"=1+1",,"@SUM(A1)"\n')
  const csv = pathOf('codes.csv')
  expect((await run('create', '--label', 'P', '--from', pathOf('p.csv'), '--csv', csv)).status).toBe(0)
  const [header, ada = '', formula = ''] = readFileSync(csv, 'utf8').split('\r\n')
  expect(header).toBe('label,number,name,code,groups,seat')
  expect(ada).toMatch(/^P,0001,Ada,\S+,"gold,press",A1$/)
  expect(formula).toMatch(/^P,0002,'=1\+1,[\w-]+,,'@SUM\(A1\)$/)
  expect(statSync(csv).mode & 0o777).toBe(0o600)
  expect((await find(ada.split(',')[3] ?? ''))?.code).toMatchObject({
    groups: ['gold', 'press'],
    attributes: { seat: 'A1' },
  })
})

test('the page to print has a card for each code, escapes names, and loads nothing', async () => {
  const { run, pathOf } = codesIn()
  writeFileSync(pathOf('p.csv'), 'name\n"<script>alert(1)</script>"\nGrace\n')
  const html = pathOf('codes.html')
  expect((await run('create', '--label', 'P', '--from', pathOf('p.csv'), '--html', html)).status).toBe(0)
  const page = readFileSync(html, 'utf8')
  expect(page.match(/<li>/g)).toHaveLength(2)
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).not.toMatch(/<script|https?:\/\/(?!www\.example\.com\/live)|src=|@import/)
  expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-')
  expect(page).toContain('https://www.example.com/live?a=1&amp;b=2')
  expect(page.match(/<symbol id="qr"/g)).toHaveLength(1)
  expect(statSync(html).mode & 0o777).toBe(0o600)
})

test('one code for all has words at its beginning, of which only the random rest counts', async () => {
  const { json, find } = codesIn()
  const made = await json(
    'create',
    '--label',
    'ALL',
    '--shared',
    '--most',
    '300',
    '--code',
    'summer-',
    '--until',
    SOON(),
  )
  expect(made.codes[0].code).toMatch(/^SUMMER-[2-9C-Y]{4}-[2-9C-Y]{4}$/)
  expect((await find(made.codes[0].code))?.batch).toMatchObject({ isShared: true, most: 300, length: 8 })
})

test('no codes are created while those before are too easy to guess for so long a time', () => {
  const wanted = { count: 500, endsAtSeconds: 7 * 86_400, nowSeconds: 0 }
  expect(planLength([], wanted).length).toBeGreaterThan(8)
  expect(() => planLength([{ length: 8, count: 10_000 }], wanted)).toThrow('too easy to guess')
})

test.each([
  [['--count', '3', '--shared'], 'use one of'],
  [[], 'use one of'],
  [['--count', '3', '--most', '2'], '--most needs --shared'],
  [['--shared', '--devices', '2'], '--devices is for personal codes'],
  [['--count', '0'], 'whole number'],
  [['--shared', '--code', 'ÉTÉ'], 'must be letters from A to Z'],
])('codes create %j is wrong usage', async (args, message) => {
  const { status, stderr } = await codesIn().run('create', '--label', 'A', ...args)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

test('a label is used once, and a file that cannot be written leaves no codes', async () => {
  const { run } = codesIn()
  await run('create', '--label', 'A', '--count', '1')
  expect((await run('create', '--label', 'a', '--count', '1')).stderr).toContain('There is a batch a already')
  expect((await run('create', '--label', 'B', '--count', '1', '--csv', '/nowhere/codes.csv')).status).toBe(1)
  expect((await run('list')).stdout).not.toMatch(/^B /m)
})

test('a file with a wrong row is refused with its line', async () => {
  const { run, pathOf } = codesIn()
  writeFileSync(pathOf('p.csv'), 'name\nAda\n"a|b"\n')
  const { status, stderr } = await run('create', '--label', 'A', '--from', pathOf('p.csv'))
  expect(status).toBe(1)
  expect(stderr).toContain('Line 3 of')
})

test('codes are listed and revoked one by one or as a batch', async () => {
  const { run, json } = codesIn()
  await run('create', '--label', 'GALA', '--count', '2')
  expect((await run('revoke', '--label', 'gala', '--number', 'GALA-0002')).status).toBe(0)
  expect((await run('revoke', '--label', 'GALA', '--number', '2')).stderr).toContain('revoked already: 2')
  const states = async () => (await json('list', '--label', 'GALA')).codes.map(({ state }: { state: string }) => state)
  expect(await states()).toEqual(['valid', 'revoked'])
  expect((await run('revoke', '--label', 'GALA')).stdout).toContain('Revoked 2 codes of GALA.')
  expect(await states()).toEqual(['revoked', 'revoked'])
  expect((await json('list')).batches).toMatchObject([{ label: 'GALA', count: 2, state: 'revoked' }])
  expect((await run('revoke', '--label', 'OTHER')).status).toBe(1)
})

test('config check shows the chance to guess a code', async () => {
  const { cwd, env, run } = codesIn()
  const check = () => runHere(['config', 'check'], { cwd, env })
  expect((await check()).stdout).toContain('Entry point default has no valid access codes yet.')
  await run('create', '--label', 'A', '--count', '1')
  expect((await check()).stdout).toMatch(/Access codes of entry point default: The chance .* is 1 in/)
})

test('commands say how to turn access codes on', async () => {
  const { stderr } = await codesIn({ ACCESS_CODES: 'off' }).run('list', '--entry-point', 'default')
  expect(stderr).toContain('Set ACCESS_CODES=on')
})
