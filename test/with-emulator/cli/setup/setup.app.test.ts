import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { readLock } from '../../../../src/tools/video-service/locks.ts'
import { ADMITTED_OPTIONS } from '../../../login/admitted.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { type Ended, runProgram, startProgram } from '../../../tools/cli/run-program.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { ALL_CLEAR } from '../../all-clear.ts'
import { addFault, apiOf, emulatorOfTest } from '../../video-service/client.ts'

// Each test starts several processes.
vi.setConfig({ testTimeout: 180_000 })

const PASSWORD = 'seven quiet herons'

let emulator: RunningEmulator
let cwd: string
let answers: Record<string, string>
beforeEach(async () => {
  emulator = await emulatorOfTest()
  cwd = temporaryFolder()
  const [client] = emulator.seed.clients
  answers = {
    PUBLIC_URL: `http://localhost:${await freePort()}`,
    PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
    PAGES: `${emulator.url}/channel/1002`,
    HASH_CONSUMERS: `${emulator.url}/chat/authorize/`,
    SERVICES: emulator.url,
    CLIENT: `${client?.client_id} ${client?.client_secret}`,
    CHANNEL: '1002',
    VIEWER: 'ada@example.com',
    VIEWER_PASSWORD: PASSWORD,
  }
})

/** Adds the viewer first if the access policy of a fork would not let in one whom setup adds. */
async function addAdmitted(): Promise<void> {
  if (ADMITTED_OPTIONS.length === 0) return
  const add = ['viewers', 'add', 'ada@example.com', ...ADMITTED_OPTIONS]
  expect(await runProgram(add, { cwd, stdin: PASSWORD })).toMatchObject({ status: 0 })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function writeAnswers(given: Record<string, string> = answers): string[] {
  writeFileSync(
    join(cwd, 'answers'),
    Object.entries(given)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return ['setup', '--answers', 'answers']
}
const setUp = (given?: Record<string, string>, env = {}) => runProgram(writeAnswers(given), { cwd, env })
/** A run that is refused before it starts the app needs no process of its own. */
async function refused(given: Record<string, string>, env: Record<string, string> = {}): Promise<Ended> {
  const folder = process.cwd()
  process.chdir(cwd)
  try {
    return await runHere(writeAnswers(given), { cwd, env, hasDefaults: false })
  } finally {
    process.chdir(folder)
  }
}
const envFile = () => readFileSync(join(cwd, '.env'), 'utf8')

describe('setup with answers', () => {
  test('setup leads from nothing to viewers who get through, and a second run changes nothing', async () => {
    await addAdmitted()
    const first = await setUp()
    expect(first.stdout + first.stderr).toMatch(ALL_CLEAR)
    expect(first.status).toBe(0)
    expect(first.stdout).toContain(`Then open ${answers.PAGES}, press "Log in" and sign in as ada@example.com.`)
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600)
    const { HASH_SECRET, SESSION_SECRET, ...others } = parseEnv(envFile())
    expect(others).toMatchObject({ PUBLIC_URL: answers.PUBLIC_URL, SERVICE_ANALYTICS_URL: `${emulator.url}/v1` })
    expect(new Set([HASH_SECRET, SESSION_SECRET]).size).toBe(2)
    expect(await readLock(apiOf(emulator), { kind: 'channel', id: '1002' })).toMatchObject({
      url: `${answers.PUBLIC_URL}/`,
    })
    for (const secret of [HASH_SECRET, SESSION_SECRET, PASSWORD, others.SERVICE_CLIENT_SECRET]) {
      expect(first.stdout + first.stderr).not.toContain(secret)
    }
    const before = envFile()
    const second = await setUp()
    expect(second.stderr).toContain('The settings in .env stay as they are.')
    expect(second.stdout).toMatch(ALL_CLEAR)
    expect(envFile()).toBe(before)
  })

  test('a later run changes one answer, and keeps comments, unknown lines and secrets', async () => {
    await setUp()
    const own = `# our own note\nUNKNOWN_LINE=1 # why\n${envFile()}`
    writeFileSync(join(cwd, '.env'), own)
    chmodSync(join(cwd, '.env'), 0o644)
    const page = `${emulator.url.replace('127.0.0.1', 'localhost')}/channel/1002`
    const { status, stderr } = await setUp({ PAGES: page })
    expect([status, stderr]).toEqual([0, expect.stringContaining('Wrote .env: PLAYER_ORIGINS.')])
    expect(envFile()).toBe(own.replace(/^PLAYER_ORIGINS=.*$/m, `$&,${new URL(page).origin}`))
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600)
  })
})

