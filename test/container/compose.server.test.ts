import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ADMITTED_OPTIONS } from '../login/admitted.ts'
import { isPassedOn, readinessOf, returnTo, signInAt } from '../login/program-visits.ts'
import { startLoginProgram } from '../login/start-program.ts'
import { type RedisServer, startRedis } from '../redis/servers/redis.ts'
import { SETTINGS } from '../settings.ts'
import { type PostgresServer, startPostgres } from '../users/postgres/server.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { readComposeFile } from './compose-file.ts'

/** Runs the commands of compose.yaml and of .github/deploy/compose.md without containers, on other ports. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CLI = join(ROOT, 'src/tools/cli/main.ts')
const README = readFileSync(join(ROOT, '.github/deploy/compose.md'), 'utf8')
const { PLAYER_RETURN_URL, PLAYER_ORIGINS } = SETTINGS
const { services } = readComposeFile(join(ROOT, 'compose.yaml'), { PLAYER_RETURN_URL, PLAYER_ORIGINS })
const runFile = promisify(execFile)

let postgres: PostgresServer
let redis: RedisServer
beforeAll(async () => {
  const servers = await Promise.all([startPostgres(), startRedis()])
  postgres = servers[0]
  redis = servers[1]
})
afterAll(() => Promise.all([postgres.stop(), redis.remove()]))

/** Runs the lines of the README that create the secrets, in a temporary folder. */
function makeSecrets(): (name: string) => string {
  const [, block = ''] = /```sh\n(umask 022[^`]*?)docker compose --profile/.exec(README) ?? []
  const script = block.replaceAll('npm run -s viewer-auth --', `'${process.execPath}' '${CLI}'`)
  const cwd = temporaryFolder()
  const { status, stderr } = spawnSync('sh', ['-euc', script], {
    cwd,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  })
  if (status !== 0) throw new Error(stderr)
  expect(statSync(join(cwd, 'secrets')).mode & 0o777).toBe(0o700)
  return (name) => {
    const path = join(cwd, 'secrets', name)
    expect(statSync(path).mode & 0o777).toBe(0o644)
    return path
  }
}

function environmentOf(name: string, pathOf: (secret: string) => string): Record<string, string> {
  const settings = Object.entries(services[name]?.environment ?? expect.unreachable(`there is no ${name}`))
  return Object.fromEntries(
    settings.map(([setting, value]) => {
      const secret = /^\/run\/secrets\/(.+)$/.exec(value)?.[1]
      return [setting, secret === undefined ? value : pathOf(secret)]
    }),
  )
}

test('the secrets of the README open the Redis of compose.yaml, and this Redis stops on a signal', async () => {
  const secretAt = makeSecrets()
  const folder = temporaryFolder()
  const [sh = '', c = '', script = ''] = services.redis?.command ?? []
  const { port, remove } = await startRedis()
  await remove()
  const here = script
    .replace('redis-server -', `redis-server - --bind 127.0.0.1 --port ${port}`)
    .replace('/data', folder)
    .replace('/run/secrets/redis-password', secretAt('redis-password'))
  const child = spawn(sh, [c, here], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  while (!output.includes('Ready to accept connections')) output += String((await once(child.stdout, 'data'))[0])
  const url = readFileSync(secretAt('redis-url'), 'utf8').replace('@redis', `@127.0.0.1:${port}`)
  const client = await createClient({ url }).connect()
  expect(await client.configGet('maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' })
  expect(await client.configGet('appendonly')).toEqual({ appendonly: 'yes' })
  client.destroy()
  const stranger = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: false } })
  await expect(stranger.on('error', () => {}).connect()).rejects.toThrow('NOAUTH')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('both copies sign in a viewer who was added by the owner, as a role that cannot add viewers', async () => {
  const secretAt = makeSecrets()
  const password = readFileSync(secretAt('postgres-password'), 'utf8').trim()
  // The role of POSTGRES_USER in the image is a superuser too.
  await postgres.query(`CREATE ROLE viewer_auth LOGIN SUPERUSER PASSWORD '${password}'`)
  await postgres.query('CREATE DATABASE viewer_auth OWNER viewer_auth')
  const atSocket = `${encodeURIComponent(postgres.folder)}:${postgres.port}`
  for (const name of ['owner-url', 'user-store-url']) {
    const inContainer = readFileSync(secretAt(name), 'utf8')
    expect(inContainer).toContain('@%2Fvar%2Frun%2Fpostgresql/')
    writeFileSync(secretAt(name), inContainer.replace('%2Fvar%2Frun%2Fpostgresql', atSocket))
  }

  const [, ...migrate] = (services.migrate?.command ?? []).map((word) =>
    word.replace(/^\/run\/secrets\/(.+)/, (_all, name) => secretAt(name)),
  )
  for (const outcome of ['Created', 'up to date']) {
    const { stdout } = await runFile(process.execPath, migrate, { cwd: ROOT, env: environmentOf('migrate', secretAt) })
    expect(stdout).toContain(outcome)
  }
  const [, ...viewers] = services.viewers?.entrypoint ?? []
  const statuses = ['viewers', 'login-1'].map((service) => {
    const options = { cwd: ROOT, env: environmentOf(service, secretAt), input: 'correct horse battery staple' }
    return spawnSync(process.execPath, [...viewers, 'add', 'ada@example.com', ...ADMITTED_OPTIONS], options).status
  })
  expect(statuses).toEqual([0, 1])
  const { rows } = await postgres.query("SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = 'login_app'")
  expect(rows).toEqual([{ rolsuper: false, rolcreaterole: false }])

  const inRedis = { SESSION_STORE_URL: redis.url, LIMITS_STORE_URL: redis.url }
  const noFiles = { SESSION_STORE_URL_FILE: '', LIMITS_STORE_URL_FILE: '' }
  const ours = { ...inRedis, ...noFiles, PORT: '0', HOST: '127.0.0.1', SHUTDOWN_DELAY_SECONDS: '0' }
  // As in the container, both copies write into one folder.
  const options = { cwd: temporaryFolder() }
  const copies = ['login-1', 'login-2'].map((name) =>
    startLoginProgram({ ...environmentOf(name, secretAt), ...ours }, options),
  )
  const [one, two] = await Promise.all(copies)
  if (one === undefined || two === undefined) expect.unreachable()
  const visit = await signInAt(one, { username: 'ada@example.com', password: 'correct horse battery staple' })
  expect(isPassedOn(visit)).toBe(true)
  expect(isPassedOn(await returnTo(two, visit.cookie ?? ''))).toBe(true)
  expect(await readinessOf(two)).toEqual([200, 'ready'])
})

test('PostgreSQL is not ready while the temporary server creates the database', () => {
  const check = services.postgres?.healthcheck
  const [shell, script = ''] = check && 'test' in check ? check.test : []
  expect(shell).toBe('CMD-SHELL')
  const firstProcess = join(temporaryFolder(), 'comm')
  const here = `--host='${postgres.folder}' --port=${postgres.port}`
  const command = script.replace('/proc/1/comm', firstProcess).replace('pg_isready', `pg_isready ${here}`)
  const isHealthy = (program: string) => {
    // The kernel cuts a name after 15 characters.
    writeFileSync(firstProcess, `${program.slice(0, 15)}\n`)
    return spawnSync('sh', ['-c', command], { env: { PATH: '/usr/bin:/bin' } }).status === 0
  }
  expect(['docker-entrypoint.sh', 'postgres'].map(isHealthy)).toEqual([false, true])
})
