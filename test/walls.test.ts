import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

/** The walls between the rooms are settings of the linter; here it is seen to refuse what it is set to refuse. */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIOME = join(ROOT, 'node_modules/.bin/biome')
const IMPORT = 'lint/style/noRestrictedImports'

/** One file of each room, and the rooms that its files may import. */
const ROOMS: Record<string, { file: string; mayImport: readonly string[] }> = {
  main: { file: 'src/main.ts', mayImport: ['main', 'app', 'config', 'login', 'users', 'hash-lock', 'errors'] },
  app: { file: 'src/app.ts', mayImport: ['app', 'config', 'login', 'users', 'hash-lock', 'errors'] },
  config: { file: 'src/config.ts', mayImport: ['config', 'users', 'hash-lock', 'errors'] },
  errors: { file: 'src/errors.ts', mayImport: [] },
  login: { file: 'src/login/plant.ts', mayImport: ['login', 'users', 'hash-lock', 'errors'] },
  'hash-lock': { file: 'src/hash-lock/plant.ts', mayImport: ['hash-lock', 'errors'] },
  users: { file: 'src/users/plant.ts', mayImport: ['users', 'hash-lock', 'errors'] },
  'video-service': { file: 'src/video-service/plant.ts', mayImport: ['video-service', 'hash-lock', 'errors'] },
  cli: {
    file: 'src/cli/plant.ts',
    mayImport: ['cli', 'config', 'users', 'video-service', 'hash-lock', 'errors'],
  },
  emulator: {
    file: 'src/emulator/plant.ts',
    mayImport: ['emulator', 'a room of the emulator', 'hash-lock', 'errors'],
  },
  'a room of the emulator': {
    file: 'src/emulator/rest/plant.ts',
    mayImport: ['emulator', 'a room of the emulator', 'hash-lock', 'errors'],
  },
}
const ALL_ROOMS = Object.keys(ROOMS)
const TESTS: typeof ROOMS = {
  'tests of the emulator': { file: 'test/emulator/plant.ts', mayImport: ALL_ROOMS },
  'other tests': {
    file: 'test/login/plant.ts',
    mayImport: ALL_ROOMS.filter((room) => !room.includes('emulator')),
  },
}

const MISDEEDS: readonly { deed: string; file: string; source: string; rule: string }[] = [
  {
    deed: 'a file read by the protocol',
    file: 'src/hash-lock/reads.ts',
    source: "import { readFileSync } from 'node:fs'\nexport const text = readFileSync('x')\n",
    rule: IMPORT,
  },
  {
    deed: 'a package in the protocol',
    file: 'src/hash-lock/logs.ts',
    source: "import pino from 'pino'\nexport const log = pino()\n",
    rule: IMPORT,
  },
  {
    deed: 'the emulator loaded at run time by the screens',
    file: 'src/login/loads.ts',
    source: "export const late = await import('../emulator/plant.ts')\n",
    rule: IMPORT,
  },
  {
    deed: 'a type of the emulator in the screens',
    file: 'src/login/types.ts',
    source: "import type { Seed } from '../emulator/plant.ts'\nexport type Copy = Seed\n",
    rule: IMPORT,
  },
  {
    deed: 'a name of the emulator passed on by a user store',
    file: 'src/users/passes.ts',
    source: "export { plant } from '../emulator/plant.ts'\n",
    rule: IMPORT,
  },
  {
    deed: 'the emulator in the bench',
    file: 'test/bench/plant.ts',
    source: "import { plant } from '../../src/emulator/plant.ts'\nexport const own = plant\n",
    rule: IMPORT,
  },
  {
    deed: 'a promise that nobody awaits',
    file: 'src/login/floats.ts',
    source: `
      async function save(): Promise<void> { await Promise.resolve() }
      export function go(): void { save() }`,
    rule: 'lint/nursery/noFloatingPromises',
  },
  {
    deed: 'a promise of an interface that nobody awaits',
    file: 'src/login/floats-too.ts',
    source: `
      interface Store { find(name: string): Promise<string> }
      export function go(store: Store): void { store.find('ada') }`,
    rule: 'lint/nursery/noFloatingPromises',
  },
  {
    deed: 'a promise taken for its truth',
    file: 'src/login/misuses.ts',
    source: `
      async function isAllowed(): Promise<boolean> { return await Promise.resolve(false) }
      export function go(): number { return isAllowed() ? 1 : 2 }`,
    rule: 'lint/nursery/noMisusedPromises',
  },
  {
    deed: 'an asynchronous function where its promise is dropped',
    file: 'src/login/drops.ts',
    source: `
      async function save(name: string): Promise<void> { await Promise.resolve(name) }
      export function go(names: string[]): void { names.forEach(async (name) => { await save(name) }) }`,
    rule: 'lint/nursery/noMisusedPromises',
  },
  {
    deed: 'a case that a switch forgets',
    file: 'src/login/forgets.ts',
    source: `
      export function word(answer: 'yes' | 'no'): string {
        switch (answer) { case 'yes': return 'Yes' }
        return ''
      }`,
    rule: 'lint/nursery/useExhaustiveSwitchCases',
  },
  {
    deed: 'the environment read by a screen',
    file: 'src/login/reads-environment.ts',
    source: 'export const secret = process.env.HASH_SECRET\n',
    rule: 'lint/style/noProcessEnv',
  },
  {
    deed: 'the environment read by the schema of the settings',
    file: 'src/emulator/settings.ts',
    source: 'export const port = process.env.EMULATOR_PORT\n',
    rule: 'lint/style/noProcessEnv',
  },
  {
    deed: 'a barrel',
    file: 'src/users/all.ts',
    source: "export * from './plant.ts'\n",
    rule: 'lint/performance/noBarrelFile',
  },
  {
    deed: 'a default export',
    file: 'src/users/nameless.ts',
    source: 'export default 1\n',
    rule: 'lint/style/noDefaultExport',
  },
  {
    deed: 'a message on the console of the server',
    file: 'src/users/talks.ts',
    source: 'export function talk(): void { console.log(1) }\n',
    rule: 'lint/suspicious/noConsole',
  },
  {
    deed: 'a circle of imports',
    file: 'src/users/first.ts',
    source: "import { second } from './second.ts'\nexport const first = (): unknown => second\n",
    rule: 'lint/suspicious/noImportCycles',
  },
  {
    deed: 'a file name in another style',
    file: 'src/users/camelCase.ts',
    source: 'export const one = 1\n',
    rule: 'lint/style/useFilenamingConvention',
  },
]

