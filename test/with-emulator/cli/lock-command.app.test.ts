import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { readLock, setLock } from '../../../src/tools/video-service/locks.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { addFault, apiOf, emulatorOfTest, environmentFor } from '../video-service/client.ts'

const URL_OF_APP = 'https://login.example.com/'

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
beforeEach(async () => {
  emulator = await emulatorOfTest()
  env = { ...SETTINGS, ...environmentFor(emulator) }
  cwd = temporaryFolder()
})

const run = (...args: string[]) => runHere(args, { cwd, env })

describe('channel commands', () => {
  test('channel create prints the id, and channel list shows it', async () => {
    const created = await run('channel', 'create', 'Annual meeting', '--json')
    const { id, tinyUrl } = JSON.parse(created.stdout)
    expect((await run('channel', 'list')).stdout.split('\n')).toEqual([
      expect.stringMatching(/^Id +Title +Name in addresses +Short link$/),
      expect.stringMatching(/^1001 +Town hall +town-hall +http/),
      expect.stringMatching(/^1002 /),
      `${id}  Annual meeting  annual-meeting     ${tinyUrl}`,
      '',
    ])
  })

  test('channel list tells that a service has no list', async () => {
    await addFault(emulator, {
      path: '/users/self/channels.json',
      method: 'GET',
      status: 404,
      body: { error: 'not_found' },
    })
    expect(await run('channel', 'list')).toMatchObject({ status: 1, stderr: expect.stringMatching(/does not list/) })
  })

  test('channel create tells if the outcome is unknown, and does not retry', async () => {
    await addFault(emulator, { path: '/users/self/channels.json', method: 'POST', hang_up: true, count: 1 })
    const broken = await run('channel', 'create', 'Annual meeting')
    expect(broken).toMatchObject({ status: 1, stdout: '' })
    expect(broken.stderr).toMatch(/may have been created\. .*channel list\.\n$/)
    expect((await run('channel', 'list')).stdout).not.toContain('Annual meeting')
    await addFault(emulator, { path: '/oauth2/token', method: 'POST', hang_up: true, count: 1 })
    expect((await run('channel', 'create', 'Annual meeting')).stderr).not.toContain('channel list')
  })

  test('channel create quotes what the service says about a title', async () => {
    const { status, stderr } = await run('channel', 'create', ' ')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^Failed: .* It says: title .* \(invalid_request, status 400\)\n$/),
    ])
  })
})

describe('lock set', () => {
  test('lock set creates and replaces a lock, and lock show then finds no difference', async () => {
    const first = await run('lock', 'set', '--channel', '1002', '--yes')
    expect(first).toEqual({
      status: 0,
      stdout: `Created the lock of channel 1002. It sends viewers to ${URL_OF_APP}\n`,
      stderr: [
        'Channel 1002  Now                 Then',
        `address       no lock of its own  ${URL_OF_APP}`,
        'secret                            of the entry point default\n',
      ].join('\n'),
    })
    const second = await run('lock', 'set', '--channel', '1002', '--yes', '--json')
    expect(JSON.parse(second.stdout)).toEqual({ kind: 'channel', id: '1002', state: 'replaced', url: URL_OF_APP })
    const shown = await run('lock', 'show', '--channel', '1002')
    expect(shown).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/default, if the lock has not been changed since \d\d:\d\d, \d minutes? ago\.$/m),
    })
    await run('lock', 'set', '--video', '2001', '--yes')
    const ofVideo = await run('lock', 'show', '--video', '2001')
    expect(ofVideo.stdout).toMatch(/matches the settings of the entry point default\.\n$/)
  })

  test('lock set without a terminal changes nothing unless --yes is given', async () => {
    const ended = await run('lock', 'set', '--channel', '1002')
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('Use --yes') })
    await expect(readLock(apiOf(emulator), { kind: 'channel', id: '1002' })).rejects.toThrow('not_found')
  })

  test('lock set --entry-point uses the entry point of this name', async () => {
    const file = join(cwd, 'entry-points.json')
    const playerReturnUrl = SETTINGS.PLAYER_RETURN_URL
    const entry = (name: string, secret: string) => ({
      name,
      secret,
      playerReturnUrl,
      playerOrigins: ['https://p.example'],
    })
    const secret = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
    writeFileSync(file, JSON.stringify([entry('press', secret), entry('staff', SETTINGS.HASH_SECRET)]))
    const { PUBLIC_URL, SESSION_SECRET } = SETTINGS
    env = { PUBLIC_URL, SESSION_SECRET, ENTRY_POINTS_FILE: file, ...environmentFor(emulator) }
    const unnamed = await run('lock', 'set', '--video', '2003', '--yes')
    expect(unnamed.stderr).toContain('press, staff')
    const named = await run('lock', 'set', '--video', '2003', '--yes', '--entry-point', 'press')
    expect(named.status).toBe(0)
    const lock = await readLock(apiOf(emulator), { kind: 'video', id: '2003' })
    expect(lock).toEqual({ url: 'https://login.example.com/e/press', secret })
    const other = await run('lock', 'show', '--video', '2003', '--entry-point', 'staff', '--json')
    expect(other.status).toBe(1)
    expect(JSON.parse(other.stdout).differences).toEqual([
      expect.stringMatching(/https:\/\/login.example.com\/e\/press .*https:\/\/login.example.com\/e\/staff/),
      expect.stringContaining('secret'),
    ])
  })

  test('lock set tells if the outcome is unknown', async () => {
    await addFault(emulator, { path: '/channels/*', method: 'PUT', hang_up: true })
    const { status, stderr } = await run('lock', 'set', '--channel', '1002', '--yes')
    expect(status).toBe(1)
    expect(stderr).toMatch(/channel 1002 may have been changed\. .*lock show\.\n$/)
  })

  test('lock set prints what it changed even after Ctrl-C', async () => {
    await addFault(emulator, { path: '/channels/*', method: 'PUT', delay_ms: 500 })
    const interrupt = Promise.withResolvers<void>()
    const args = ['lock', 'set', '--channel', '1002', '--yes']
    const ended = runHere(args, { cwd, env, interrupted: interrupt.promise })
    const isWaiting = async () => (await (await fetch(`${emulator.url}/emulator/faults`)).text()).includes('PUT')
    await expect.poll(isWaiting, { interval: 10 }).toBe(false)
    interrupt.resolve()
    expect(await ended).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Created the lock of channel 1002'),
    })
  })
})

