import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { drill, ONE_VISIT_EACH, startPlainApp } from './plain-app.ts'

describe('commands of the operator', () => {
  test('a store that is away and comes back fails no viewer', async () => {
    const app = await startPlainApp()
    const { awayFile } = app
    const args = ['--over', '2s', '--outage', `0.5s=: > ${awayFile}`, '--at', `1.5s=rm ${awayFile}`, ...ONE_VISIT_EACH]
    const ended = await drill(app, args)
    expect([ended.status, ended.failed]).toEqual([0, []])
    expect(ended.data.timeline.some(({ askedToWait }) => askedToWait > 0)).toBe(true)
    expect(ended.data.causes[0]).toMatchObject({ name: 'store-down', text: expect.stringContaining('USER_STORE_URL') })
    expect(ended.data.signInsPerSecond.highest).toBeGreaterThan(0)
    expect(ended.data.commands.map(({ exitStatus }) => exitStatus)).toEqual([0, 0])
    expect(existsSync(awayFile)).toBe(false)
  })

  test('a request without an answer fails the drill unless a command explains it', async () => {
    let rightPasswords = 0
    // In the middle of the drill, so that they are sent after the command.
    const isBroken = () => rightPasswords > 10 && rightPasswords <= 13
    const app = await startPlainApp((answer, { kind }) => {
      rightPasswords += kind === 'right' ? 1 : 0
      return kind === 'right' && isBroken() ? { status: 502, headers: { 'retry-after': '0' } } : answer
    })
    expect((await drill(app, ONE_VISIT_EACH)).failed).toEqual(['unanswered'])
    rightPasswords = 0
    expect((await drill(app, ['--at', '0.1s=true', ...ONE_VISIT_EACH])).failed).toEqual([])
  })

  test('a failed command shows its output and fails the drill', async () => {
    const app = await startPlainApp()
    const { failed, stderr, data } = await drill(app, ['--at', '0.1s=echo some trouble; exit 3', ...ONE_VISIT_EACH])
    expect(failed).toEqual(['commands'])
    expect(data.commands.map(({ exitStatus }) => exitStatus)).toEqual([3])
    expect(stderr).toContain('some trouble')
  })

  test('commands run one after another, also if one takes long', async () => {
    const app = await startPlainApp()
    const args = ['--over', '1s', '--at', '0.1s=sleep 0.5', '--at', '0.1s=sleep 0.1 & true', ...ONE_VISIT_EACH]
    const [first, second] = (await drill(app, args)).data.commands
    expect(second?.startedMs).toBeGreaterThanOrEqual(first?.endedMs ?? Number.POSITIVE_INFINITY)
  })
})

describe('Ctrl-C', () => {
  test('Ctrl-C lets the running command finish, says which commands ran, and writes no page', async () => {
    const app = await startPlainApp()
    const cwd = temporaryFolder()
    const csv = join(cwd, 'viewers.csv')
    const marks = join(cwd, 'marks')
    writeFileSync(csv, `username,password\nada,${app.password}\n`)
    const args = ['--over', '1m', '--html', join(cwd, 'drill.html')]
    const commands = [
      '--at',
      `0.5s=echo began >> ${marks}; sleep 0.5; echo ended >> ${marks}`,
      '--at',
      '50s=echo never',
    ]
    const program = fileURLToPath(new URL('../../../../src/tools/cli/main.ts', import.meta.url))
    const child = spawn(
      process.execPath,
      [program, 'drill', '--url', app.url, '--viewers', csv, ...args, ...commands],
      { cwd, env: { PATH: process.env.PATH } },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    await expect.poll(() => existsSync(marks), { timeout: 15_000 }).toBe(true)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([1, null])
    expect(readFileSync(marks, 'utf8')).toBe('began\nended\n')
    expect(readdirSync(cwd).toSorted()).toEqual(['marks', 'viewers.csv'])
    const [, ran = '', notRun = ''] = stderr.split(/These commands (?:ran|did not run):/)
    expect(stderr).toMatch(/still runs: echo began/)
    expect([ran.includes('echo began'), notRun.includes('echo never'), ran.includes('never')]).toEqual([
      true,
      true,
      false,
    ])
  })
})
