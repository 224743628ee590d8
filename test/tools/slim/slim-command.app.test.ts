import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { ROOT } from './copy.ts'

const part = (name: string, kind: string, word: string) =>
  `${JSON.stringify({ name, kind, about: name, words: [word] }, null, 2)}\n`

const KIT = {
  'package.json': '{\n  "name": "kit",\n  "scripts": {},\n  "dependencies": {},\n  "devDependencies": {}\n}\n',
  'package-lock.json':
    '{\n  "name": "kit",\n  "lockfileVersion": 3,\n  "requires": true,\n  "packages": { "": { "name": "kit" } }\n}\n',
  'src/main.ts': "import { stores } from './stores.ts'\n\nstores.sqlite()\n",
  'src/stores.ts':
    "import { ldap } from './users/ldap/store.ts'\nimport { sqlite } from './users/sqlite/store.ts'\n\nexport const stores = {\n  sqlite,\n  ldap,\n}\n",
  'src/users/sqlite/part.json': part('sqlite', 'user store', 'SQLITE_'),
  'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 1\n}\n',
  'src/users/ldap/part.json': part('ldap', 'user store', 'LDAP'),
  'src/users/ldap/store.ts': 'export function ldap() {\n  return 1\n}\n',
  'README.md': '# Kit\n\nViewers are in a file.\n\nLDAP is far.\n',
}

let folder: string
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const slim = (...args: string[]) => {
  const program = [join(ROOT, 'src/tools/slim/main.ts'), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' })
  return { status, stdout, stderr }
}

function commit(message: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
}

beforeEach(() => {
  folder = temporaryFolder()
  git('init', '--quiet', '--initial-branch', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('config', 'merge.conflictStyle', 'merge')
  commit('kit', KIT)
})

test('--keep removes the other parts, and package.json keeps the choice', () => {
  expect(slim('--keep', 'sqlite')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Lines of src: 11 .*\nNow: npm ci/),
  })
  expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
  expect(read('src/stores.ts')).not.toContain('ldap')
  expect(read('README.md')).toBe('# Kit\n\nViewers are in a file.\n')
  expect(JSON.parse(read('package.json')).slim).toEqual({ keep: ['sqlite'] })
  commit('slim', {})
  expect(slim()).toMatchObject({ status: 0, stdout: expect.stringMatching(/\nNothing was changed\.\n$/) })
  expect(git('status', '--porcelain')).toBe('')
})

test('--dry-run lists what would go, and changes nothing', () => {
  const { status, stdout } = slim('--keep', 'sqlite', '--dry-run')
  expect(status).toBe(0)
  expect(stdout).toContain('  src/users/ldap/store.ts\n')
  expect(git('status', '--porcelain')).toBe('')
})

test.each([
  [['--keep', 'sqlite,radius'], 2, 'Unknown part: radius'],
  [['--keep', ''], 2, 'Unknown part'],
  [['--forget', 'ldap'], 2, '--forget'],
])('the arguments %j are wrong usage', (args, status, message) => {
  expect(slim(...args)).toMatchObject({ status, stderr: expect.stringContaining(message) })
})

test('uncommitted changes are refused', () => {
  writeFileSync(join(folder, 'README.md'), 'mine\n')
  expect(slim('--keep', 'sqlite')).toMatchObject({ status: 1, stderr: expect.stringContaining('uncommitted') })
  expect(read('README.md')).toBe('mine\n')
})