describe('setup refuses at once', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['an address without https', { PUBLIC_URL: 'http://login.example.com' }, /PUBLIC_URL must be https/],
    ['a store that no kit has', { USER_STORE_URL: 'mysql://db' }, /USER_STORE_URL must be one of sqlite:FILE/],
    ['a client that the service does not know', { CLIENT: `${'a'.repeat(40)} ${'b'.repeat(40)}` }, /SERVICE_CLIENT_ID/],
    ['a client secret of another form', { CLIENT: 'abc def' }, /SERVICE_CLIENT_ID must be 40 hexadecimal digits/],
    ['a channel that is not a number', { CHANNEL: 'town-hall' }, /whole number/],
    ['a user name that no response can carry', { VIEWER: 'a|b' }, /The user name contains/],
    ['an unknown name', { PUBLIC_ADDRESS: 'x' }, /unknown names: PUBLIC_ADDRESS/],
    ['a weak secret', { HASH_SECRET: 'short' }, /HASH_SECRET is too short/],
    ['a weak password of a new viewer', { VIEWER_PASSWORD: 'password1' }, /most common/],
  ])('%s', async (_case, wrong, message) => {
    const { status, stderr } = await refused({ ...answers, ...wrong })
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(stderr).toContain('Nothing was changed.')
    expect(readdirSync(cwd)).toEqual(['answers'])
  })

  test('addresses of the service and of the player that do not answer', async () => {
    for (const wrong of [
      { PLAYER_RETURN_URL: `${emulator.url}/embed/no-such-page` },
      { PAGES: `${emulator.url}/no-such-page` },
      { SERVICES: `http://localhost:${await freePort()}` },
      { PUBLIC_URL: emulator.url },
    ]) {
      const { status, stderr } = await refused({ ...answers, ...wrong })
      expect([status, stderr]).toEqual([1, expect.stringMatching(/Correct|Check|Stop|Ask/)])
      expect(existsSync(join(cwd, '.env'))).toBe(false)
    }
  })

  test('an answer that the environment overrides', async () => {
    const { stderr } = await refused(answers, { PUBLIC_URL: 'https://login.example.com' })
    expect(stderr).toContain('PUBLIC_URL: set in the environment')
  })

  test('a missing answer, and a missing file of answers', async () => {
    expect((await refused({ PUBLIC_URL: answers.PUBLIC_URL ?? '' })).stderr).toContain('PLAYER_RETURN_URL is required')
    const { status, stderr } = await runHere(['setup', '--answers', 'missing'], { cwd })
    expect([status, stderr]).toEqual([1, expect.stringContaining('does not exist')])
    expect((await runHere(['setup'], { cwd })).stderr).toContain('Use --answers FILE')
  })
})

const lockOf = (id: string) => readLock(apiOf(emulator), { kind: 'channel', id }).catch(() => null)
const requestsOf = async () => await (await fetch(`${emulator.url}/emulator/requests`)).text()

test('a channel that does not exist leaves no .env, and no viewer', async () => {
  const { status, stderr } = await refused({ ...answers, CHANNEL: '9999' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('.env is unchanged. Correct the cause')])
  expect(readdirSync(cwd)).toEqual(['answers'])
})

test('a .env that cannot be written leaves the lock as it is', async () => {
  symlinkSync(join(cwd, 'missing', '.env'), join(cwd, '.env'))
  const { status, stderr } = await refused(answers)
  expect([status, stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect(await lockOf('1002')).toBeNull()
})

test('Ctrl-C while the lock is being set ends with the lock and .env, and the next run finishes', async () => {
  await addAdmitted()
  await addFault(emulator, { path: '/channels/1002/locks/hash/advanced*', method: 'PUT', delay_ms: 5_000 })
  const { child, ended } = startProgram(writeAnswers(), { cwd })
  // The lock is read once as a test of the answer, and once before the request that sets it.
  await expect.poll(async () => (await requestsOf()).split('/locks/hash.json').length, { timeout: 30_000 }).toBe(3)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  child.kill('SIGINT')
  const { status, stderr } = await ended
  expect([status, stderr]).toEqual([1, expect.stringContaining('Stopped. .env is written. Run the command again.')])
  expect(await lockOf('1002')).toMatchObject({ url: `${answers.PUBLIC_URL}/` })
  const before = envFile()
  expect((await setUp()).stdout).toMatch(ALL_CLEAR)
  expect(envFile()).toBe(before)
})

test('without a proof that viewers get through, setup says how to get it, and not to start the app', async () => {
  const { VIEWER, VIEWER_PASSWORD, ...others } = answers
  const { status, stdout } = await setUp(others)
  expect([status, stdout]).toEqual([0, expect.stringContaining('Do what each line "unknown" says')])
  expect(stdout).toContain('Not proven that viewers will get through')
  expect(stdout).not.toContain('npm start')
})

test('Ctrl-C before the settings are written leaves .env as it is, and no other file', async () => {
  const own = 'HASH_LIFETIME_SECONDS=60\n'
  writeFileSync(join(cwd, '.env'), own)
  await addFault(emulator, { path: '/oauth2/token', method: 'POST', delay_ms: 20_000 })
  const { child, ended } = startProgram(writeAnswers(), { cwd })
  await expect.poll(async () => (await requestsOf()).includes('/embed/hashlock'), { timeout: 20_000 }).toBe(true)
  child.kill('SIGINT')
  expect((await ended).status).not.toBe(0)
  expect(envFile()).toBe(own)
  expect(readdirSync(cwd).toSorted()).toEqual(['.env', 'answers'])
})
