import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { SETTINGS } from '../../settings.ts'
import { type Copy, copyOf, ROOT } from './copy.ts'

const PAGE = readFileSync(join(ROOT, '.github/FORKING.md'), 'utf8')
/** The files of the page, each with its path before it. */
const FILES = [...PAGE.matchAll(/^`([\w./-]+\.ts)`[^\n]*:\n```ts\n([\s\S]*?)```/gm)]
const LISTS = [
  ['src/features.ts', './features/weekdays/feature.ts'],
  ['src/tools/features.ts', './features/weekdays/tools.ts'],
] as const

/** A slim fork with the feature of the page. */
let fork: Copy

beforeAll(async () => {
  fork = await copyOf('HEAD')
  write(fork.folder, slimmed(fork.folder, ['sqlite', 'hash', 'doctor']))
  for (const [, path = '', text = ''] of FILES) {
    mkdirSync(dirname(join(fork.folder, path)), { recursive: true })
    writeFileSync(join(fork.folder, path), text)
  }
  for (const [list, address] of LISTS) {
    const file = join(fork.folder, list)
    const before = readFileSync(file, 'utf8')
    const line = before.includes('FEATURES = {}') ? 'FEATURES = { weekdays }' : 'FEATURES = {\n  weekdays,'
    writeFileSync(file, `import { weekdays } from '${address}'\n${before.replace(/FEATURES = \{\}?/, line)}`)
  }
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

test('the command of the page runs', async () => {
  const { output } = await fork.run(`${settings} node src/tools/cli/main.ts weekdays --json`)
  expect(JSON.parse(output)).toEqual({ today: expect.stringMatching(/^Today is the weekend|^Viewers can watch/) })
})

test('the doctor runs the check of the page', async () => {
  const { output } = await fork.run(`${settings} node src/tools/cli/main.ts doctor --json`)
  const codes = JSON.parse(output).findings.map(({ code }: { code: string }) => code)
  expect(codes.filter((code: string) => ['weekend', 'weekday'].includes(code))).toHaveLength(1)
})
