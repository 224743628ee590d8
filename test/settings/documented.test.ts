import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { stores } from '../../src/stores.ts'
import { isSecret, KIT_SETTINGS } from '../kit-settings.ts'
import { SETTINGS } from '../settings.ts'
import { TOOL_SECRETS, TOOL_SETTINGS } from '../tools/cli/tool-settings.ts'
import { CHOSEN_STORE } from '../users/chosen-store.ts'
import { STORE_SETTINGS } from '../wrong-settings.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const EXAMPLE = page('.env.example')
/** True for the emulator in a fork that deleted it. README.md may still name the folder. */
const isDeleted = (path: string) => /^(src\/)?emulator\b/.test(path) && !existsSync(join(ROOT, 'src/tools/emulator'))

/** Lines of .env.example: `NAME=value`, or `#NAME=default` for a setting with a default. */
const LINES = [...EXAMPLE.matchAll(/^(#?)([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, hash, name = '', value = '']) => ({
  isDefault: hash === '#',
  name,
  value,
}))

/** The settings of the command line. */
const TOOLS = Object.keys(TOOL_SETTINGS)
/** True for a setting without a default that is not optional. */
const isRequired = (name: string) => TOOL_SETTINGS[name]?.safeParse(undefined).success === false

/** The settings that every store needs. */
const REQUIRED = Object.keys(SETTINGS).filter((name) => !(name in CHOSEN_STORE))

/** The settings without a default, besides those of the store that they choose. */
const APP = Object.fromEntries(Object.entries(SETTINGS).filter(([name]) => !STORE_SETTINGS.includes(name)))

/** The settings of one room each: the page with their table, and the settings that are required with them. */
const ROOMS: readonly { prefix: string; readme: string; chosen: Readonly<Record<string, string>> }[] = [
  {
    prefix: 'POSTGRES_',
    readme: 'src/users/postgres/README.md',
    chosen: { USER_STORE_URL: 'postgres://app:x@db.example/app' },
  },
  {
    prefix: 'LDAP_',
    readme: 'src/users/ldap/README.md',
    chosen: {
      USER_STORE_URL: 'ldaps://directory.example',
      LDAP_BIND_DN: 'cn=reader,dc=example',
      LDAP_BIND_PASSWORD: 'x',
      LDAP_SEARCH_BASE: 'dc=example',
    },
  },
  {
    prefix: 'HTTP_STORE_',
    readme: 'src/users/http/README.md',
    chosen: { USER_STORE_URL: 'https://users.example/sign-in', HTTP_STORE_TOKEN: 'x' },
  },
]

describe('.env.example', () => {
  test('.env.example names every setting, once, and no other', () => {
    const names = LINES.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...KIT_SETTINGS.filter(isNotNamedFile), ...TOOLS].toSorted())
  })
  test('.env.example leaves open exactly the settings without a default', () => {
    const open = LINES.filter(({ isDefault }) => !isDefault)
    expect(open.map(({ name }) => name).toSorted()).toEqual([...REQUIRED, ...TOOLS.filter(isRequired)].toSorted())
    expect(open.every(({ value }) => value === '')).toBe(true)
  })
  test('.env.example shows the true defaults', () => {
    const defaults = Object.fromEntries(
      LINES.filter(({ isDefault, name }) => isDefault && !isOfStore(name)).map(({ name, value }) => [name, value]),
    )
    expect(readConfig({ ...defaults, ...SETTINGS })).toEqual(readConfig(SETTINGS))
    for (const name of TOOLS.filter((tool) => !isRequired(tool))) {
      expect([name, String(TOOL_SETTINGS[name]?.parse(undefined) ?? '')]).toEqual([name, defaults[name]])
    }
  })
  test.each(ROOMS)('.env.example shows the true defaults of $prefix…', ({ prefix, chosen }) => {
    const lines = LINES.filter(({ name }) => name.startsWith(prefix) && !(name in chosen))
    expect(lines.some(({ value }) => value !== '')).toBe(true)
    const defaults = Object.fromEntries(lines.map(({ name, value }) => [name, value]))
    expect(readConfig({ ...APP, ...chosen, ...defaults })).toEqual(readConfig({ ...APP, ...chosen }))
  })
  test('.env.example explains each setting or group of settings in a comment', () => {
    const [header, ...blocks] = EXAMPLE.trimEnd().split('\n\n')
    expect(header).toContain('NAME_FILE')
    for (const block of blocks) expect(block).toMatch(/^# [^\n]{10,}(\n# .*)*(\n#?[A-Z].*)*$/)
  })
})

