import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { LockRecord } from '../../../src/tools/cli/service/lock-records.ts'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { readLock } from '../../../src/tools/video-service/locks.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { startProgram } from '../../tools/cli/run-program.ts'
import { startService } from '../../tools/video-service/test-service.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { addFault, apiOf, emulatorOfTest, environmentFor } from '../video-service/client.ts'

const { HASH_SECRET: OLD, ...OTHERS } = SETTINGS
const VIDEO = ['--video', '2003']
const BOTH = ['--channel', '1002', ...VIDEO]

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
let file: string
beforeEach(async () => {
  emulator = await emulatorOfTest()
  cwd = temporaryFolder()
  file = join(cwd, 'secret')
  writeFileSync(file, `${OLD}\n`, { mode: 0o640 })
  writeFileSync(`${file}-previous`, '', { mode: 0o600 })
  const files = { HASH_SECRET_FILE: file, HASH_SECRET_PREVIOUS_FILE: `${file}-previous` }
  env = { ...OTHERS, ...files, ...environmentFor(emulator) }
})

const run = (...args: string[]) => runHere(args, { cwd, env })
const rotate = (...args: string[]) => run('lock', 'set', '--rotate', '--yes', ...args)
const contents = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : null)
/** The three files: the current secret, the previous one, and the one of a change that is not finished. */
const secrets = () => [contents(file), contents(`${file}-previous`), contents(`${file}.next`)]
const secretOfVideo = async () => (await readLock(apiOf(emulator), { kind: 'video', id: '2003' }))?.secret

async function setLocks(): Promise<void> {
  for (const place of [['--channel', '1002'], VIDEO]) {
    expect(await run('lock', 'set', '--yes', ...place)).toMatchObject({ status: 0 })
  }
}

test('lock set --rotate gives all locks and the files a new secret, and prints none', async () => {
  await setLocks()
  const { status, stdout, stderr } = await rotate(...BOTH, '--json')
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { state: 'rotated', entryPoint: 'default' }])
  const [next, previous, pending] = secrets()
  expect([previous, pending]).toEqual([OLD, null])
  expect(next).toMatch(/^[0-9a-f]{64}$/)
  expect(next).not.toBe(OLD)
  expect(await secretOfVideo()).toBe(next)
  expect([file, `${file}-previous`].map((path) => statSync(path).mode & 0o777)).toEqual([0o640, 0o600])
  for (const secret of [OLD, next]) expect(stdout + stderr).not.toContain(secret)
  const records = JSON.parse(readFileSync(join(cwd, 'data', 'locks.json'), 'utf8')) as Record<string, LockRecord>
  expect(Object.keys(records)).toEqual([`${emulator.url} channel 1002`, `${emulator.url} video 2003`])
  for (const { url, setAt, fingerprint } of Object.values(records)) {
    expect(fingerprint).toBe(
      createHmac('sha256', next ?? '')
        .update(`${url}\n${setAt}`)
        .digest('hex'),
    )
  }
  expect((await run('lock', 'show', ...VIDEO)).status).toBe(0)
  expect((await rotate(...BOTH)).status).toBe(0)
  expect(secrets()).toEqual([await secretOfVideo(), next, null])
})

test.each<[string, string[], (folder: string) => Record<string, string | undefined>]>([
  ['a secret that is not in a file', BOTH, () => ({ HASH_SECRET: OLD, HASH_SECRET_FILE: undefined })],
  ['one file for both secrets', BOTH, (folder) => ({ HASH_SECRET_PREVIOUS_FILE: join(folder, 'secret') })],
  ['another channel with the entry point', VIDEO, () => ({})],
  ['a lock of another app', [...BOTH, '--channel', '1001'], () => ({})],
  ['a video without a lock', [...BOTH, '--video', '2002'], () => ({})],
  ['a lock with another secret', BOTH, (folder) => ({ HASH_SECRET_FILE: join(folder, 'other') })],
])('lock set --rotate refuses %s, and changes nothing', async (_what, args, settings) => {
  await setLocks()
  writeFileSync(join(cwd, 'other'), 'b81f4c02d97e36a5f0c8127d6e9a4b53')
  const given = Object.entries({ ...env, ...settings(cwd) }).filter((entry) => entry[1] !== undefined)
  env = Object.fromEntries(given) as Record<string, string>
  const { status, stderr } = await rotate(...args)
  expect({ status, isUnchanged: stderr.includes('Nothing was changed') }).toEqual({ status: 1, isUnchanged: true })
  expect([...secrets(), await secretOfVideo()]).toEqual([OLD, '', null, OLD])
})

test('lock set and lock show need no settings besides the address, the entry point and the service', async () => {
  const { SESSION_SECRET: _unused, ...needed } = env
  env = needed
  await setLocks()
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  expect(await run('lock', 'show', ...VIDEO)).toMatchObject({ status: 0 })
})

test('lock set --rotate warns only before it overwrites a secret in the second file', async () => {
  await setLocks()
  const previous = `${file}-previous`
  expect((await rotate(...BOTH)).stderr).not.toContain(previous)
  expect((await rotate(...BOTH)).stderr).toContain(previous)
})

test('lock set --rotate counts a repeated id once, and needs one id at least', async () => {
  await setLocks()
  const { status, stdout } = await rotate(...BOTH, ...BOTH, '--json')
  expect([status, JSON.parse(stdout).places]).toEqual([0, [expect.anything(), expect.anything()]])
  expect(await rotate()).toMatchObject({ status: 2, stdout: '' })
})

test('lock set --rotate restores the files if the service refuses the first lock', async () => {
  await setLocks()
  await addFault(emulator, { path: '/channels/*', method: 'PUT', status: 403, body: { error: 'lack_of_ownership' } })
  expect(await rotate(...BOTH)).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was changed') })
  expect([...secrets(), await secretOfVideo()]).toEqual([OLD, '', null, OLD])
})

