import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import PACKAGE from '../package.json' with { type: 'json' }
import { temporaryFolder } from './users/temporary-folder.ts'

const CHECK = fileURLToPath(new URL('../src/require-node.cjs', import.meta.url))

/** Runs the check as a Node of this version would. */
function runAs(version: string) {
  const pretence = join(temporaryFolder(), 'version.cjs')
  const versions = JSON.stringify({ ...process.versions, node: version })
  writeFileSync(pretence, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return spawnSync(process.execPath, ['--require', pretence, '--require', CHECK, '-e', 'console.log("started")'], {
    encoding: 'utf8',
  })
}

test.each(['20.20.2', '22.11.0'])('Node %s ends with one sentence that says what to do', (version) => {
  const { status, stdout, stderr } = runAs(version)
  expect({ status, stdout, lines: stderr.split('\n').length - 1 }).toEqual({ status: 1, stdout: '', lines: 1 })
  expect(stderr).toContain(PACKAGE.devDependencies.node)
})

test.each(['24.0.0', '26.1.0'])('Node %s starts the program', (version) => {
  expect(runAs(version)).toMatchObject({ status: 0, stdout: 'started\n', stderr: '' })
})

test('compiled code of earlier starts is there before the first file of the program', () => {
  const { NODE_COMPILE_CACHE: _ofTheTests, ...env } = process.env
  const print = "console.log(require('node:module').getCompileCacheDir())"
  const { stdout } = spawnSync(process.execPath, ['--require', CHECK, '-e', print], { env, encoding: 'utf8' })
  expect(stdout).toContain(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))
})

test('every script that starts a program of src checks the version first', () => {
  const programs = Object.values(PACKAGE.scripts).filter((script) => /\bsrc\/.*main\.ts$/.test(script))
  expect(programs.length).toBeGreaterThan(1)
  for (const script of programs) expect(script).toMatch(/^(exec )?node --require=\.\/src\/require-node\.cjs /)
})
