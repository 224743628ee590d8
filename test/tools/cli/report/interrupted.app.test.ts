import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { startProgram } from '../run-program.ts'
import { startReportService, viewOf } from './report-service.ts'

// Processes take their time to start on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 60_000 })

const VIEWS = ['report', 'views', '--from', '2026-11-20', '--to', '2026-11-21']
const WAYS: [name: string, args: string[]][] = [
  ['CSV', ['--csv', '--output', 'report']],
  ['JSON', ['--json', '--output', 'report']],
  ['a table', ['--output', 'report']],
  ['a page', ['--html', 'report']],
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

function leftIn(cwd: string): [files: string[], report: string] {
  return [readdirSync(cwd), readFileSync(join(cwd, 'report'), 'utf8')]
}

test.each(WAYS)('Ctrl-C during a report as %s leaves no part, and keeps the old file', async (_name, args) => {
  const { cwd, child, ended } = await startReport(args)
  expect(readdirSync(cwd)).toHaveLength(2)
  child.kill('SIGINT')
  const { status, stdout, stderr } = await ended
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^(Failed: Stopped\.|\{"error":"Stopped\."\})\n$/)
  expect(leftIn(cwd)).toEqual([['report'], 'older'])
})

test.each([
  ['SIGTERM', 143, 'a page', ['--html', 'report']],
  ['SIGHUP', 129, 'CSV', ['--csv', '--output', 'report']],
] as const)('%s exits with %d during a report as %s, and leaves no part', async (signal, expected, _name, args) => {
  const { cwd, child, ended } = await startReport(args)
  child.kill(signal)
  expect(await ended).toMatchObject({ status: expected, stdout: '' })
  expect(leftIn(cwd)).toEqual([['report'], 'older'])
})

test('a Ctrl-C repeated by npm counts once, and a second Ctrl-C ends a stubborn command without leaving a part', async () => {
  const cwd = temporaryFolder()
  const script = join(cwd, 'stubborn.mjs')
  const source = (path: string) => JSON.stringify(new URL(`../../../../src/tools/cli/${path}`, import.meta.url).href)
  writeFileSync(
    script,
    `import { openFileSink } from ${source('output/sink.ts')}
     import { onInterrupt } from ${source('terminal/interrupts.ts')}
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
