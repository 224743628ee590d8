import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { slimCommand } from '../../../src/tools/slim/slim-command.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

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
interface Run {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program in this process: its start would take longer than its work. */
async function slim(...args: string[]): Promise<Run> {
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isTerminal: false,
  }
  const status = await slimCommand(args, folder, io)
  return { status, stdout: out.join(''), stderr: err.join('') }
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

test('--keep removes the other parts, and package.json keeps the choice', async () => {
  expect(await slim('--keep', 'sqlite')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Parts that go: 1\n {2}ldap: ldap\nLines of src: 11 .*\nNow: npm ci/),
  })
  expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
  expect(read('src/stores.ts')).not.toContain('ldap')
  expect(read('README.md')).toBe('# Kit\n\nViewers are in a file.\n')
  expect(JSON.parse(read('package.json')).slim).toEqual({ keep: ['sqlite'] })
  commit('slim', {})
  expect(await slim()).toMatchObject({ status: 0, stdout: expect.stringMatching(/\nNothing was changed\.\n$/) })
  expect(git('status', '--porcelain')).toBe('')
})

test('a package that only the removed part used leaves package-lock.json', async () => {
  const dependencies = { ldapts: '1.0.0' }
  const lock = JSON.parse(KIT['package-lock.json'])
  const packages = { '': { name: 'kit', dependencies }, 'node_modules/ldapts': { version: '1.0.0' } }
  commit('package', {
    'package.json': JSON.stringify({ ...JSON.parse(KIT['package.json']), dependencies }),
    'package-lock.json': JSON.stringify({ ...lock, packages }),
    'src/users/ldap/store.ts': `import 'ldapts'\n\n${KIT['src/users/ldap/store.ts']}`,
  })
  expect(await slim('--keep', 'sqlite')).toMatchObject({ status: 0 })
  expect(read('package.json') + read('package-lock.json')).not.toContain('ldapts')
})

test('--dry-run lists what would go, and changes nothing', async () => {
  const { status, stdout } = await slim('--keep', 'sqlite', '--dry-run')
  expect(status).toBe(0)
  expect(stdout).toContain('  src/users/ldap/store.ts\n')
  expect(git('status', '--porcelain')).toBe('')
})

test.each([
  [['--keep', 'sqlite,radius'], 2, 'Unknown part: radius'],
  [['--keep', ''], 2, 'Unknown part'],
  [['--forget', 'ldap'], 2, '--forget'],
])('the arguments %j are wrong usage', async (args, status, message) => {
  expect(await slim(...args)).toMatchObject({ status, stderr: expect.stringContaining(message) })
})

test('the losses are named before a part goes, and a script is not asked', async () => {
  const loses = 'nobody in the directory can sign in.'
  const description = JSON.parse(KIT['src/users/ldap/part.json'])
  commit('loses', { 'src/users/ldap/part.json': JSON.stringify({ ...description, loses }) })
  expect(await slim('--keep', 'sqlite')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`\nWithout ldap: ${loses}\nLines of src`),
  })
})

test('without a terminal and --keep, slim names the parts to keep', async () => {
  const { status, stderr } = await slim()
  expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--keep') })
  expect(stderr).toContain('ldap, sqlite')
  expect(git('status', '--porcelain')).toBe('')
})

test('uncommitted changes are refused', async () => {
  writeFileSync(join(folder, 'README.md'), 'mine\n')
  expect(await slim('--keep', 'sqlite')).toMatchObject({ status: 1, stderr: expect.stringContaining('uncommitted') })
  expect(read('README.md')).toBe('mine\n')
})

