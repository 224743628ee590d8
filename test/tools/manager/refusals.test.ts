import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import de from '../../../views/manager/texts/de.json' with { type: 'json' }
import en from '../../../views/manager/texts/en.json' with { type: 'json' }
import { mailEnvironment } from './real-entry-point.ts'
import { startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
const ONE = `/people/one/${encodeURIComponent(ADA)}`
/** Words of the command line and of settings. */
const TERMINAL = /--[a-z]|viewer-auth|viewers [a-z-]+|[A-Z]{2,}_[A-Z]|\bRun \w+|has no |"username"|\.ts\b|\/\w+\//
const SOURCES = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'))
const codesIn = (pattern: RegExp) => [
  ...new Set(SOURCES.flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => code))),
]
const hasText = (texts: object, path: string) =>
  path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], texts) !== undefined

test.each(codesIn(/\bcoded\('(\w+)'|\bfault\('(\w+)', \{|\bcode: '(\w+)'/g).filter(Boolean))(
  'the fault %s has a sentence in each language',
  (code) => {
    expect([hasText(en.faults, String(code)), hasText(de.faults, String(code))]).toEqual([true, true])
  },
)

async function start() {
  const env = { PUBLIC_URL: 'http://localhost:3000', ...mailEnvironment({ port: 1 }) }
  const manager = await startManager({ env })
  await manager.users.add({ username: ADA, groups: [], attributes: {} }, null)
  const browser = await manager.signedIn()
  await browser.get('/people/add')
  return { manager, browser }
}

/** Returns what the page tells a manager: its notices and the mistakes of a sheet. */
function told(text: string): string[] {
  return [...text.matchAll(/(?:role="alert"[^>]*>(?:<p>)?|<\/th><td>)([^<]+)/g)].map(([, one]) => String(one).trim())
}

const add = (fields: Readonly<Record<string, string>>) => ['/people/add', { username: 'bob', ...fields }] as const
const edit = (fields: Readonly<Record<string, string>>) => [`${ONE}/edit`, fields] as const

test.each([
  ['a name that is there', ...add({ username: ADA }), `${ADA} gibt es schon.`],
  ['a name that cannot be one', ...add({ username: 'a|b' }), de.sheet.faults.badName],
  ['a group that cannot be one', ...add({ groups: 'a|b' }), de.sheet.faults.badGroup],
  ['a detail that is reserved', ...add({ attributes: 'username=x' }), de.sheet.faults.badAttribute],
  ['a short password', ...add({ password: 'x' }), de.sheet.faults.password.tooShort],
  ['a common password', ...add({ password: 'password1' }), de.sheet.faults.password.common],
  ['an end that is no time', ...add({ until: 'soon' }), de.people.badUntil],
  ['another group that cannot be one', ...edit({ groups: 'a|b' }), de.sheet.faults.badGroup],
] as const)(
  'the page refuses %s in its language, without words of the command line',
  async (_what, path, fields, sentence) => {
    const { browser } = await start()
    const version = /name="version" value="([^"]+)"/.exec((await browser.get(ONE)).text)?.[1] ?? ''
    const { location, text } = await browser.post(path, { version, ...fields }, { 'Accept-Language': 'de' })
    const shown = told(location === null ? text : (await browser.get(location, { 'Accept-Language': 'de' })).text)
    expect(shown.join(' ')).toContain(sentence)
    expect(shown.filter((one) => TERMINAL.test(one))).toEqual([])
  },
)

test('a page without the settings of mails sends its manager to an engineer', async () => {
  const manager = await startManager()
  await manager.users.add({ username: ADA, groups: [], attributes: {} }, null)
  const browser = await manager.signedIn()
  await browser.get(ONE)
  const { text } = await browser.act(`${ONE}/send-link`)
  expect(told(text)).toEqual([`${en.people.refused} ${en.faults.noMails}`])
})

const LONG = 'x'.repeat(70)

test.each([
  ['no column of names', 'Gruppe\npress\n', 'Keine Spalte hat Benutzernamen'],
  ['two columns of one name', 'Email,a,a\nbob,1,2\n', 'Zwei Spalten heißen „a“'],
  ['a column that cannot be a detail', `Email,${LONG}\nbob,1\n`, `Die Spalte „${LONG}“ kann keine Angabe sein`],
  ['a quotation mark that is never closed', 'Email,Gruppe\n"a,b\nc,d\n', 'Zeile 2 ist nicht lesbar'],
])('a sheet with %s is refused in the language of the page', async (_what, cells, sentence) => {
  const { browser } = await start()
  await browser.upload('/people/import', '', '', { cells, invite: 'on' })
  const { status, text } = await browser.get('/people/import/preview', { 'Accept-Language': 'de' })
  expect(status).toBe(400)
  expect(told(text).join(' ')).toContain(sentence)
  expect(told(text).filter((one) => TERMINAL.test(one))).toEqual([])
  // What was pasted is still there.
  expect(text).toContain(`>${cells.slice(0, 5)}`)
})

test('a sheet without passwords is refused if no one is invited', async () => {
  const { browser } = await start()
  await browser.upload('/people/import', 'x', 'Email\nbob\n')
  const { text } = await browser.get('/people/import/preview')
  expect(told(text)).toEqual([expect.stringContaining('No column has passwords')])
})

test('each mistake of a row is told in the language of the page', async () => {
  const { manager, browser } = await start()
  await manager.users.add({ username: 'old', groups: [], attributes: {} }, null)
  const rows = [
    'username,password,groups,disabled,until',
    ',,,,',
    'a|b,,,,',
    'b,,x|y,,',
    'c,,,perhaps,',
    'd,,,,soon',
    'e,short,,,',
    'f,password1,,,',
    'g, correct horse 12,,,',
    'h,,,,',
    'i@example.com,',
    'j"x"@example.com,"a"b,,,',
    'k@example.com,,,,',
    'k@example.com,,,,',
    'l,correct\u0000horse,,,',
  ]
  for (const invite of ['on', 'off']) {
    await browser.upload('/people/import', 'x', rows.join('\n').replace('\u0000', ''), { invite })
    const { text } = await browser.get('/people/import/preview', { 'Accept-Language': 'de' })
    const mistakes = told(text)
    expect(mistakes.length).toBeGreaterThan(8)
    expect(mistakes.filter((one) => TERMINAL.test(one) || one === de.sheet.faults.other)).toEqual([])
    expect(mistakes.filter((one) => / (?:the|has|is|not) /.test(one))).toEqual([])
  }
})