const GOOD_DEEDS: readonly { deed: string; file: string; source: string }[] = [
  { deed: 'the environment read by a program', file: 'src/cli/main.ts', source: 'export const env = process.env\n' },
  {
    deed: 'the wording of the screens imported by them',
    file: 'src/login/words.ts',
    source: "import en from '../../views/languages/en.json' with { type: 'json' }\nexport const words = en\n",
  },
  {
    deed: 'what an entry point is imported by the settings',
    file: 'src/entry-points.ts',
    source: "import type { EntryPoint } from './login/entry-point.ts'\nexport type All = readonly EntryPoint[]\n",
  },
  {
    deed: 'the digest imported by the protocol',
    file: 'src/hash-lock/digest.ts',
    source: "import { createHash } from 'node:crypto'\nexport const md5 = () => createHash('md5')\n",
  },
]

const Report = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      location: z.object({ path: z.string(), start: z.object({ line: z.number() }) }),
    }),
  ),
})

type Finding = z.infer<typeof Report>['diagnostics'][number]

let folder: string
let findings: Finding[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walls-'))
  await cp(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
  for (const { file } of Object.values({ ...ROOMS, ...TESTS })) await plant(file, importsOfAllRooms(file))
  for (const { file, source } of [...MISDEEDS, ...GOOD_DEEDS]) await plant(file, source)
  await plant('src/users/second.ts', "import { first } from './first.ts'\nexport const second = (): unknown => first\n")
  const args = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.']
  const { stdout } = spawnSync(BIOME, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 })
  findings = Report.parse(JSON.parse(stdout)).diagnostics
})

afterAll(() => rm(folder, { recursive: true }))

async function plant(file: string, source: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), source)
}

/** The nth line imports the nth room. */
function importsOfAllRooms(from: string): string {
  const lines = ALL_ROOMS.map((room, index) => {
    const path = relative(dirname(from), ROOMS[room]?.file ?? '')
    return `import { plant as plant${index} } from '${path.startsWith('.') ? path : `./${path}`}'`
  })
  return `${lines.join('\n')}\nexport const plant = [${ALL_ROOMS.map((_room, index) => `plant${index}`).join(', ')}]\n`
}

function rulesBrokenBy(path: string): string[] {
  return findings.filter(({ location }) => location.path === path).map(({ category }) => category)
}

describe('the linter', () => {
  test.each(Object.entries({ ...ROOMS, ...TESTS }))(
    'lets %s import the rooms it may know, no other',
    (_, { file, mayImport }) => {
      const refusedLines = findings
        .filter(({ category, location }) => category === IMPORT && location.path === file)
        .map(({ location }) => location.start.line)
      expect(ALL_ROOMS.filter((_room, index) => !refusedLines.includes(index + 1))).toEqual(
        ALL_ROOMS.filter((room) => mayImport.includes(room)),
      )
    },
  )

  test.each(MISDEEDS)('refuses $deed', ({ file, rule }) => {
    expect(rulesBrokenBy(file)).toContain(rule)
  })

  test.each(GOOD_DEEDS)('does not mind $deed', ({ file }) => {
    expect(rulesBrokenBy(file)).toEqual([])
  })
})