describe('a release', () => {
  /** Makes a fork, and a release with these changes, and merges the release into the fork. */
  async function merge(
    ours: Readonly<Record<string, string>>,
    theirs: Readonly<Record<string, string>>,
    keep = 'sqlite',
  ): Promise<void> {
    git('checkout', '--quiet', '-b', 'fork')
    await slim('--keep', keep)
    commit('slim', ours)
    git('checkout', '--quiet', 'main')
    commit('release', theirs)
    git('checkout', '--quiet', 'fork')
    spawnSync('git', ['merge', '--quiet', '--no-edit', 'main'], { cwd: folder })
  }

  test('a release that changes a removed part and the list leaves no conflict', async () => {
    const list = KIT['src/stores.ts']
      .replace('  ldap,\n', '  ldap, // ldaps://…\n')
      .replace('  sqlite,\n', '  sqlite, // FILE\n')
    await merge(
      {},
      {
        'src/users/ldap/store.ts': 'export function ldap() {\n  return 2\n}\n',
        'src/users/ldap/new.ts': 'export const more = 1\n',
        'src/stores.ts': list,
        'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 2\n}\n',
      },
    )
    expect(git('status', '--porcelain')).toMatch(/^(?:DU|UU) /m)
    expect(await slim()).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('\nNow: npm ci') })
    expect(git('diff', '--name-only', '--diff-filter=U')).toBe('')
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
    expect(read('src/stores.ts')).toContain('sqlite, // FILE\n')
    expect(read('src/stores.ts')).not.toContain('ldap')
    expect(read('src/users/sqlite/store.ts')).toContain('return 2')
  })

  test('a release that changes the scripts leaves no conflict in package.json', async () => {
    const script = (name: string) => KIT['package.json'].replace('"scripts": {}', `"scripts": { "${name}": "node" }`)
    await merge(
      {},
      { 'package.json': script('start').replace('"devDependencies": {}', '"devDependencies": {}, "slim2": 1') },
    )
    expect(git('diff', '--name-only', '--diff-filter=U')).toContain('package.json')
    expect(await slim()).toMatchObject({ status: 0, stderr: '' })
    expect(git('diff', '--name-only', '--diff-filter=U')).toBe('')
    expect(JSON.parse(read('package.json'))).toMatchObject({ scripts: { start: 'node' }, slim: { keep: ['sqlite'] } })
  })

  test.each(['ours', 'theirs'])('package.json may be taken as one side has it: --%s', async (side) => {
    await merge({}, { 'package.json': KIT['package.json'].replace('{},\n  "dev', '{ "ejs": "1" },\n  "dev') })
    git('checkout', `--${side}`, 'package.json')
    expect(await slim()).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(read('package.json'))).toMatchObject({ dependencies: { ejs: '1' }, slim: { keep: ['sqlite'] } })
  })

  const NEW_PART = { 'src/users/radius/part.json': part('radius', 'user store', 'RADIUS') }
  const PROGRAM = 'src/tools/slim/slim.ts'
  const IN_CONFLICT = { 'src/users/ldap/store.ts': 'export function ldap() {\n  return 2\n}\n' }

  test('a release is slimmed by its own program', async () => {
    const program =
      "import { writeFileSync } from 'node:fs'\n\nexport const slimmed = (folder: string) => folder\n" +
      "export const write = (folder: string) => writeFileSync(folder + '/src/main.ts', 'slim\\n')\n"
    await merge({}, { [PROGRAM]: program, 'src/stores.ts': '' })
    expect(await slim()).toMatchObject({ status: 0, stderr: '' })
    expect(read('src/main.ts')).toBe('slim\n')
  })

  test('the program of a release that needs a missing package is not used', async () => {
    await merge({}, { ...NEW_PART, [PROGRAM]: "import 'missing-package'\n" })
    expect(await slim()).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(join(folder, 'src/users/radius'))).toBe(false)
  })

  test('a part that is new in a release goes', async () => {
    await merge(
      {},
      { 'src/users/radius/part.json': part('radius', 'user store', 'RADIUS'), 'src/users/radius/store.ts': '' },
    )
    expect(await slim()).toMatchObject({ status: 0 })
    expect(existsSync(join(folder, 'src/users/radius'))).toBe(false)
  })

  test('a part that the release has renamed is named', async () => {
    commit('token', { 'src/features/token/part.json': part('token', 'answer', 'tokens') })
    await merge({}, { 'src/features/token/part.json': part('viewer-token', 'answer', 'tokens') }, 'sqlite,token')
    expect(await slim()).toMatchObject({ status: 0, stdout: expect.stringContaining('no part token.') })
  })

  test('a release that renames the only user store is refused, and changes nothing', async () => {
    const program =
      'class WrongChoice extends Error {}\nexport const write = 0\n' +
      "export const slimmed = () => { throw new WrongChoice('Keep at least one user store.') }\n"
    const renamed = part('file', 'user store', 'a file')
    await merge({}, { 'src/users/sqlite/part.json': renamed, [PROGRAM]: program, ...IN_CONFLICT })
    const before = git('status', '--porcelain')
    expect(await slim()).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('no part sqlite.'),
      stderr: expect.stringContaining('user store'),
    })
    expect(git('status', '--porcelain')).toBe(before)
  })

  test('a line that the fork and the release both changed is left to the person, and named', async () => {
    await merge(
      { 'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 3\n}\n', 'src/mine.ts': 'export {}\n' },
      { 'src/users/sqlite/store.ts': 'export function sqlite() {\n  return 4\n}\n', 'src/users/ldap/store.ts': '' },
    )
    const { status, stderr } = await slim()
    expect(status).toBe(1)
    expect(stderr).toContain('src/users/sqlite/store.ts')
    expect(git('diff', '--name-only', '--diff-filter=U').trim()).toBe('src/users/sqlite/store.ts')
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
    expect(read('src/mine.ts')).toBe('export {}\n')
  })

  test('work that is not committed is not lost in a merge', async () => {
    await merge({}, IN_CONFLICT)
    writeFileSync(join(folder, 'README.md'), 'mine\n')
    expect(await slim()).toMatchObject({ status: 1, stderr: expect.stringContaining('merge left it: README.md.') })
    expect(read('README.md')).toBe('mine\n')
  })

  test('a conflict that a person resolved stays resolved', async () => {
    const body = (value: number) => ({
      'src/users/sqlite/store.ts': `export function sqlite() {\n  return ${value}\n}\n`,
    })
    await merge(body(3), { ...body(4), ...IN_CONFLICT })
    writeFileSync(join(folder, 'src/users/sqlite/store.ts'), 'export {}\n')
    git('add', 'src/users/sqlite/store.ts')
    expect(await slim()).toMatchObject({ status: 1, stderr: expect.stringContaining('sqlite/store.ts') })
    expect(read('src/users/sqlite/store.ts')).toBe('export {}\n')
  })

  test('other parts cannot be chosen in a merge', async () => {
    await merge({}, { ...NEW_PART, ...IN_CONFLICT })
    const before = git('status', '--porcelain')
    expect(await slim('--keep', 'sqlite,radius')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('merge is under way'),
    })
    expect(git('status', '--porcelain')).toBe(before)
  })

  test('a merge keeps the changes that were made by hand', async () => {
    await merge({}, NEW_PART)
    writeFileSync(join(folder, 'src/main.ts'), 'export {}\n')
    git('commit', '--quiet', '--all', '--amend', '--no-edit')
    expect(await slim()).toMatchObject({ status: 0 })
    expect(read('src/main.ts')).toBe('export {}\n')
    expect(existsSync(join(folder, 'src/users/radius'))).toBe(false)
  })

  test('fewer parts can be chosen after a merge', async () => {
    git('checkout', '--quiet', '-b', 'fork')
    await slim('--keep', 'sqlite,ldap')
    commit('slim', {})
    git('checkout', '--quiet', 'main')
    commit('release', { 'src/new.ts': 'export {}\n' })
    git('checkout', '--quiet', 'fork')
    git('merge', '--quiet', '--no-edit', 'main')
    expect(await slim('--keep', 'sqlite')).toMatchObject({ status: 0 })
    expect(existsSync(join(folder, 'src/users/ldap'))).toBe(false)
  })
})