test('the table of settings in README.md has exactly the required settings', () => {
  const names = tableRows(page('README.md')).flatMap(([first]) => inBackticks(first))
  const settings = names.filter((name) => isSetting(name) && name !== 'USER_STORE_URL')
  expect(settings.toSorted()).toEqual(REQUIRED.toSorted())
})

describe.each(ROOMS)('the table of $prefix… in $readme', ({ prefix, readme, chosen }) => {
  const rows = tableRows(page(readme)).filter(([names]) => inBackticks(names).some((name) => name.startsWith(prefix)))
  test(`the table of ${prefix}… has every setting of the store, once`, () => {
    const names = rows.flatMap(([first]) => inBackticks(first))
    const expected = KIT_SETTINGS.filter((name) => name.startsWith(prefix))
    expect(names.toSorted()).toEqual(expected.toSorted())
  })
  test(`the table of ${prefix}… shows the true defaults`, () => {
    const pairs = rows.map((row) => [inBackticks(row[0])[0] ?? '', inBackticks(row.at(-1))[0] ?? ''])
    const defaults = Object.fromEntries(pairs.filter(([name = '']) => !(name in chosen)))
    expect(Object.values(defaults).some((value) => value !== '')).toBe(true)
    expect(readConfig({ ...APP, ...chosen, ...defaults })).toEqual(readConfig({ ...APP, ...chosen }))
  })
  test(`the table of ${prefix}… marks the required settings`, () => {
    const required = rows.filter((row) => row.at(-1)?.trim() === 'required').map(([names]) => inBackticks(names)[0])
    const expected = Object.keys(chosen).filter((name) => name !== 'USER_STORE_URL')
    expect(required.toSorted()).toEqual(expected.toSorted())
  })
})

test('the table of src/redis/README.md has the settings of Redis, with their true defaults', () => {
  const rows = tableRows(page('src/redis/README.md')).filter(
    (row) => row.length === 3 && isSetting(inBackticks(row[0])[0] ?? ''),
  )
  const defaults = Object.fromEntries(
    rows.map((row) => [inBackticks(row[0])[0] ?? '', inBackticks(row.at(-1))[0] ?? '']),
  )
  expect(Object.keys(defaults)).toEqual(expect.arrayContaining(Object.keys(stores.environment.in.shape)))
  expect(readConfig({ ...SETTINGS, ...defaults })).toEqual(readConfig(SETTINGS))
})

test('the table of src/features/sso/README.md has every setting of single sign-on', () => {
  const names = tableRows(page('src/features/sso/README.md')).flatMap(([first]) => inBackticks(first))
  const settings = KIT_SETTINGS.filter((name) => /^(OIDC|SSO)_/.test(name))
  expect(names.filter((name) => /^(OIDC|SSO)_/.test(name)).toSorted()).toEqual(settings.toSorted())
})

test('src/tools/cli/README.md has every setting of the command line', () => {
  const names = tableRows(page('src/tools/cli/README.md')).flatMap(([first]) => inBackticks(first))
  expect(names).toEqual(expect.arrayContaining(TOOLS))
})

