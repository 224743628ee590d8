import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'
import { changeKept, keptFolder } from './kept-rows.ts'
import { startPartService } from './part-service.ts'

const FIXED = ['--from', '2026-11-20', '--to', '2026-11-21']
type Service = Awaited<ReturnType<typeof startPartService>>

describe('report --resume', () => {
  let cwd: string
  let service: Service
  beforeEach(async () => {
    cwd = temporaryFolder()
    service = await startPartService()
  })
  const report = (options: readonly string[], file = 'report', name = 'views') =>
    runHere(['report', name, ...options, '--output', join(cwd, file)], { cwd, env: service.env })
  const text = (file = 'report') => readFileSync(join(cwd, file), 'utf8')
  async function cutReport(options: readonly string[]) {
    const cut = await report(options)
    expect(cut.status).toBe(1)
    expect(cut.stderr).toContain('To continue, run the same command with --resume.')
    service.state.cutAt = null
    service.state.asked = []
  }

  test.each([
    ['CSV', ['--csv']],
    ['CSV for Excel', ['--csv', '--excel']],
    ['JSON', ['--json']],
  ])('a report as %s that is cut and continued has the bytes of one in a single go', async (_name, format) => {
    await cutReport([...FIXED, ...format])
    expect(existsSync(join(cwd, 'report'))).toBe(false)
    const ended = await report([...FIXED, ...format, '--resume'])
    expect(ended).toMatchObject({ status: 0, stdout: '' })
    expect(ended.stderr).toMatch(/^Continues .*report after page 2, with 6 rows so far\.\n/)
    expect(ended.stderr).toMatch(/view_type is not of the documented type \(5×\)\n15 rows in /)
    expect(service.state.asked.map((asked) => asked.slice(-1))).toEqual(['3', '4', '5'])
    expect(readdirSync(cwd)).toEqual(['report'])
    await report([...FIXED, ...format], 'whole')
    expect(text()).toBe(text('whole'))
  })

  test('a report that is cut twice has the bytes of one in a single go', async () => {
    service.state.cutAt = 2
    await cutReport([...FIXED, '--csv'])
    service.state.cutAt = 4
    await report([...FIXED, '--csv', '--resume'])
    service.state.cutAt = null
    expect(await report([...FIXED, '--csv', '--resume'])).toMatchObject({ status: 0 })
    await report([...FIXED, '--csv'], 'whole')
    expect(text()).toBe(text('whole'))
  })

  test('a continued report keeps the period of its first command', async () => {
    await report(['--last', '28d', '--csv'])
    const [first = ''] = service.state.asked
    service.state.cutAt = null
    service.state.asked = []
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await report(['--last', '28d', '--csv', '--resume'])).toMatchObject({ status: 0 })
    expect(service.state.asked.map((asked) => asked.slice(0, -2))).toEqual(Array(3).fill(first.slice(0, -2)))
  })

  const OTHERS: [what: string, options: string[], words: string][] = [
    ['format', [...FIXED, '--json'], 'the format'],
    ['mark for Excel', [...FIXED, '--csv', '--excel'], '--excel'],
    ['content', [...FIXED, '--csv', '--content', 'live', '--id', '7'], '--content, --id'],
    ['period', ['--from', '2026-11-20', '--to', '2026-11-22', '--csv'], 'the period'],
  ]
  test.each(OTHERS)(
    '--resume refuses the part of a report with another %s, and keeps it',
    async (_what, options, words) => {
      await cutReport([...FIXED, '--csv'])
      const { status, stderr } = await report([...options, '--resume'])
      expect([status, stderr]).toEqual([1, expect.stringContaining('another question')])
      expect(stderr).toContain(`(${words})`)
      expect(await report([...FIXED, '--csv', '--resume'])).toMatchObject({ status: 0 })
    },
  )

  test('--resume refuses the part of another report and another client', async () => {
    await cutReport([...FIXED, '--csv'])
    expect((await report([...FIXED, '--csv', '--resume'], 'report', 'viewers')).stderr).toContain('the report')
    service.env = { ...service.env, SERVICE_CLIENT_ID: 'b'.repeat(40) }
    expect((await report([...FIXED, '--csv', '--resume'])).stderr).toContain('SERVICE_CLIENT_ID')
  })

  const DAMAGES: [what: string, damage: (folder: string) => void][] = [
    ['a short database', (folder) => truncateSync(join(folder, 'rows.db'), 5_000)],
    ['a database that is none', (folder) => writeFileSync(join(folder, 'rows.db'), 'x'.repeat(9_000))],
    ['rows of another release', () => changeKept(cwd, () => ({ form: 1 }))],
    ['a record that is none', (folder) => fileInstead(folder)],
    ['a link in place of the folder', (folder) => linkInstead(folder)],
    ['a folder that others can read', (folder) => chmodSync(folder, 0o750)],
  ]
  test.each(DAMAGES)('--resume refuses %s, and a new report replaces it', async (_what, damage) => {
    await cutReport([...FIXED, '--csv'])
    damage(keptFolder(cwd))
    const { status, stderr } = await report([...FIXED, '--csv', '--resume'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('Begin anew without --resume.')])
    expect(await report([...FIXED, '--csv'])).toMatchObject({ status: 0 })
    expect(readdirSync(cwd).filter((name) => !name.endsWith('.copy'))).toEqual(['report'])
  })

  test.each([
    ['continued', ['--resume']],
    ['begun anew', []],
  ])('a report that another command writes is not %s', async (_what, resume) => {
    await cutReport([...FIXED, '--csv'])
    using running = new DatabaseSync(join(keptFolder(cwd), 'rows.db'))
    running.exec('BEGIN EXCLUSIVE')
    const { status, stderr } = await report([...FIXED, '--csv', ...resume])
    expect([status, stderr]).toEqual([1, expect.stringContaining('Another command writes the report in')])
    running.close()
    expect(await report([...FIXED, '--csv', ...resume])).toMatchObject({ status: 0 })
    expect(readdirSync(cwd)).toEqual(['report'])
  })

  test('a new report that is cut before its first page leaves the kept rows', async () => {
    await cutReport([...FIXED, '--csv'])
    service.state.cutAt = 1
    expect(await report([...FIXED, '--csv'])).toMatchObject({ status: 1 })
    service.state.cutAt = null
    service.state.asked = []
    expect(await report([...FIXED, '--csv', '--resume'])).toMatchObject({ status: 0 })
    expect(service.state.asked.map((asked) => asked.slice(-1))).toEqual(['3', '4', '5'])
  })

  test('--resume refuses the rows of another user, who could read the report', async () => {
    await cutReport([...FIXED, '--csv'])
    const spy = vi.spyOn(process, 'geteuid').mockReturnValue((process.geteuid?.() ?? 0) + 1)
    onTestFinished(() => spy.mockRestore())
    const { status, stderr } = await report([...FIXED, '--csv', '--resume'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('not yours alone')])
  })

  test('--resume says that there is nothing to continue in a complete file', async () => {
    service.state.cutAt = null
    await report([...FIXED, '--csv'])
    service.state.asked = []
    const ended = await report([...FIXED, '--csv', '--resume'])
    expect(ended).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Nothing to continue: .*report is complete/),
    })
    expect(service.state.asked).toEqual([])
  })

  test('--resume begins a new report if there is no file, so that a loop can repeat one command', async () => {
    service.state.cutAt = null
    expect(await report([...FIXED, '--csv', '--resume'])).toMatchObject({ status: 0 })
    expect(readdirSync(cwd)).toEqual(['report'])
  })

  test('a new report without --resume removes the part that it replaces', async () => {
    await cutReport([...FIXED, '--csv'])
    expect(await report([...FIXED, '--csv'])).toMatchObject({ status: 0 })
    expect(readdirSync(cwd)).toEqual(['report'])
  })

  test('only this user can read the kept rows', async () => {
    await cutReport([...FIXED, '--csv'])
    const modes = [keptFolder(cwd), join(keptFolder(cwd), 'rows.db')].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })

  test.each([
    ['--csv', '--resume'],
    ['--resume', '--output', 'report'],
    ['--resume', '--html', 'report'],
  ])('--resume without a CSV or JSON file is wrong usage: %s %s', async (...options) => {
    const { status, stderr } = await runHere(['report', 'views', ...options], { cwd, env: service.env })
    expect([status, stderr]).toEqual([2, expect.stringContaining('--resume needs --output, and --csv or --json')])
  })
})

/** Puts a link to a copy in the place of the folder. */
function linkInstead(folder: string): void {
  renameSync(folder, `${folder}.copy`)
  symlinkSync(`${folder}.copy`, folder)
}

function fileInstead(folder: string): void {
  renameSync(folder, `${folder}.copy`)
  writeFileSync(folder, '{"form":1}')
}
