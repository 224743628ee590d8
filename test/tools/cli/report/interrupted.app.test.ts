import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { startProgram } from '../run-program.ts'
import { startReportService, viewOf } from './report-service.ts'
import { keptFolder } from './resume/kept-rows.ts'
import { startPartService } from './resume/part-service.ts'

const VIEWS = ['report', 'views', '--from', '2026-11-20', '--to', '2026-11-21']
const WAYS: [name: string, kept: string[], args: string[]][] = [
  ['CSV keeps its rows', ['resume'], ['--csv', '--output', 'report']],
  ['JSON keeps its rows', ['resume'], ['--json', '--output', 'report']],
  ['a table leaves no part', [], ['--output', 'report']],
  ['a page leaves no part', [], ['--html', 'report']],
]

/** A service that answers the first page but not the second. `isAsked` resolves when the second is requested. */
async function serviceThatHangs(): Promise<{ env: Record<string, string>; isAsked: Promise<unknown> }> {
  const asked = new AbortController()
  const data = [{ type: 'View', attributes: viewOf() }]
  const env = await startReportService((req, res) => {
    const isFirst = req.url?.includes('_page=1&') ?? false
    if (!isFirst) return asked.abort()
    sendJson(res, { data, pagination: { count: 2, next: { href: '?_page=2' } } })
  })
  return { env, isAsked: once(asked.signal, 'abort') }
}

async function startReport(args: readonly string[]) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'report'), 'older')
  const { env, isAsked } = await serviceThatHangs()
  const running = startProgram([...VIEWS, ...args], { cwd, env })
  await isAsked
  return { cwd, ...running }
}

function leftIn(cwd: string): [ends: (string | undefined)[], report: string] {
  const ends = readdirSync(cwd).map((name) => name.split('.').at(-1))
  return [ends.sort(), readFileSync(join(cwd, 'report'), 'utf8')]
}

test.each(WAYS)('Ctrl-C during a report as %s, and leaves the old file as it is', async (_name, kept, args) => {
  const { cwd, child, ended } = await startReport(args)
  child.kill('SIGINT')
  const { status, stdout, stderr } = await ended
  expect([status, stdout]).toEqual([1, ''])
  const how = kept.length > 0 ? ' The rows so far are kept. To continue, run the same command with --resume.' : ''
  expect([`Failed: Stopped.${how}\n`, `{"error":"Stopped.${how}"}\n`]).toContain(stderr)
  expect(leftIn(cwd)).toEqual([[...kept, 'report'].sort(), 'older'])
})

test.each([
  ['SIGTERM', 143, 'a page leaves no part', [], ['--html', 'report']],
  ['SIGHUP', 129, 'CSV keeps its rows', ['resume'], ['--csv', '--output', 'report']],
] as const)('%s exits with %d, and a report as %s', async (signal, expected, _name, kept, args) => {
  const { cwd, child, ended } = await startReport(args)
  child.kill(signal)
  expect(await ended).toMatchObject({ status: expected, stdout: '' })
  expect(leftIn(cwd)).toEqual([[...kept, 'report'].sort(), 'older'])
})

test('a Ctrl-C repeated by npm counts once, and a second Ctrl-C ends a stubborn command without leaving a part', async () => {
  const cwd = temporaryFolder()
  const script = join(cwd, 'stubborn.mjs')
  const source = (path: string) => JSON.stringify(new URL(`../../../../src/tools/cli/${path}`, import.meta.url).href)
  writeFileSync(
    script,
    `import { openFileSink } from ${source('terminal/sink.ts')}
     import { onInterrupt } from ${source('terminal/io.ts')}
     const sink = await openFileSink('report')
     await sink.write('half')
     const timesMs = [1_000, 1_300, 1_301]
     onInterrupt(() => process.stdout.write('told '), () => timesMs.shift())
     process.on('SIGINT', () => process.stdout.write('alive'))
     process.stdout.write('ready')
     setInterval(() => {}, 1_000)`,
  )
  const child = spawn(process.execPath, [script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await expect.poll(() => said, { timeout: 30_000 }).toBe('ready')
  expect(readdirSync(cwd)).toHaveLength(2)
  child.kill('SIGINT')
  await expect.poll(() => said).toBe('readytold alive')
  child.kill('SIGINT')
  await expect.poll(() => said).toBe('readytold alivealive')
  child.kill('SIGINT')
  expect(await exited).toEqual([130, null])
  expect(readdirSync(cwd)).toEqual(['stubborn.mjs'])
})

test.each([
  ['CSV', '--csv'],
  ['JSON', '--json'],
])('a report as %s that was killed is continued, with the bytes of one in a single go', async (_name, format) => {
  const cwd = temporaryFolder()
  const { env, state } = await startPartService(() => null)
  const into = (name: string) => [...VIEWS, format, '--output', join(cwd, name)]
  const { child, ended } = startProgram(into('report'), { cwd, env })
  await expect.poll(() => state.asked.length, { timeout: 30_000 }).toBe(3)
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ status: null })
  keepHalfPage(cwd)
  state.cutAt = null
  expect(await runHere([...into('report'), '--resume'], { cwd, env })).toMatchObject({ status: 0, stdout: '' })
  expect(state.asked.map((asked) => asked.slice(-1))).toEqual(['1', '2', '3', '3', '4', '5'])
  expect(readdirSync(cwd)).toEqual(['report'])
  await runHere(into('whole'), { cwd, env })
  expect(readFileSync(join(cwd, 'report'), 'utf8')).toBe(readFileSync(join(cwd, 'whole'), 'utf8'))
})

/** Adds rows that no page completed, as a command does that is killed while it writes to the disk. */
function keepHalfPage(cwd: string): void {
  const script = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1])
    database.exec('PRAGMA cache_size = 1; BEGIN')
    for (let row = 0; row < 1000; row += 1) database.prepare('INSERT INTO text VALUES (?)').run('3-0,ada@'.repeat(1000))
    process.kill(process.pid, 'SIGKILL')`
  const { signal } = spawnSync(process.execPath, ['-e', script, join(keptFolder(cwd), 'rows.db')])
  expect(signal).toBe('SIGKILL')
  expect(readdirSync(keptFolder(cwd))).toContain('rows.db-wal')
}
