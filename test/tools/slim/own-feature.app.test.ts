import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { rowsFor } from '../../rows.ts'
import { SETTINGS } from '../../settings.ts'
import { type Copy, copyOf } from './copy.ts'
import { addFeature, FILES, linesOfRelease } from './forking-page.ts'

/** A slim fork with the feature of the page. */
let fork: Copy

beforeAll(async () => {
  fork = await copyOf('HEAD')
  write(fork.folder, slimmed(fork.folder, ['sqlite', 'hash', 'doctor']))
  addFeature(fork.folder)
})

afterAll(() => fork.remove())

const settings = Object.entries({ ...SETTINGS, PUBLIC_URL: 'http://localhost:1', WEEKDAYS_ONLY: 'on' })
  .map(([name, value]) => `${name}='${value}'`)
  .join(' ')

test('the page has the files of a feature', () => {
  expect(FILES.map(([, path]) => path)).toEqual([
    'src/features/weekdays/feature.ts',
    'src/tools/features/weekdays/tools.ts',
    'src/tools/features/weekdays/check.ts',
    'test/features/weekdays/weekdays.test.ts',
  ])
})

test('the feature of the page has the right types, imports and format in a slim fork', async () => {
  const { output } = await fork.run('tsc && biome check --write src test && biome check src test')
  expect(output).not.toContain('error')
  expect(await fork.run('vitest run --config test/vitest.config.ts --project unit test/walls.test.ts')).toMatchObject({
    ok: true,
  })
})

test('the test of the page passes in a slim fork', async () => {
  const { ok, output } = await fork.run(
    'vitest run --config test/vitest.config.ts --project unit test/features/weekdays',
  )
  expect({ ok, output }).toMatchObject({ ok: true })
})

async function expectCommand(): Promise<void> {
  const { output } = await fork.run(`${settings} node src/tools/cli/main.ts weekdays --json`)
  expect(JSON.parse(output)).toEqual({ today: expect.stringMatching(/^Today is the weekend|^Viewers can watch/) })
}

async function expectCheck(): Promise<void> {
  const { output } = await fork.run(`${settings} node src/tools/cli/main.ts doctor --json`)
  const codes = JSON.parse(output).findings.map(({ code }: { code: string }) => code)
  expect(codes.filter((code: string) => ['weekend', 'weekday'].includes(code))).toHaveLength(1)
}

test('the command of the page runs', expectCommand)

test('the doctor runs the check of the page', expectCheck)

interface Packages {
  version?: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Updates a package beside removed ones, adds one, and removes one, as in package.json so in package-lock.json. */
function changePackages(folder: string): void {
  const edit = (name: string, change: (file: Packages & { packages: Record<string, Packages> }) => void) => {
    const file = join(folder, name)
    const json = JSON.parse(readFileSync(file, 'utf8'))
    change(json)
    writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`)
  }
  const change = (root: Packages | undefined) => {
    const sorted = Object.entries({ ...root?.dependencies, 'lru-cache': '11.99.0', 'math-intrinsics': '1.1.0' }).sort()
    if (!root) throw new Error('package-lock.json describes no package')
    root.dependencies = Object.fromEntries(sorted)
    delete root.devDependencies['js-yaml']
  }
  edit('package.json', change)
  edit('package-lock.json', ({ packages }) => {
    change(packages[''])
    Object.assign(packages['node_modules/lru-cache'] ?? {}, { version: '11.99.0' })
  })
}

/** `slim-command.app.test.ts` takes in releases in every run. */
const RELEASES = rowsFor([], ['v1.2.0'])

test.each(RELEASES)(
  'the lines of the page take in %s, and the feature still works',
  async (version) => {
    const release = await copyOf('HEAD')
    onTestFinished(() => release.remove())
    changePackages(release.folder)
    const changed = await release.run(
      `echo "// New" | tee -a src/users/ldap/kind.ts src/users/sqlite/kind.ts && git commit --quiet --all -m r && git tag ${version}`,
    )
    expect(changed).toMatchObject({ ok: true })
    await fork.run('git add --all && git commit --quiet --message fork')
    const outcomes: { ok: boolean; output: string }[] = []
    for (const line of linesOfRelease(release.folder, version)) outcomes.push(await fork.run(line))
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(outcomes[1]?.output).toContain('conflict in package.json')
    expect(await fork.run('git diff --name-only --diff-filter=U')).toEqual({ ok: true, output: '' })
    const { slim, dependencies, devDependencies } = JSON.parse(readFileSync(join(fork.folder, 'package.json'), 'utf8'))
    expect(slim.keep).toContain('doctor')
    expect(dependencies).toMatchObject({ 'lru-cache': '11.99.0', 'math-intrinsics': '1.1.0' })
    expect(Object.keys({ ...dependencies, ...devDependencies })).not.toContain('js-yaml')
    const { packages } = JSON.parse(readFileSync(join(fork.folder, 'package-lock.json'), 'utf8'))
    expect(packages['']).toMatchObject({ dependencies, devDependencies })
    expect(packages['node_modules/lru-cache'].version).toBe('11.99.0')
    expect((await fork.run('git ls-files src/users/ldap')).output).toBe('')
    expect(readFileSync(join(fork.folder, 'src/users/sqlite/kind.ts'), 'utf8')).toContain('// New')
    await expectCommand()
    await expectCheck()
  },
  300_000,
)