describe('lock show and remove', () => {
  test.each([
    ['default', 0, []],
    ['Default', 1, [expect.stringContaining('https://login.example.com/e/Default')]],
  ])('lock show compares a lock set to /e/%s with the addresses of the app', async (name, expected, differences) => {
    const url = `https://login.example.com/e/${name}`
    await setLock(apiOf(emulator), { kind: 'video', id: '2003' }, { url, secret: SETTINGS.HASH_SECRET })
    const { status, stdout } = await run('lock', 'show', '--video', '2003', '--json')
    expect([status, JSON.parse(stdout).differences]).toEqual([expected, differences])
  })

  test('lock show compares the record of lock set with the secret of the settings', async () => {
    const show = async () => {
      const { status, stdout } = await run('lock', 'show', '--channel', '1002', '--json')
      return [status, JSON.parse(stdout).differences]
    }
    await run('lock', 'set', '--channel', '1002', '--yes')
    const set = { ...env }
    env = { ...set, HASH_SECRET: '4b1d9e07c3a85f62d0e1974ab8c35f26' }
    expect(await show()).toEqual([1, [expect.stringContaining('another secret')]])
    env = { ...env, HASH_SECRET_PREVIOUS: SETTINGS.HASH_SECRET }
    expect(await show()).toEqual([1, [expect.stringContaining('second secret')]])
    env = set
    await setLock(
      apiOf(emulator),
      { kind: 'channel', id: '1002' },
      { url: `${URL_OF_APP}e/default`, secret: 'a'.repeat(40) },
    )
    const elsewhere = await run('lock', 'show', '--channel', '1002')
    expect(elsewhere).toMatchObject({ status: 0, stdout: expect.stringContaining('does not show the secret') })
  })

  test('lock show lists the differences without secrets, and ends with status 1', async () => {
    const { status, stdout } = await run('lock', 'show', '--video', '2001')
    expect(status).toBe(1)
    expect(stdout).toContain(`the address is http://localhost:3000/ instead of ${URL_OF_APP}`)
    expect(stdout).toContain('the secret is different')
    expect(stdout).not.toContain(emulator.seed.locks[0]?.secret)
  })

  test.each([
    [['lock', 'show', '--video', '2002'], 'lock show --channel'],
    [['lock', 'remove', '--video', '2002', '--yes'], 'Nothing was changed'],
    [['lock', 'show', '--channel', '9999'], '(not_found, status 404)'],
    [['lock', 'set', '--channel', '9999', '--yes'], '(not_found, status 404)'],
    [['lock', 'set', '--channel', '1003', '--yes'], '(lack_of_ownership, status 403)'],
  ])('the arguments %j are refused', async (args, named) => {
    expect(await run(...args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(named) })
  })

  test('lock remove removes the lock, and tells what that means', async () => {
    expect(await run('lock', 'remove', '--channel', '1001')).toEqual({
      status: 0,
      stdout: 'Removed the lock of channel 1001.\n',
      stderr: expect.stringMatching(/channel 1001 .*http:\/\/localhost:3000\/.* without signing in\.\n$/),
    })
    expect((await run('lock', 'show', '--channel', '1001')).stderr).toContain('(not_found, status 404)')
  })

  test.each([
    [['lock', 'show']],
    [['lock', 'set', '--channel', '1', '--video', '2']],
    [['lock', 'remove', '--video', '../1']],
    [['lock', 'set', '--channel', '1001', '--channel', '1002', '--yes']],
    [['channel', 'create']],
  ])('the arguments %j are wrong usage', async (args) => {
    expect(await run(...args)).toMatchObject({ status: 2, stdout: '' })
  })
})
