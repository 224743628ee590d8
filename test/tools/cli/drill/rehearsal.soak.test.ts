import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ADMITTED_OPTIONS } from '../../../login/admitted.ts'
import { programSettings } from '../../../login/login-program.ts'
import { startLoginProgram } from '../../../login/start-program.ts'
import { startRedis } from '../../../redis/servers/redis.ts'
import { startPostgres } from '../../../users/postgres/server.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { startService } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { startBalancer } from './balancer.ts'
import type { DrillEnded } from './plain-app.ts'

vi.setConfig({ testTimeout: 400_000 })

const PROGRAM = fileURLToPath(new URL('../../../../src/main.ts', import.meta.url))

test('all viewers get in while Redis, PostgreSQL and a copy are taken away and brought back', async () => {
  const postgres = await startPostgres()
  const redis = await startRedis()
  onTestFinished(async () => {
    await postgres.stop()
    await redis.remove()
  })
  const actions: Readonly<Record<string, () => Promise<void>>> = {
    '/redis-stop': () => redis.stop(),
    '/redis-start': () => redis.restart(),
    '/postgres-stop': () => postgres.halt(),
    '/postgres-start': () => postgres.restart(),
  }
  const control = await startService(async (req, res) => {
    await actions[req.url ?? '']?.()
    res.end()
  })
  const cwd = temporaryFolder()
  const settings = {
    ...programSettings(),
    USER_STORE_URL: postgres.url({ database: await postgres.createDatabase() }),
    SESSION_STORE_URL: redis.url,
    LIMITS_STORE_URL: redis.url,
  }
  expect(await runHere(['viewers', 'migrate'], { cwd, env: settings })).toMatchObject({ status: 0 })
  const first = await startLoginProgram(settings)
  const second = await startLoginProgram(settings)
  const balancer = await startBalancer([first.port, second.port])
  const script = join(cwd, 'start')
  const pidFile = join(cwd, 'pid')
  writeFileSync(script, `"${process.execPath}" "${PROGRAM}" &\necho $! > "${pidFile}"\n`)
  onTestFinished(() => {
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0
    if (pid > 0) process.kill(pid, 'SIGKILL')
  })
  const call = (action: string) =>
    `"${process.execPath}" --input-type=module -e "await fetch('${control.origin}/${action}')"`
  const commands = [
    ['--at', `30s=${call('redis-stop')}`],
    ['--at', `35s=${call('redis-start')}`],
    ['--outage', `42s=${call('postgres-stop')}`],
    ['--at', `45s=${call('postgres-start')}`],
    ['--at', `52s=kill -9 ${first.child.pid}`],
    ['--at', `54s=. ${script}`],
  ].flat()
  const { status, stdout } = await runHere(
    [
      ...[
        'drill',
        '--json',
        '--url',
        `${balancer.origin}/`,
        '--make-up-viewers',
        ...ADMITTED_OPTIONS,
        '--count',
        '400',
      ],
      ...['--over', '60s'],
      ...commands,
    ],
    { cwd, env: { PATH: process.env.PATH ?? '', ...settings, PUBLIC_URL: balancer.origin, PORT: String(first.port) } },
  )
  const { checks, timeline } = JSON.parse(stdout) as DrillEnded['data']
  expect([status, checks.filter(({ isMet }) => !isMet)]).toEqual([0, []])
  expect(timeline.some(({ askedToWait }) => askedToWait > 0)).toBe(true)
  const listed = await runHere(['viewers', 'list', '--json'], { cwd, env: settings })
  expect(listed.stdout).not.toContain('drill-')
})
