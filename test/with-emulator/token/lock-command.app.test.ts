import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { addFault, emulatorOfTest, environmentFor } from '../video-service/client.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const CONTENT_KEY = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})
const FINGERPRINT = createHash('sha256')
  .update(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }))
  .digest('hex')
const CHANNEL = ['--channel', '1002', '--viewer-auth', 'token']

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
beforeEach(async () => {
  emulator = await emulatorOfTest(0, true)
  cwd = temporaryFolder()
  env = {
    ...environmentFor(emulator),
    PUBLIC_URL: 'http://localhost:3000',
    PLAYER_ORIGINS: emulator.url,
    VIEWER_AUTH: 'token',
    CONTENT_KEY,
    SERVICE_VIEWER_KEY_URL: `${emulator.url}/viewer-auth-public-key.json`,
    REF_ADDRESSES: `${emulator.url}/embed/`,
  }
})

const run = (...args: string[]) => runHere(['lock', ...args], { cwd, env })
const playerOf = async (id: string) => {
  const answer = await fetch(`${emulator.url}/embed/${id}`, { redirect: 'manual' })
  return [answer.status, answer.headers.get('location')?.split('?')[0]]
}

describe('lock set --viewer-auth token', () => {
  test('lock set for tokens sends the player to the entry point, and records the fingerprint of the public key alone', async () => {
    const { status, stdout } = await run('set', ...CHANNEL, '--yes', '--json')
    const url = 'http://localhost:3000/'
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      { kind: 'channel', id: '1002', state: 'set', url, fingerprint: FINGERPRINT },
    ])
    expect(await playerOf('1002')).toEqual([302, url])
    const records = JSON.parse(readFileSync(join(cwd, 'data', 'locks.json'), 'utf8'))
    expect(Object.values(records)).toEqual([{ url, setAt: expect.any(String), fingerprint: FINGERPRINT }])
  })

  test('lock set for tokens asks first, and without a terminal it changes nothing', async () => {
    expect(await run('set', ...CHANNEL)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/--yes/),
    })
    expect((await playerOf('1002'))[0]).toBe(200)
  })

  test('lock set for tokens names a hash lock of the same channel or video', async () => {
    const { stderr } = await run('set', '--channel', '1001', '--viewer-auth', 'token', '--yes')
    expect(stderr).toContain('lock remove --channel 1001')
    expect((await run('set', ...CHANNEL, '--yes')).stderr).not.toContain('lock remove')
  })

  test('--url replaces the address of the entry point', async () => {
    await run('set', ...CHANNEL, '--url', 'https://login.example.com/e/press', '--yes')
    expect(await playerOf('1002')).toEqual([302, 'https://login.example.com/e/press'])
  })

  test('with --url and --public-key, it needs neither the settings of the app nor the private key', async () => {
    const file = join(cwd, 'public.pem')
    writeFileSync(file, createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
    env = environmentFor(emulator)
    const url = 'https://login.example.com/e/press'
    const set = await run('set', ...CHANNEL, '--url', url, '--public-key', file, '--yes', '--json')
    expect([set.status, JSON.parse(set.stdout)]).toMatchObject([0, { url, fingerprint: FINGERPRINT }])
    expect(await playerOf('1002')).toEqual([302, url])
  })

  test('--public-key replaces the key of the entry point, and refuses a private key', async () => {
    const file = join(cwd, 'key.pem')
    writeFileSync(file, createPublicKey(String(OTHER_KEY)).export({ type: 'spki', format: 'pem' }))
    const set = await run('set', ...CHANNEL, '--public-key', file, '--yes', '--json')
    expect(JSON.parse(set.stdout)).toMatchObject({ url: 'http://localhost:3000/' })
    expect(set.stdout).not.toContain(FINGERPRINT)
    writeFileSync(file, String(OTHER_KEY))
    const refused = await run('set', ...CHANNEL, '--public-key', file, '--yes')
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('must stay secret') })
    expect(await run('set', ...CHANNEL, '--public-key', join(cwd, 'no.pem'), '--yes')).toMatchObject({ status: 1 })
  })

  test('a refusal leaves the record, and a lost answer removes it', async () => {
    await run('set', ...CHANNEL, '--yes')
    const path = '/channels/1002/viewer-auth.json'
    await addFault(emulator, { path, method: 'PUT', status: 400, count: 1 })
    expect(await run('set', ...CHANNEL, '--yes')).toMatchObject({ status: 1, stdout: '' })
    expect(await run('show', ...CHANNEL)).toMatchObject({ status: 0 })
    await addFault(emulator, { path, method: 'PUT', hang_up: true, count: 1 })
    const lost = await run('set', ...CHANNEL, '--yes')
    expect([lost.status, lost.stderr]).toEqual([1, expect.stringContaining('may have been changed')])
    expect(await run('show', ...CHANNEL)).toMatchObject({ status: 1, stdout: '' })
  })

  test.each([
    [['--rotate'], '--rotate'],
    [['--secret-file', 'secret.txt'], '--secret-file'],
    [['--caption', 'Sign in'], '--caption'],
    [['--viewer-auth', 'hash', '--public-key', 'public.pem'], '--public-key'],
  ])('%j is wrong usage', async (options, message) => {
    const { status, stdout, stderr } = await run('set', ...CHANNEL, ...options)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  test('an entry point with a hash has no public key', async () => {
    env = { ...SETTINGS, ...environmentFor(emulator) }
    const { status, stderr } = await run('set', ...CHANNEL, '--yes')
    expect([status, stderr]).toEqual([1, expect.stringContaining('VIEWER_AUTH=hash')])
  })

  test.each(['set', 'show'])('lock %s without the option names the option', async (command) => {
    const { status, stdout, stderr } = await run(command, '--channel', '1002')
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('--viewer-auth token')])
  })
})

