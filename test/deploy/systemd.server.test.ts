import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import PACKAGE from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../users/temporary-folder.ts'

const UNIT = new URL('../../.github/deploy/viewer-auth.service', import.meta.url)
const TEXT = readFileSync(UNIT, 'utf8')
/** At most 10; above 5 the tool itself says "exposed". */
const MOST_EXPOSED_TENTHS = 20

function analyze(unit: string, ...args: string[]) {
  const file = join(temporaryFolder(), 'viewer-auth.service')
  writeFileSync(file, unit)
  const { status, stdout, stderr } = spawnSync('/usr/bin/systemd-analyze', [...args, file], { encoding: 'utf8' })
  return { status, output: status === 0 ? '' : stdout + stderr }
}
/** The unit with a program of this machine, because the tool checks that the program exists. */
const runnable = TEXT.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)

test('systemd accepts the unit, and would refuse a misspelled one', () => {
  expect(analyze(runnable, 'verify')).toEqual({ status: 0, output: '' })
  expect(analyze(runnable.replace('ExecStart=', 'ExecStrt='), 'verify').status).not.toBe(0)
})

test('the unit takes rights away that the program does not need', () => {
  const exposed = analyze(TEXT, 'security', '--offline=yes', `--threshold=${MOST_EXPOSED_TENTHS}`)
  expect(exposed).toEqual({ status: 0, output: '' })
})

test('the unit starts the same program as npm start', () => {
  const flags = (command: string) => command.match(/--max-\S+|src\/main\.ts/g)
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(TEXT) ?? []
  expect(flags(command)).toEqual(flags(PACKAGE.scripts.start))
})
