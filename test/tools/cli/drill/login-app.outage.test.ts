import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { ADMITTED_OPTIONS } from '../../../login/admitted.ts'
import { programSettings } from '../../../login/login-program.ts'
import { startLoginProgram } from '../../../login/start-program.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { startBalancer } from './balancer.ts'
import type { DrillEnded } from './plain-app.ts'

const PROGRAM = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url))
const COUNT = 12

async function drillMadeUp(url: string, env: Record<string, string>, args: readonly string[]) {
  const cwd = temporaryFolder()
  const command = [
    'drill',
    '--json',
    '--url',
    url,
    '--make-up-viewers',
    ...ADMITTED_OPTIONS,
    '--count',
    String(COUNT),
    ...args,
  ]
  const { status, stdout, stderr } = await runHere(command, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env, PUBLIC_URL: new URL(url).origin },
  })
  const { checks } = JSON.parse(stdout) as DrillEnded['data']
  const listed = await runHere(['viewers', 'list', '--json'], { cwd, env })
  const left = listed.stdout.includes('drill-')
  return { status, stderr, left, failed: checks.filter(({ isMet }) => !isMet) }
}

test('made-up viewers sign in at an entry point, come back with their sessions, and are removed', async () => {
  const { HASH_SECRET, PLAYER_RETURN_URL, PLAYER_ORIGINS, ...settings } = programSettings()
  const file = join(temporaryFolder(), 'entry-points.json')
  const entryPoint = { secret: HASH_SECRET, playerReturnUrl: PLAYER_RETURN_URL, playerOrigins: [PLAYER_ORIGINS] }
  writeFileSync(file, JSON.stringify([{ name: 'town-hall', ...entryPoint }]))
  const env = { ...settings, ENTRY_POINTS_FILE: file }
  const { port, output } = await startLoginProgram(env)
  const url = `http://localhost:${port}/e/town-hall?ustreamContentType=channel&ustreamContentId=1002`
  const ended = await drillMadeUp(url, env, ['--over', '2s', '--wrong', '25', '--returns', '50'])
  expect(ended).toMatchObject({ status: 0, failed: [], left: false })
  // The file has the secret of the entry point, so the hash of every response was checked.
  expect(ended.stderr).not.toContain('Warning')
  const logged = (outcome: string) => output().split(`"outcome":"${outcome}"`).length - 1
  expect([logged('signed-in'), logged('wrong-credentials')]).toEqual([COUNT, 3])
  expect(logged('returned')).toBeGreaterThanOrEqual(5)
})

test('Ctrl-C removes the made-up viewers', async () => {
  const settings = programSettings()
  const { port } = await startLoginProgram(settings)
  const cwd = temporaryFolder()
  const PUBLIC_URL = `http://localhost:${port}`
  const args = ['drill', '--url', `${PUBLIC_URL}/`, '--make-up-viewers', '--over', '10m']
  const ended = await runHere(args, { cwd, env: { ...settings, PUBLIC_URL }, interrupted: sleep(500) })
  expect(ended).toMatchObject({ status: 1, stdout: '' })
  expect((await runHere(['viewers', 'list'], { cwd, env: settings })).stdout).not.toContain('drill-')
})

test('a copy that is killed and started again fails no viewer', async () => {
  const settings = programSettings()
  const copies = [await startLoginProgram(settings), await startLoginProgram(settings)]
  const [first] = copies
  const balancer = await startBalancer(copies.map(({ port }) => port))
  const folder = temporaryFolder()
  const script = join(folder, 'start')
  const pidFile = join(folder, 'pid')
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