describe('lock show --viewer-auth token', () => {
  test('lock show for tokens compares the record with the settings, and says that the service shows nothing', async () => {
    expect(await run('show', ...CHANNEL)).toMatchObject({ status: 1, stderr: expect.stringContaining('no record') })
    await run('set', ...CHANNEL, '--yes')
    const same = await run('show', ...CHANNEL)
    expect([same.status, same.stdout]).toEqual([0, expect.stringContaining('does not show')])
    env = { ...env, CONTENT_KEY: String(OTHER_KEY) }
    const other = await run('show', ...CHANNEL, '--json')
    expect([other.status, JSON.parse(other.stdout).differences]).toEqual([1, [expect.stringContaining(FINGERPRINT)]])
  })
})

describe('lock remove --viewer-auth token', () => {
  test('lock remove for tokens opens the channel, and removes the record', async () => {
    await run('set', ...CHANNEL, '--yes')
    expect(await run('remove', ...CHANNEL, '--json')).toMatchObject({ status: 0 })
    expect((await playerOf('1002'))[0]).toBe(200)
    expect(await run('show', ...CHANNEL)).toMatchObject({ status: 1 })
    expect(await run('remove', ...CHANNEL)).toMatchObject({ status: 1, stderr: expect.stringContaining('not_found') })
  })

  test('lock remove of a hash lock says that viewer auth then applies', async () => {
    await run('set', '--channel', '1001', '--viewer-auth', 'token', '--yes')
    const { status, stderr } = await run('remove', '--channel', '1001', '--yes')
    expect([status, stderr]).toEqual([0, expect.stringContaining('viewer auth applies')])
  })

  test('lock remove for tokens asks at a terminal, and Ctrl-C keeps the lock', async () => {
    await run('set', ...CHANNEL, '--yes')
    const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => {} })
    stdin.end('\x03')
    const asked = await runHere(['lock', 'remove', ...CHANNEL], { cwd, env, stdin })
    expect(asked).toMatchObject({ status: 1, stdout: '' })
    expect((await playerOf('1002'))[0]).toBe(302)
  })
})
