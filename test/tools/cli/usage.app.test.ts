import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import PACKAGE from '../../../package.json' with { type: 'json' }
import { runHere } from './run-here.ts'
import { runProgram } from './run-program.ts'

const cwd = tmpdir()

test('--version prints the version of the package', async () => {
  expect(await runHere(['--version'], { cwd })).toEqual({ status: 0, stdout: `${PACKAGE.version}\n`, stderr: '' })
})

test.each([
  [['help'], ['--help']],
  [
    ['help', 'viewers'],
    ['viewers', '--help'],
  ],
])('%j prints the help of %j', async (help, option) => {
  const ended = await runHere(help, { cwd })
  expect(ended).toEqual(await runHere(option, { cwd }))
  expect([ended.status, ended.stderr]).toEqual([0, ''])
})

test.each([
  [['nope', '--json']],
  [['viewers', '--json']],
  [['viewers', 'list', '--json', '--nope']],
  [['viewers', 'list', '--limit', 'many', '--json']],
])('%j is wrong usage, as one line of JSON', async (args) => {
  const { status, stdout, stderr } = await runHere(args, { cwd })
  expect([status, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toEqual({ error: expect.stringMatching(/^(?!error)./) })
})

test('COLUMNS is the width of the help, also without a terminal', async () => {
  const widestLine = async (env: Record<string, string>) => {
    const { stdout } = await runProgram(['report', 'views', '--help'], { cwd, env })
    const prose = stdout.split('\n').filter((line) => !line.startsWith('  $'))
    return Math.max(...prose.map((line) => line.length))
  }
  expect(await widestLine({ COLUMNS: '60' })).toBeLessThanOrEqual(60)
  expect(await widestLine({})).toBeLessThanOrEqual(80)
  expect(await widestLine({ COLUMNS: '160' })).toBeGreaterThan(100)
})

test.each([
  [
    ['viewers', 'set-'],
    ['set-password', 'set-end'],
  ],
  [['viewers', 'list', '--js'], ['--json']],
  [['chan'], ['channel']],
  [['nope', ''], []],
])('a shell completes %j with %j', async (typed, words) => {
  const { status, stdout } = await runProgram(['complete', '--', ...typed], { cwd })
  const offered = stdout.split('\n').flatMap((line) => (line.includes('\t') ? line.split('\t', 1) : []))
  expect([status, offered]).toEqual([0, words])
})

test.each([
  ['bash', 'complete -F '],
  ['zsh', '#compdef viewer-auth'],
])('%s gets a script for its completion', async (shell, line) => {
  const { status, stdout, stderr } = await runProgram(['complete', shell], { cwd })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain(line)
})
