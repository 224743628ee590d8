import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

/**
 * The walls between the rooms are rules in biome.json. A wrong pattern there would silently allow everything. So this
 * test plants a file in each room that imports all rooms, and checks which imports the linter refuses.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIOME = join(ROOT, 'node_modules/.bin/biome')
const RULE = 'lint/style/noRestrictedImports'
const MOST_FILES = 14

const BELOW_LOGIN = [
  ...[
    'errors',
    'settings',
    'server',
    'hash-lock',
    'viewer-token',
    'languages',
    'brand',
    'sso-settings',
    'entry-points',
  ],
  ...['users', 'sessions', 'sign-in-limits', 'token-issuer'],
]

const SSO = ['sign-in-window', 'sso', 'passkeys']

/** The file to plant in each room, and the other rooms that it may import. */
const ROOMS: Readonly<Record<string, readonly [file: string, ...mayImport: string[]]>> = {
  errors: ['src/errors.ts'],
  server: ['src/server/plant.ts', 'errors'],
  settings: ['src/settings/plant.ts', 'errors'],
  'hash-lock': ['src/hash-lock/plant.ts', 'errors'],
  'viewer-token': ['src/viewer-token/plant.ts', 'errors'],
  languages: ['src/languages/plant.ts', 'errors'],
  brand: ['src/brand/plant.ts', 'errors', 'settings', 'languages'],
  'sso-settings': ['src/sso-settings/plant.ts', 'errors', 'settings'],
  'entry-points': [
    'src/entry-points/plant.ts',
    'errors',
    'settings',
    'hash-lock',
    'viewer-token',
    'languages',
    'brand',
    'sso-settings',
  ],
  mail: ['src/mail/plant.ts', 'errors', 'settings'],
  redis: ['src/redis/plant.ts', 'errors', 'settings', 'server'],
  users: ['src/users/sqlite/plant.ts', 'errors', 'settings', 'server', 'hash-lock'],
  sessions: ['src/sessions/plant.ts', 'errors', 'settings', 'server', 'redis', 'users'],
  'token-issuer': [
    'src/token-issuer/plant.ts',
    'errors',
    'settings',
    'server',
    'viewer-token',
    'entry-points',
    'users',
  ],
  'sign-in-limits': ['src/sign-in-limits/plant.ts', 'errors', 'settings', 'server', 'redis', 'users'],
  login: ['src/login/screens/plant.ts', ...BELOW_LOGIN],
  'sign-in-window': ['src/sign-in-window/flows/plant.ts', ...BELOW_LOGIN, 'redis', 'login'],
  sso: ['src/sso/provider/plant.ts', ...BELOW_LOGIN, 'redis', 'sign-in-window', 'login'],
  account: ['src/account/links/plant.ts', ...BELOW_LOGIN, 'mail', 'login'],
  passkeys: ['src/passkeys/web-authn/plant.ts', ...BELOW_LOGIN, 'sign-in-window', 'login', 'account'],
  config: [
    'src/config.ts',
    'errors',
    'settings',
    'hash-lock',
    'viewer-token',
    'entry-points',
    'mail',
    'redis',
    'users',
  ],
  app: ['src/app.ts', ...BELOW_LOGIN, 'mail', 'redis', ...SSO, 'login', 'account', 'config'],
  main: ['src/main.ts', ...BELOW_LOGIN, 'mail', 'redis', ...SSO, 'login', 'account', 'config', 'app'],
  'video-service': ['src/video-service/plant.ts', 'errors', 'settings', 'hash-lock', 'viewer-auth'],
  'viewer-auth': ['src/video-service/viewer-auth/plant.ts', 'errors', 'hash-lock', 'viewer-token', 'video-service'],
  cli: ['src/cli/service/plant.ts', ...BELOW_LOGIN, 'mail', 'sso', 'account', 'config', 'video-service', 'viewer-auth'],
  emulator: ['src/emulator/rest/plant.ts', 'errors', 'settings', 'server', 'hash-lock', 'viewer-token'],
}
const NAMES = Object.keys(ROOMS)

const Report = z.object({
  diagnostics: z.array(
    z.object({ category: z.string(), location: z.object({ path: z.string(), start: z.object({ line: z.number() }) }) }),
  ),
})

let folder: string
let refused: z.infer<typeof Report>['diagnostics']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walls-'))
  await cp(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  for (const [file] of [...Object.values(ROOMS), ['test/login/plant.ts']]) {
    if (file === undefined) continue
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), importsOfAllRooms(file))
  }
  const args = ['lint', `--only=${RULE.slice(5)}`, '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none']
  const { stdout } = spawnSync(BIOME, [...args, '.'], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 })
  refused = Report.parse(JSON.parse(stdout)).diagnostics.filter(({ category }) => category === RULE)
})

afterAll(() => rm(folder, { recursive: true }))

/** Returns a source whose nth line imports the nth room. */
function importsOfAllRooms(from: string): string {
  const lines = NAMES.map((name, index) => {
    const path = relative(dirname(from), ROOMS[name]?.[0] ?? '')
    return `import { plant as plant${index} } from '${path.startsWith('.') ? path : `./${path}`}'`
  })
  return `${lines.join('\n')}\nexport const plant = [${NAMES.map((_name, index) => `plant${index}`).join(', ')}]\n`
}

function importedBy(file: string): string[] {
  const lines = refused.filter(({ location }) => location.path === file).map(({ location }) => location.start.line)
  return NAMES.filter((_name, index) => !lines.includes(index + 1))
}

test.each(Object.entries(ROOMS))('the room %s may import only the rooms below it', (name, [file, ...mayImport]) => {
  expect(importedBy(file).filter((room) => room !== name)).toEqual(NAMES.filter((room) => mayImport.includes(room)))
})

test('a test outside test/emulator and test/with-emulator does not import the emulator', () => {
  expect(importedBy('test/login/plant.ts')).toEqual(NAMES.filter((room) => room !== 'emulator'))
})

test(`no folder of src has more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>()
  for (const { parentPath } of globSync('src/**/*.*', { cwd: ROOT, withFileTypes: true })) {
    counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1)
  }
  expect([...counts].filter(([, count]) => count > MOST_FILES).map(([path]) => relative(ROOT, path))).toEqual([])
})
