import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { setLock } from '../../../../src/tools/video-service/locks.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { addFault, apiOf, emulatorOfTest } from '../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'
import { runDoctor } from './findings.ts'

const CHANNEL = ['--channel', '1002']
const SECRETS_OF_TEST = ['HASH_SECRET', 'SERVICE_CLIENT_SECRET']

let emulator: RunningEmulator
let env: Record<string, string>
let folder: string
let records: string

beforeEach(async () => {
  emulator = await emulatorOfTest()
  folder = temporaryFolder()
  records = join(folder, 'data', 'locks.json')
  mkdirSync(join(folder, 'data'))
  const returnUrl = `${emulator.url}/embed/hashlock/pass`
  const settings = { USER_STORE_URL: viewersUrl(folder), PLAYER_RETURN_URL: returnUrl, PLAYER_ORIGINS: emulator.url }
  env = await startLoginAppBehindProxy(emulator, { settings })
})

const run = (...args: string[]) => runHere(args, { cwd: folder, env })
const doctor = (...args: string[]) => runDoctor(args, { cwd: folder, env })

test('lock set keeps a fingerprint without a secret, for this user only', async () => {
  await run('lock', 'set', ...CHANNEL, '--yes')
  const text = readFileSync(records, 'utf8')
  expect(JSON.parse(text)).toEqual({
    [`${emulator.url} channel 1002`]: {
      url: `${env.PUBLIC_URL}/`,
      setAt: expect.stringMatching(/Z$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  })
  expect(statSync(records).mode & 0o777).toBe(0o600)
  for (const name of SECRETS_OF_TEST) expect(text).not.toContain(env[name])
})

test('the records of all locks lie beside .env', async () => {
  writeFileSync(join(folder, '.env'), '')
  await run('lock', 'set', ...CHANNEL, '--yes')
  await run('lock', 'set', '--video', '2003', '--yes')
  const kept = JSON.parse(readFileSync(join(folder, 'locks.json'), 'utf8'))
  expect(Object.keys(kept)).toEqual([`${emulator.url} channel 1002`, `${emulator.url} video 2003`])
})

test('a lock whose address was changed elsewhere has no record any more', async () => {
  await run('lock', 'set', ...CHANNEL, '--yes')
  const form = { url: `${env.PUBLIC_URL}/e/default`, secret: env.HASH_SECRET ?? '' }
  await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
  expect((await doctor(...CHANNEL)).unknown).toContain('lock-secret-unseen')
})

test('lock remove, and a lock set whose answer is lost, remove the fingerprint', async () => {
  const channel = `${emulator.url} channel 1002`
  await run('lock', 'set', ...CHANNEL, '--yes')
  expect(JSON.parse(readFileSync(records, 'utf8'))).toHaveProperty([channel])
  await run('lock', 'remove', ...CHANNEL, '--yes')
  expect(JSON.parse(readFileSync(records, 'utf8'))).not.toHaveProperty([channel])
  await run('lock', 'set', ...CHANNEL, '--yes')
  await addFault(emulator, { path: '/channels/1002/locks/hash/advanced.json', method: 'PUT', hang_up: true, count: 1 })
  expect(await run('lock', 'set', ...CHANNEL, '--yes')).toMatchObject({ status: 1 })
  expect(JSON.parse(readFileSync(records, 'utf8'))).not.toHaveProperty([channel])
})

test.each([
  ['a size that the service does not take', ['--popup-width', 'wide']],
  ['a token that the service does not know', []],
])('lock set keeps the fingerprint after a refusal: %s', async (_refused, args) => {
  await run('lock', 'set', ...CHANNEL, '--yes')
  if (args.length === 0) {
    await addFault(emulator, { path: '/channels/1002/locks/hash/advanced.json', method: 'PUT', status: 401, count: 2 })
  }
  expect(await run('lock', 'set', ...CHANNEL, '--yes', ...args)).toMatchObject({ status: 1 })
  expect((await doctor(...CHANNEL)).ok).toContain('lock-secret-same')
})

test('lock set succeeds without a folder for the fingerprint, and says that doctor cannot compare', async () => {
  rmdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data'), '')
  const { status, stderr } = await run('lock', 'set', ...CHANNEL, '--yes')
  expect([status, stderr]).toEqual([0, expect.stringMatching(/locks\.json cannot be written \(E/)])
})

test('a damaged file of fingerprints is replaced', async () => {
  writeFileSync(records, '{"half')
  await run('lock', 'set', ...CHANNEL, '--yes')
  expect((await doctor(...CHANNEL)).ok).toContain('lock-secret-same')
})

test.each([
  [1, 'ok', /^if the lock has not been changed since \d\d:\d\d, 1 hour ago$/],
  [25, 'unknown', /^if the lock has not been changed since .* \d{4}, \d\d:\d\d, 1 day ago$/],
])('%i hours after lock set, the lock is %s, with a condition for the verdict', async (hours, state, condition) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - hours * 3_600_000 })
  await run('lock', 'set', ...CHANNEL, '--yes').finally(() => vi.useRealTimers())
  const { findings } = await doctor(...CHANNEL)
  const finding = findings.find(({ code }) => /^lock-secret-(same|unproven)$/.test(code))
  expect(finding).toMatchObject({ state, condition: expect.stringMatching(condition) })
  const shown = await run('lock', 'show', ...CHANNEL)
  expect(shown.stdout.trimEnd()).toMatch(new RegExp(`${condition.source.slice(1, -1)}\\.$`))
})
