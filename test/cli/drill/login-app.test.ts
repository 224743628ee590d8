import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { programSettings, startLoginProgram } from '../../login/login-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { startService } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import type { DrillEnded } from './plain-app.ts'

// Each test starts programs, and hashes a password for each sign-in.
vi.setConfig({ testTimeout: 90_000 })

const PROGRAM = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))
const COUNT = 12

async function drillMadeUp(url: string, env: Record<string, string>, args: readonly string[]) {
  const cwd = temporaryFolder()
  const command = ['drill', '--json', '--url', url, '--make-up-viewers', '--count', String(COUNT), ...args]
  const { status, stdout, stderr } = await runHere(command, { cwd, env: { PATH: process.env.PATH ?? '', ...env } })
  const { checks } = JSON.parse(stdout) as DrillEnded['data']
  const listed = await runHere(['viewers', 'list', '--json'], { cwd, env })
  const left = listed.stdout.includes('drill-')
  return { status, stderr, left, failed: checks.filter(({ isMet }) => !isMet) }
}

test('made-up viewers sign in to the login app, come back with their sessions, and are removed', async () => {
  const settings = programSettings()
  const { port, output } = await startLoginProgram(settings)
  const args = ['--over', '2s', '--wrong', '25', '--returns', '50']
  const ended = await drillMadeUp(`http://localhost:${port}/`, settings, args)
  expect(ended).toMatchObject({ status: 0, failed: [], left: false })
  // The hash of every response was checked with HASH_SECRET.
  expect(ended.stderr).not.toContain('Warning')
  const logged = (outcome: string) => output().split(`"outcome":"${outcome}"`).length - 1
  expect([logged('signed-in'), logged('wrong-credentials')]).toEqual([COUNT, 3])
  expect(logged('returned')).toBeGreaterThanOrEqual(5)
})

test('a copy that is killed and started again fails no viewer', async () => {
  const settings = programSettings()
  const copies = [await startLoginProgram(settings), await startLoginProgram(settings)]
  const [first] = copies
  const ports = copies.map(({ port }) => port)
  const balancer = await startService((req, res) => {
    const bytes: Buffer[] = []
    const [preferred = 0, other = 0] = Math.random() < 0.5 ? ports : ports.toReversed()
    const pass = (port: number, onError: () => void) => {
      const { method, url: path, headers } = req
      const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(res)
        answer.on('error', () => res.destroy())
      })
      passed.on('error', onError)
      passed.end(Buffer.concat(bytes))
    }
    const badGateway = () => (res.headersSent ? res.destroy() : res.writeHead(502).end())
    req.on('data', (chunk: Buffer) => bytes.push(chunk)).on('end', () => pass(preferred, () => pass(other, badGateway)))
  })
  const folder = temporaryFolder()
  const [script, pidFile] = [join(folder, 'start'), join(folder, 'pid')]
  writeFileSync(script, `"${process.execPath}" "${PROGRAM}" &\necho $! > "${pidFile}"\n`)
  onTestFinished(() => {
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
    if (pid > 0) process.kill(pid, 'SIGKILL')
  })
  const env = { ...settings, PORT: String(first?.port) }
  const args = ['--over', '4s', '--at', `1.5s=kill -9 ${first?.child.pid}`, '--at', `2.5s=. ${script}`]
  const ended = await drillMadeUp(`${balancer.origin}/`, env, args)
  expect(ended).toMatchObject({ status: 0, failed: [], left: false })
  expect((await first?.ended)?.signal).toBe('SIGKILL')
  // The copy that the command started in the background outlives the command.
  const statusOf = () =>
    fetch(`http://127.0.0.1:${first?.port}/health/live`).then(
      ({ status }) => status,
      () => null,
    )
  await expect.poll(statusOf, { timeout: 30_000 }).toBe(200)
})
