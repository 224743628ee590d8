import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { type Copy, copyOf } from './copy.ts'

const DRILL = join(import.meta.dirname, 'drill.ts')

let copy: Copy
beforeAll(async () => {
  copy = await copyOf('HEAD')
})
afterAll(() => copy.remove())

test.each([
  ['each typical fork, and each part removed and added alone', []],
  ['20 choices by chance', ['--random', '20']],
  ['two parts that share files, removed together', ['--pairs']],
])(
  '%s: every fork is whole',
  async (_forks, args) => {
    const options = { maxBuffer: 1 << 28 }
    const { stdout } = await promisify(execFile)(process.execPath, [DRILL, ...args], options).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toMatch(/^\d+ green, 0 red, 0 not checked$/m)
  },
  10_800_000,
)

test('the packages of a fork are those that npm ci installs', async () => {
  write(copy.folder, slimmed(copy.folder, ['http', 'token']))
  copy.install()
  const linked = filesIn(copy.folder)
  expect(await copy.run('rm -r node_modules && npm ci --prefer-offline --no-audit')).toMatchObject({ ok: true })
  expect(linked).toEqual(filesIn(copy.folder))
}, 600_000)

/** Lists the files of all packages with their sizes. An optional package of another platform's packages may be there. */
function filesIn(folder: string): string[] {
  const packages = join(folder, 'node_modules')
  return readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.package-lock') && !path.startsWith('tslib'))
    .map((path) => `${path} ${statSync(join(packages, path)).size}`)
    .toSorted()
}