test.each([
  ['answers nothing', { path: '/channels/*', hang_up: true, count: 3 }],
  ['answers errors', { path: '/channels/*', status: 502, body: 'x', count: 3 }],
  ['refuses the second lock', { path: '/videos/*', status: 403, body: { error: 'lack_of_ownership' } }],
])('lock set --rotate keeps both secrets if the service %s, and continues with them', async (_what, fault) => {
  await setLocks()
  await addFault(emulator, { method: 'PUT', ...fault })
  const { status, stderr } = await rotate(...BOTH)
  expect({ status, canContinue: stderr.includes('same command again') }).toEqual({ status: 1, canContinue: true })
  const [current, previous, pending] = secrets()
  expect([current, previous]).toEqual([OLD, pending])
  expect(stderr).not.toContain(String(pending))
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  expect([...secrets(), await secretOfVideo()]).toEqual([pending, OLD, null, pending])
})

test('lock set --rotate succeeds if the answer to a change is lost', async () => {
  await setLocks()
  let lost = 0
  const proxy = await startService((req, res) => {
    const chunks: Buffer[] = []
    req
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', async () => {
        const { method = 'GET', url: path = '/' } = req
        const headers = {
          Authorization: req.headers.authorization ?? '',
          'Content-Type': req.headers['content-type'] ?? '',
        }
        const body = method === 'GET' ? null : Buffer.concat(chunks)
        const answer = await fetch(`${emulator.url}${path}`, { method, headers, body })
        const text = await answer.text()
        lost += method === 'PUT' ? 1 : 0
        if (method === 'PUT' && lost === 1) return req.socket.destroy()
        return res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text)
      })
  })
  env = { ...env, SERVICE_BASE_URL: proxy.origin }
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  const [next] = secrets()
  expect([lost, ...secrets(), await secretOfVideo()]).toEqual([3, next, OLD, null, next])
})

test('lock set --rotate keeps the new secret if a file cannot be written at the end, and continues', async () => {
  await setLocks()
  await addFault(emulator, { path: '/videos/*', method: 'PUT', delay_ms: 500 })
  const rotated = rotate(...BOTH)
  await expect.poll(() => contents(`${file}.next`), { interval: 10 }).not.toBeNull()
  renameSync(file, `${file}-away`)
  mkdirSync(file)
  expect(await rotated).toMatchObject({ status: 1, stderr: expect.stringContaining('same command again') })
  rmSync(file, { recursive: true })
  renameSync(`${file}-away`, file)
  const pending = contents(`${file}.next`)
  expect(await secretOfVideo()).toBe(pending)
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  expect([...secrets(), await secretOfVideo()]).toEqual([pending, OLD, null, pending])
})

test('lock set --rotate finishes a change that was stopped between the two files', async () => {
  await setLocks()
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  const [next] = secrets()
  writeFileSync(`${file}.next`, `${next}\n`)
  writeFileSync(`${file}-previous`, `${next}\n`)
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  expect([...secrets(), await secretOfVideo()]).toEqual([next, '', null, next])
})

test('lock set --rotate that is killed leaves both secrets, and the next one continues', async () => {
  await setLocks()
  await addFault(emulator, { path: '/videos/*', method: 'PUT', delay_ms: 60_000 })
  const { child, ended } = startProgram(['lock', 'set', '--rotate', '--yes', ...BOTH], { cwd, env })
  const isWaiting = async () => (await (await fetch(`${emulator.url}/emulator/faults`)).text()).includes('60000')
  await expect.poll(isWaiting, { timeout: 20_000, interval: 20 }).toBe(false)
  child.kill('SIGKILL')
  await ended
  const [current, previous, pending] = secrets()
  expect([current, previous]).toEqual([OLD, pending])
  expect(statSync(`${file}.next`).mode & 0o777).toBe(0o600)
  expect(await rotate(...BOTH)).toMatchObject({ status: 0 })
  expect([...secrets(), await secretOfVideo()]).toEqual([pending, OLD, null, pending])
})

test('lock set --rotate changes the files of an entry point of ENTRY_POINTS_FILE', async () => {
  const { PUBLIC_URL, SESSION_SECRET, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS
  const shared = { playerReturnUrl, playerOrigins: [PLAYER_ORIGINS] }
  const staff = { ...shared, name: 'staff', secretFile: file, secretPreviousFile: `${file}-previous` }
  const press = { ...shared, name: 'press', secret: 'b81f4c02d97e36a5f0c8127d6e9a4b53' }
  const entryPoints = join(cwd, 'entry-points.json')
  env = { PUBLIC_URL, SESSION_SECRET, ENTRY_POINTS_FILE: entryPoints, ...environmentFor(emulator) }
  writeFileSync(entryPoints, JSON.stringify([staff, press]))
  for (const [name, id] of [
    ['staff', '2003'],
    ['press', '2001'],
  ] as const) {
    expect(await run('lock', 'set', '--yes', '--video', id, '--entry-point', name)).toMatchObject({ status: 0 })
  }
  expect(await rotate(...VIDEO, '--entry-point', 'press')).toMatchObject({ status: 1 })
  expect(await rotate(...VIDEO, '--entry-point', 'staff')).toMatchObject({ status: 0 })
  expect(secrets()).toEqual([await secretOfVideo(), OLD, null])
  writeFileSync(entryPoints, JSON.stringify([staff, { ...shared, name: 'press', secretFile: file }]))
  const { status, stderr } = await rotate(...VIDEO, '--entry-point', 'staff')
  expect({ status, isShared: stderr.includes('same secret as press') }).toEqual({ status: 1, isShared: true })
})
