import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { setLock } from '../../../../src/tools/video-service/locks.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { apiOf, emulatorOfTest } from '../../video-service/client.ts'
import { type AlterHeaders, startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'
import { runDoctor } from './findings.ts'
import { slowClock } from './slow-clock.ts'

let emulator: RunningEmulator
let env: Record<string, string>
let alter: AlterHeaders

beforeEach(async () => {
  void slowClock()
  alter = (headers) => headers
  emulator = await emulatorOfTest()
  env = await startLoginAppBehindProxy(emulator, {
    alter: (headers) => alter(headers),
    settings: {
      PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
      PLAYER_ORIGINS: `https://player.example,${emulator.url}`,
      HASH_CONSUMERS: `${emulator.url}/chat/authorize/`,
    },
  })
})

const doctor = (...args: string[]) => runHere(['doctor', ...args], { cwd: temporaryFolder(), env })
const SIGN_IN = ['--viewer', ADA.username]

const findingsOf = (...args: string[]) => runDoctor(args, { cwd: temporaryFolder(), env })

describe('the doctor', () => {
  test('the doctor finds no fault once the lock is set, and shows no password', async () => {
    // The record of the lock lies beside the settings.
    const cwd = temporaryFolder()
    await runHere(['lock', 'set', '--channel', '1002', '--yes'], { cwd, env })
    const page = ['--page', `${emulator.url}/channel/1002`]
    const args = [...SIGN_IN, '--channel', '1002', ...page]
    const doctor = (...more: string[]) => runHere(['doctor', ...args, ...more], { cwd, env })
    const [short = '', counted = ''] = (await doctor()).stdout.split('\n')
    expect([short, counted]).toEqual([expect.stringMatching(/^\d\d checks passed/), expect.stringContaining('through')])
    const { status, stdout, stderr } = await doctor('--verbose')
    expect([status, stderr]).toEqual([0, ''])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toContain('README.md#when-viewers-do-not-get-through')
    expect(lines.at(-2)).toMatch(
      /^Viewers will get through, if the lock .* ago\. \(\d\d checks: 0 failures, 0 unknown, 0 warnings\)$/,
    )
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^ok {7}\S/)
    for (const named of [
      env.PUBLIC_URL,
      `PLAYER_RETURN_URL ${emulator.url}/embed/hashlock/pass`,
      `${emulator.url}/chat/authorize/`,
      'https://player.example',
      'clocks',
      'channel 1002',
      'Accepted until',
      'returning viewer',
    ]) {
      expect(stdout).toContain(named)
    }
    expect(stdout).not.toContain(ADA.password)
  })

  test('the doctor returns as a viewer who has just signed in, also if the app asks returning viewers', async () => {
    env = await startLoginAppBehindProxy(emulator, { settings: { RETURNING_VIEWERS: 'ask' } })
    expect((await findingsOf(...SIGN_IN)).ok).toContain('viewer-returns')
  })

  test('a missing lock and a sign-in that was not tried are unknown, and the verdict says so', async () => {
    const { status, failure, unknown, verdict } = await findingsOf()
    expect([status, failure, unknown]).toEqual([0, [], ['no-lock', 'no-page', 'no-sign-in']])
    expect(verdict).toMatch(/^Not proven/)
    expect((await doctor()).stdout).toContain(': 0 failures, 3 unknown, 0 warnings)')
  })

  test.each<[string, AlterHeaders]>([
    [
      'adds a policy without frame-ancestors',
      (headers) => ({
        ...headers,
        'content-security-policy': `${headers['content-security-policy']}, upgrade-insecure-requests`,
      }),
    ],
    [
      'adds its own cookie',
      (headers) => ({ ...headers, 'set-cookie': ['balancer=1; path=/', ...(headers['set-cookie'] ?? [])] }),
    ],
  ])('the doctor accepts a proxy that %s', async (_case, altered) => {
    alter = altered
    expect(await findingsOf(...SIGN_IN)).toMatchObject({ status: 0, failure: [], unknown: ['no-lock', 'no-page'] })
  })

  test('a player whose policy does not let the app in is a failure only if the lock leads to the app', async () => {
    const customerPage = ['--page', `${emulator.url}/video/2001`]
    expect((await findingsOf(...customerPage)).unknown).toContain('player-frame-src')
    expect((await findingsOf(...customerPage, '--entry-point', 'default')).failure).toContain('player-frame-src')
  })

  test.each(['www.example.com', 'ftp://www.example.com/', 'https://ada:secret@www.example.com/'])(
    'the page %s is wrong usage',
    async (address) => {
      const { status, stdout, stderr } = await doctor('--page', address)
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining('--page')])
    },
  )

  test('with --strict, warnings and unknown results make the exit status 1', async () => {
    await runHere(['lock', 'set', '--video', '2003', '--yes'], { cwd: temporaryFolder(), env })
    const all = ['--strict', '--video', '2003', '--page', `${emulator.url}/video/2003`]
    expect(await findingsOf(...all, ...SIGN_IN)).toMatchObject({ status: 0, verdict: 'Viewers will get through.' })
    expect(await findingsOf(...all)).toMatchObject({ status: 1, unknown: ['no-sign-in'] })
    env = { ...env, HASH_LIFETIME_SECONDS: '5' }
    expect(await findingsOf(...all, ...SIGN_IN)).toMatchObject({ status: 1, warning: ['short-lifetime'] })
    expect(await findingsOf(...all.slice(1), ...SIGN_IN)).toMatchObject({ status: 0, warning: ['short-lifetime'] })
  })

  test('the doctor accepts a lock without the slash at the end of its address', async () => {
    const form = { url: env.PUBLIC_URL ?? '', secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'video', id: '2003' }, form)
    expect((await findingsOf('--video', '2003')).ok).toContain('lock-secret-same')
  })

  test('a video and a channel at once are wrong usage', async () => {
    expect(await doctor('--video', '2003', '--channel', '1002')).toMatchObject({ status: 2, stdout: '' })
  })

  test('the doctor accepts a lock that is set to /e/default, which the app also serves', async () => {
    const form = { url: `${env.PUBLIC_URL}/e/default`, secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
    for (const args of [['--channel', '1002'], []]) {
      const { status, unknown, textOf } = await findingsOf(...args)
      expect([status, unknown]).toEqual([0, ['lock-secret-unseen', 'no-page', 'no-sign-in']])
      expect(textOf('lock-secret-unseen')).toContain('channel 1002')
    }
  })

  test('the doctor lists wrong settings and checks nothing else', async () => {
    env = { PUBLIC_URL: 'http://login.example.com' }
    expect(await doctor()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('HASH_SECRET') })
  })
})