test('the table of keys in src/login/README.md has every secret, and no other setting', () => {
  const secrets = KIT_SETTINGS.filter((name) => !isNotNamedFile(name))
  const expected = [...secrets.map((name) => name.replace(/_FILE$/, '')), 'OIDC_CLIENT_KEY_FILE', ...TOOL_SECRETS]
  const names = tableRows(sectionOf('src/login/README.md', 'Keys')).flatMap(([first]) => inBackticks(first))
  expect(names.toSorted()).toEqual(expected.toSorted())
})

test('the connections in src/login/README.md name every address that the app or a command connects to', () => {
  const ofBrowsers = [
    'PUBLIC_URL',
    'PLAYER_RETURN_URL',
    'HELP_URL',
    'FORGOT_PASSWORD_URL',
    'TERMS_URL',
    'DOORS_OVER_URL',
    'WATCH_URL',
    'MANAGER_URL',
  ]
  const expected = [...KIT_SETTINGS, ...TOOLS].filter((name) => /_(URL|ISSUER)$/.test(name))
  const names = inBackticks(sectionOf('src/login/README.md', 'Connections'))
  expect(expected.filter((name) => !ofBrowsers.includes(name) && !names.includes(name))).toEqual([])
})

test('README.md has at most 130 lines', () => {
  expect(page('README.md').split('\n').length - 1).toBeLessThanOrEqual(130)
})

test('every link to a file in a README leads to a file', () => {
  const pages = globSync(['*.md', '.github/**/*.md', 'src/**/*.md', 'test/**/*.md'], { cwd: ROOT })
  const broken = pages.flatMap((name) => {
    const links = [...page(name).matchAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g)].map(([, path = '']) => path)
    return links
      .filter((path) => !isDeleted(join(name, '..', path)))
      .filter((path) => globSync(join(name, '..', path), { cwd: ROOT }).length === 0)
      .map((path) => `${name}: ${path}`)
  })
  expect(broken).toEqual([])
})

test('every link to a heading in a README leads to a heading', () => {
  const pages = globSync(['*.md', '.github/**/*.md', 'src/**/*.md', 'test/**/*.md'], { cwd: ROOT })
  const broken = pages.flatMap((name) =>
    [...page(name).matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g)]
      .map(([, path = '', anchor = '']) => ({ path: path === '' ? name : join(name, '..', path), anchor }))
      .filter(({ path, anchor }) => existsSync(join(ROOT, path)) && !anchorsOf(path).includes(anchor))
      .map(({ path, anchor }) => `${name}: ${path}#${anchor}`),
  )
  expect(broken).toEqual([])
})

test('no command of a README overwrites an existing .env', () => {
  const pages = [
    '.github/deploy/lock-a-channel.md',
    '.github/deploy/README.md',
    '.github/deploy/compose.md',
    'src/tools/emulator/README.md',
  ]
  const writing = pages
    .filter((name) => globSync(name, { cwd: ROOT }).length > 0)
    .flatMap((name) => [...page(name).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block))
    .filter((block) => /(^|[^>])> \.env$|install .*\.env( |$)/m.test(block))
  expect(writing.length).toBeGreaterThan(1)
  for (const block of writing) expect(block).toMatch(/^set -C|^ *\[ -e \.env \] \|\| install/m)
})

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(name: string): string[] {
  return [...page(name).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The text below a heading of the second level. */
function sectionOf(name: string, heading: string): string {
  return page(name).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

/** The rows of all tables of a page, each as its columns. */
function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'))
  return lines.map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
}

function isSetting(name: string): boolean {
  return KIT_SETTINGS.includes(name)
}

function inBackticks(column = ''): string[] {
  return [...column.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}

/** True for a setting of one user store, or the file of such a setting. */
function isOfStore(name: string): boolean {
  return STORE_SETTINGS.some((setting) => name === setting || name === `${setting}_FILE`)
}

/** False for the file of a secret. */
function isNotNamedFile(name: string): boolean {
  return !name.endsWith('_FILE') || !isSecret(name.slice(0, -'_FILE'.length))
}
