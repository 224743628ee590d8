import { once } from 'node:events'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { serviceWithRows, viewOf } from './report-service.ts'

describe('report --output', () => {
  let cwd: string
  let env: Record<string, string>
  beforeEach(async () => {
    cwd = temporaryFolder()
    env = await serviceWithRows('View', [viewOf()])
  })
  const report = (name: string) =>
    runHere(['report', 'views', '--last', '7d', '--csv', '--output', name === '' ? '' : `${cwd}/${name}`], { cwd, env })

  test('report --output replaces the target of a symbolic link and keeps the link', async () => {
    mkdirSync(join(cwd, 'kept'))
    writeFileSync(join(cwd, 'kept', 'views.csv'), 'older')
    symlinkSync('kept/views.csv', join(cwd, 'latest.csv'))
    expect(await report('latest.csv')).toMatchObject({ status: 0 })
    expect(readlinkSync(join(cwd, 'latest.csv'))).toBe('kept/views.csv')
    expect(readFileSync(join(cwd, 'kept', 'views.csv'), 'utf8')).toMatch(/^view_id,/)
    expect(readdirSync(join(cwd, 'kept'))).toEqual(['views.csv'])
  })

  test.each([
    ['a socket', 'socket', () => listenAt(join(cwd, 'socket'))],
    ['a folder', 'folder', () => mkdirSync(join(cwd, 'folder'))],
    ['a broken link', 'link', () => symlinkSync('nowhere', join(cwd, 'link'))],
    ['a missing folder', 'none/', () => {}],
    ['an empty name', '', () => {}],
  ])('report --output refuses %s and leaves it as it is', async (_case, name, make) => {
    await make()
    const before = readdirSync(cwd).map((file) => lstatSync(join(cwd, file)).mode)
    const { status, stderr } = await report(name)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Failed: .*\n$/)
    expect(readdirSync(cwd).map((file) => lstatSync(join(cwd, file)).mode)).toEqual(before)
  })

  test('report --output accepts the longest file name and refuses a longer one', async () => {
    const name = `${'n'.repeat(251)}.csv`
    expect(await report(name)).toMatchObject({ status: 0 })
    expect(readdirSync(cwd)).toEqual([name])
    expect(await report(`n${name}`)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Failed: .*\n$/) })
  })
})

/** A test that replaced a device would break the machine, so this stands for one. */
async function listenAt(path: string): Promise<void> {
  const server = createServer().listen(path)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}