describe('a release', () => {
  /** Makes a fork, and a release with these changes, and merges the release into the fork. */
  function merge(ours: Readonly<Record<string, string>>, theirs: Readonly<Record<string, string>>): void {
    git('checkout', '--quiet', '-b', 'fork')
    slim('--keep', 'sqlite')
    commit('slim', ours)
    git('checkout', '--quiet', 'main')
    commit('release', theirs)
    git('checkout', '--quiet', 'fork')
    spawnSync('git', ['merge', '--quiet', '--no-edit', 'main'], { cwd: folder })
  }

  test('a release that changes a removed part and the list leaves no conflict', () => {
    const list = KIT['src/stores.ts']
      .replace('  ldap,\n', '  ldap, // ldaps://…\n')
      .replace('  sqlite,\n', '  sqlite, // FILE\n')
    merge(
      {},
      {
        'src/users/ldap/store.ts': 'export function ldap() {\n  return 2\n}\n',
        'src/users/ldap/new.ts': 'export const more = 1\n',
        'src/stores.ts': list,
        'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 2\n}\n',
      },
    )
    expect(git('status', '--porcelain')).toMatch(/^(?:DU|UU) /m)
    expect(slim()).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('\nNow: npm ci') })
    expect(git('diff', '--name-only', '--diff-filter=U')).toBe('')
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
    expect(read('src/stores.ts')).toContain('sqlite, // FILE\n')
    expect(read('src/stores.ts')).not.toContain('ldap')
    expect(read('src/users/sqlite/store.ts')).toContain('return 2')
  })

  test('a release that changes the scripts leaves no conflict in package.json', () => {
    const script = (name: string) => KIT['package.json'].replace('"scripts": {}', `"scripts": { "${name}": "node" }`)
    merge({}, { 'package.json': script('start').replace('"devDependencies": {}', '"devDependencies": {}, "slim2": 1') })
    expect(git('diff', '--name-only', '--diff-filter=U')).toContain('package.json')
    expect(slim()).toMatchObject({ status: 0, stderr: '' })
    expect(git('diff', '--name-only', '--diff-filter=U')).toBe('')
    expect(JSON.parse(read('package.json'))).toMatchObject({ scripts: { start: 'node' }, slim: { keep: ['sqlite'] } })
  })

  test('a part that is new in a release goes', () => {
    merge({}, { 'src/users/radius/part.json': part('radius', 'user store', 'RADIUS'), 'src/users/radius/store.ts': '' })
    expect(slim()).toMatchObject({ status: 0 })
    expect(existsSync(join(folder, 'src/users/radius'))).toBe(false)
  })

  test('a line that the fork and the release both changed is left to the person, and named', () => {
    merge(
      { 'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 3\n}\n', 'src/mine.ts': 'export {}\n' },
      { 'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 4\n}\n', 'src/users/ldap/store.ts': '' },
    )
    const { status, stderr } = slim()
    expect(status).toBe(1)
    expect(stderr).toContain('src/users/sqlite/store.ts')
    expect(git('diff', '--name-only', '--diff-filter=U').trim()).toBe('src/users/sqlite/store.ts')
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
    expect(read('src/mine.ts')).toBe('export {}\n')
  })

  const NEW_PART = { 'src/users/radius/part.json': part('radius', 'user store', 'RADIUS') }
  const IN_CONFLICT = { 'src/users/ldap/store.ts': 'export function ldap() {\n  return 2\n}\n' }

  test('work that is not committed is not lost in a merge', () => {
    merge({}, IN_CONFLICT)
    writeFileSync(join(folder, 'README.md'), 'mine\n')
    expect(slim()).toMatchObject({ status: 1, stderr: expect.stringContaining('merge left it: README.md.') })
    expect(read('README.md')).toBe('mine\n')
  })

  test('a conflict that a person resolved stays resolved', () => {
    const body = (value: number) => ({
      'src/users/sqlite/store.ts': `export function sqlite() {\n  return ${value}\n}\n`,
    })
    merge(body(3), { ...body(4), ...IN_CONFLICT })
    writeFileSync(join(folder, 'src/users/sqlite/store.ts'), 'export {}\n')
    git('add', 'src/users/sqlite/store.ts')
    expect(slim()).toMatchObject({ status: 1, stderr: expect.stringContaining('sqlite/store.ts') })
    expect(read('src/users/sqlite/store.ts')).toBe('export {}\n')
  })

  test('other parts cannot be chosen in a merge', () => {
    merge({}, { ...NEW_PART, ...IN_CONFLICT })
    const before = git('status', '--porcelain')
    expect(slim('--keep', 'sqlite,radius')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('merge is under way'),
    })
    expect(git('status', '--porcelain')).toBe(before)
  })

  test('a merge keeps the changes that were made by hand', () => {
    merge({}, NEW_PART)
    writeFileSync(join(folder, 'src/main.ts'), 'export {}\n')
    git('commit', '--quiet', '--all', '--amend', '--no-edit')
    expect(slim()).toMatchObject({ status: 0 })
    expect(read('src/main.ts')).toBe('export {}\n')
    expect(existsSync(join(folder, 'src/users/radius'))).toBe(false)
  })

  test('fewer parts can be chosen after a merge', () => {
    git('checkout', '--quiet', '-b', 'fork')
    slim('--keep', 'sqlite,ldap')
    commit('slim', {})
    git('checkout', '--quiet', 'main')
    commit('release', { 'src/new.ts': 'export {}\n' })
    git('checkout', '--quiet', 'fork')
    git('merge', '--quiet', '--no-edit', 'main')
    expect(slim('--keep', 'sqlite')).toMatchObject({ status: 0 })
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
  })
})
