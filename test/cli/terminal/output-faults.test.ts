import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { serviceWithRows, viewOf } from '../report/report-service.ts'
import { runHere } from '../run-here.ts'

// Processes take their time to start on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 60_000 })

const program = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

describe('a report into a file', () => {
  let cwd: string
  let env: Record<string, string>
  beforeEach(async () => {
    cwd = temporaryFolder()
    env = await serviceWithRows('View', [viewOf()])
  })
  const report = (name: string) =>
    runHere(['report', 'views', '--last', '7d', '--csv', '--output', name === '' ? '' : `${cwd}/${name}`], { cwd, env })

  test('takes the place of what a link leads to, and leaves the link', async () => {
    mkdirSync(join(cwd, 'kept'))
    writeFileSync(join(cwd, 'kept', 'views.csv'), 'older')
    symlinkSync('kept/views.csv', join(cwd, 'latest.csv'))
    expect(await report('latest.csv')).toMatchObject({ status: 0 })
    expect(readlinkSync(join(cwd, 'latest.csv'))).toBe('kept/views.csv')
    expect(readFileSync(join(cwd, 'kept', 'views.csv'), 'utf8')).toMatch(/^view_id,/)
    expect(readdirSync(join(cwd, 'kept'))).toEqual(['views.csv'])
  })

  test.each([
    ['a device', 'device', () => symlinkSync('/dev/null', join(cwd, 'device'))],
    ['a folder', 'folder', () => mkdirSync(join(cwd, 'folder'))],
    ['a link that leads nowhere', 'link', () => symlinkSync('nowhere', join(cwd, 'link'))],
    ['a folder that is not there', 'none/', () => {}],
    ['an empty name', '', () => {}],
  ])('is refused in the place of %s, which stays', async (_case, name, make) => {
    make()
    const before = readdirSync(cwd).map((file) => lstatSync(join(cwd, file)).mode)
    const { status, stderr } = await report(name)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Failed: .*names no file that could be replaced: choose the name of a file\.\n$/)
    expect(readdirSync(cwd).map((file) => lstatSync(join(cwd, file)).mode)).toEqual(before)
  })

  test('may have the longest name that a file can have', async () => {
    const name = `${'n'.repeat(251)}.csv`
    expect(await report(name)).toMatchObject({ status: 0 })
    expect(readdirSync(cwd)).toEqual([name])
    expect(await report(`n${name}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('its name is too long'),
    })
  })
})

test('a full disk behind standard output is a failure in one sentence', () => {
  const script = '"$0" "$1" secret generate > /dev/full'
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'Failed: Standard output cannot be written (ENOSPC).\n'])
})

test('where nobody reads standard error, the exit status is what it would be', () => {
  const script = '{ "$0" "$1" secret bogus 2>&1 >/dev/null; echo $? >&3; } 3>&1 1>/dev/full'
  const { stdout } = spawnSync('bash', ['-c', script, process.execPath, program], { encoding: 'utf8' })
  expect(stdout).toBe('2\n')
})
