import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { type Guard, presentGuards, provenRows, ROOT, testsOf } from './guards.ts'
import { testsIn } from './table.ts'

const NOT_COPIED = ['node_modules', '.git'].map((name) => join(ROOT, name))
const LONGEST_RUN_MS = 600_000

const Test = z.object({ status: z.string(), title: z.string() })
const Report = z.object({ testResults: z.array(z.object({ assertionResults: z.array(Test) })) })

/** The titles of tests that passed and failed. */
interface Outcome {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

/**
 * Takes out every guard of guards.txt in a copy of the project, one at a time, and prints if the tests of its
 * requirements fail. Sets the exit status to 1 if some still pass.
 * @param only the ids of requirements, or folders whose guards are taken out; none: all.
 */
export function mutate(only: readonly string[]): void {
  const rows = provenRows()
  const folder = copyProject()
  const failedOnce = new Set<string>()
  let green = 0
  const isChosen = ({ ids, file }: Guard) => only.some((one) => ids.includes(one) || file.startsWith(`${one}/`))
  const guards = presentGuards().filter((guard) => only.length === 0 || isChosen(guard))
  const runWith = createRuns(folder)
  for (const guard of guards) {
    const fromMs = performance.now()
    const titlesOf = (id: string) => testsOf(rows, id, guard)
    const titles = [...new Set(guard.ids.flatMap(titlesOf))]
    const failing = runWith(guard, titles)
    for (const title of failing) failedOnce.add(`${guard.testFile} ${title}`)
    const isRed = guard.ids.every((id) => titlesOf(id).some((title) => failing.includes(title)))
    if (!isRed) green += 1
    const seconds = ((performance.now() - fromMs) / 1000).toFixed(1)
    const [line = ''] = guard.text.trim().split('\n')
    console.log([guard.ids, guard.file, guard.testFile, line, isRed ? 'red' : 'GREEN', `${seconds} s`].join(' | '))
  }
  rmSync(folder, { recursive: true })
  const named = new Set(rows.flatMap(({ proof }) => testsIn(proof).map(({ file, title }) => `${file} ${title}`)))
  console.log(`${guards.length} guards taken out, ${green} without a failing test`)
  console.log(`${failedOnce.size} of ${named.size} named tests failed`)
  if (green > 0) process.exitCode = 1
}

function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guards-'))
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !NOT_COPIED.includes(path) })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Returns a function that takes out a guard, runs tests, and returns the titles of those that pass only with the guard. */
function createRuns(folder: string) {
  const sound = new Map<string, Outcome>()
  return ({ file, testFile, text, replacement }: Guard, titles: readonly string[]): string[] => {
    const key = JSON.stringify([testFile, titles])
    const before = sound.get(key) ?? runTests(folder, testFile, titles)
    sound.set(key, before)
    const path = join(folder, file)
    const code = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      code.replace(text, () => replacement),
    )
    const after = runTests(folder, testFile, titles)
    writeFileSync(path, code)
    const has = (list: readonly string[], title: string) => list.some((one) => patternOf(title).test(one))
    return titles.filter((title) => has(before.passed, title) && !has(before.failed, title) && has(after.failed, title))
  }
}

/** Runs the tests with these titles. A file that cannot be loaded has neither passed nor failed tests. */
function runTests(folder: string, testFile: string, titles: readonly string[]): Outcome {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const names = titles.map((title) => patternOf(title).source.slice(1, -1)).join('|')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--project=!soak']
  const output = ['--reporter=json', `--outputFile=${report}`, '-t', names]
  const run = { cwd: folder, stdio: 'ignore', timeout: LONGEST_RUN_MS } as const
  spawnSync(process.execPath, [...vitest, ...output, fileOf(folder, testFile)], run)
  const found = existsSync(report) ? Report.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults : []
  const tests = found.flatMap(({ assertionResults }) => assertionResults)
  const titlesWith = (wanted: string) => tests.flatMap(({ status, title }) => (status === wanted ? title : []))
  return { passed: titlesWith('passed'), failed: titlesWith('failed') }
}

/** Returns the file, or for a contract the first file that uses it: one without a server, if there is one. */
function fileOf(folder: string, testFile: string): string {
  if (testFile.endsWith('.test.ts')) return `test/${testFile}`
  const uses = (path: string) => readFileSync(join(folder, path), 'utf8').includes(`/${basename(testFile)}'`)
  const needs = (path: string) => path.split('.').length
  const [first = testFile] = globSync('test/**/*.test.ts', { cwd: folder })
    .filter(uses)
    .toSorted((a, b) => needs(a) - needs(b))
  return first
}

/** Matches the titles of a test whose source has placeholders: `%s`, `$name` or `${name}`. */
function patternOf(title: string): RegExp {
  const parts = title.split(/%[a-z]|\$\{[^}]*\}|\$\w+/)
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('.*')}$`, 's')
}
