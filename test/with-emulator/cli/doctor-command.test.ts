import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/emulator/start-emulator.ts'
import { setLock } from '../../../src/video-service/locks.ts'
import { runHere } from '../../cli/run-here.ts'
import { runProgram } from '../../cli/run-program.ts'
import { ADA } from '../../login/start-login-app.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'
import { apiOf, emulatorOfTest } from '../video-service/client.ts'
import { type AlterHeaders, startLoginAppBehindProxy } from './login-app-behind-proxy.ts'

let emulator: RunningEmulator
let env: Record<string, string>
let alter: AlterHeaders

beforeEach(async () => {
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

/** Runs the doctor with --json. `failure` and `warning` are the texts of these findings, a line each. */
async function findingsOf(...args: string[]) {
  const { status, stdout } = await doctor('--json', ...args)
  const { findings, failures, warnings } = JSON.parse(stdout) as {
    findings: { state: string; text: string }[]
    failures: number
    warnings: number
  }
  const textsOf = (wanted: string) => findings.flatMap(({ state, text }) => (state === wanted ? [text] : [])).join('\n')
  return { status, failures, warnings, ok: textsOf('ok'), warning: textsOf('warning'), failure: textsOf('failure') }
}

describe('the doctor', () => {
  test('the doctor finds no fault once the lock is set, and shows no password', async () => {
    await runHere(['lock', 'set', '--channel', '1002', '--yes'], { cwd: temporaryFolder(), env })
    const { status, stdout, stderr } = await doctor(...SIGN_IN, '--channel', '1002')
    expect([status, stderr]).toEqual([0, ''])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.at(-1)).toBe('Viewers will get through. (0 failures, 0 warnings)')
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^ok {7}\S/)
    for (const named of [
      env.PUBLIC_URL,
      `PLAYER_RETURN_URL ${emulator.url}/embed/hashlock/pass`,
      `${emulator.url}/chat/authorize/`,
      'https://player.example',
      'HASH_CONSUMERS',
      'clocks',
      'channel 1002',
      'entry point default',
      'Accepted until',
      'returning viewer',
    ]) {
      expect(stdout).toContain(named)
    }
    expect(stdout).not.toContain(ADA.password)
  })

  test('the doctor returns as a viewer who has just signed in, also if the app asks returning viewers', async () => {
    env = await startLoginAppBehindProxy(emulator, { settings: { RETURNING_VIEWERS: 'ask' } })
    expect((await findingsOf(...SIGN_IN)).ok).toContain('A returning viewer gets a new response')
  })

  test('the doctor warns if no lock points to the app and no sign-in was tried', async () => {
    const { status, failures, warnings, warning } = await findingsOf()
    expect([status, failures, warnings]).toEqual([0, 0, 2])
    expect(warning).toContain('lock set')
    expect(warning).toContain('--viewer')
    expect((await doctor()).stdout).toMatch(/\(0 failures, 2 warnings\)\n$/)
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
    expect(await findingsOf(...SIGN_IN)).toMatchObject({ status: 0, failures: 0, warnings: 1 })
  })

  test.each<[string, AlterHeaders, string]>([
    ['removes the policy', ({ 'content-security-policy': _policy, ...headers }) => headers, 'https://player.example'],
    [
      'has a clock that is almost an hour behind',
      (headers) => ({ ...headers, date: new Date(Date.now() - 3_590_000).toUTCString() }),
      '3600 s',
    ],
    ['adds X-Frame-Options', (headers) => ({ ...headers, 'x-frame-options': 'DENY' }), 'X-Frame-Options'],
    [
      'adds its own frame-ancestors',
      (headers) => ({
        ...headers,
        'content-security-policy': `${headers['content-security-policy']}, frame-ancestors 'self'`,
      }),
      'frame-ancestors',
    ],
    [
      'changes cookies',
      (headers) => ({
        ...headers,
        ...(headers['set-cookie'] && {
          'set-cookie': headers['set-cookie'].map((cookie) => cookie.replace('SameSite=None', 'SameSite=Lax')),
        }),
      }),
      'SameSite=None',
    ],
    ['lets caches store screens', (headers) => ({ ...headers, 'cache-control': 'public' }), 'no-store'],
  ])('the doctor reports a proxy that %s as a failure', async (_case, altered, named) => {
    alter = altered
    const { status, failure } = await findingsOf(...SIGN_IN)
    expect([status, failure]).toEqual([1, expect.stringContaining(named)])
  })

  test('the verdict says that viewers will not get through if a check fails', async () => {
    alter = (headers) => ({ ...headers, 'x-frame-options': 'DENY' })
    expect((await doctor()).stdout).toContain('Viewers will not get through. (1 failure, 2 warnings)')
  })

  test.each([
    ['another secret than the app', { HASH_SECRET: 'b81f4c02d97e36a5f0c8127d6e9a4b53' }, 'another secret'],
    ['another return address', { PLAYER_RETURN_URL: 'https://other.example/pass' }, 'PLAYER_RETURN_URL'],
    ['another path in the return address', { PLAYER_RETURN_URL: 'RETURN/embed/hashlock/psas' }, 'PLAYER_RETURN_URL'],
    [
      'a fragment in the return address',
      { PLAYER_RETURN_URL: 'RETURN/embed/hashlock/pass#player' },
      'PLAYER_RETURN_URL',
    ],
    ['a shorter path in the return address', { PLAYER_RETURN_URL: 'RETURN/embed/hashlock' }, 'PLAYER_RETURN_URL'],
    ['a wrong password', { VIEWER_PASSWORD: 'wrong' }, 'password'],
    ['a wrong client', { SERVICE_CLIENT_SECRET: 'ab'.repeat(20) }, '(invalid_client, status 400)'],
    ['no service', { SERVICE_BASE_URL: '' }, 'SERVICE_BASE_URL is required'],
  ])('the doctor reports %s as a failure', async (_case, changed, named) => {
    const { PLAYER_RETURN_URL = env.PLAYER_RETURN_URL ?? '' } = changed as Record<string, string>
    env = { ...env, ...changed, PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('RETURN', emulator.url) }
    const { status, failure } = await findingsOf(...SIGN_IN)
    expect([status, failure]).toEqual([1, expect.stringContaining(named)])
  })

  test.each([
    [{ PLAYER_ORIGINS: 'https://player.example' }, 'PLAYER_ORIGINS'],
    [{ HASH_LIFETIME_SECONDS: '5' }, '5 s'],
  ])('the doctor warns of %j', async (changed, named) => {
    env = { ...env, ...changed }
    expect((await findingsOf()).warning).toContain(named)
  })

  test('the doctor warns that the app still signs with the previous secret', async () => {
    env = { ...env, HASH_SECRET: 'b81f4c02d97e36a5f0c8127d6e9a4b53', HASH_SECRET_PREVIOUS: env.HASH_SECRET ?? '' }
    const { status, warning } = await findingsOf(...SIGN_IN)
    expect([status, warning]).toEqual([0, expect.stringContaining('previous secret')])
  })

  test('the doctor warns of a change of the secret that is not finished', async () => {
    const { HASH_SECRET = '', ...others } = env
    const file = join(temporaryFolder(), 'secret')
    env = { ...others, HASH_SECRET_FILE: file, HASH_SECRET_PREVIOUS_FILE: `${file}-previous` }
    for (const path of [file, `${file}-previous`]) writeFileSync(path, HASH_SECRET)
    expect((await findingsOf()).warning).not.toContain(file)
    writeFileSync(`${file}.next`, HASH_SECRET)
    const { status, warning } = await findingsOf()
    expect([status, warning]).toEqual([0, expect.stringContaining(`${file}.next`)])
  })

  test('the doctor accepts a lock without the slash at the end of its address', async () => {
    const form = { url: env.PUBLIC_URL ?? '', secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'video', id: '2003' }, form)
    expect((await findingsOf('--video', '2003')).ok).toContain('video 2003')
  })

  test('the doctor warns that a video has no lock of its own', async () => {
    expect((await findingsOf('--video', '2002')).warning).toContain('video 2002')
  })

  test('a video and a channel at once are wrong usage', async () => {
    expect(await doctor('--video', '2003', '--channel', '1002')).toMatchObject({ status: 2, stdout: '' })
  })

  test('the doctor accepts a lock that is set to /e/default, which the app also serves', async () => {
    const form = { url: `${env.PUBLIC_URL}/e/default`, secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
    expect(await findingsOf('--channel', '1002')).toMatchObject({
      status: 0,
      ok: expect.stringContaining('The lock of channel 1002'),
    })
    expect((await findingsOf()).ok).toContain(': 1002.')
  })

  test('the doctor reports the address of a lock that points elsewhere', async () => {
    const { failures, warnings, failure } = await findingsOf('--video', '2001')
    expect([failures, warnings]).toEqual([1, 1])
    expect(failure).toContain('video 2001')
    expect(failure).toContain('http://localhost:3000/')
  })

  test('the doctor reports an app that does not answer', async () => {
    env = { ...env, PUBLIC_URL: (await closedAddress()).origin }
    const { status, failure } = await findingsOf(...SIGN_IN)
    expect([status, failure]).toEqual([1, expect.stringContaining('(ECONNREFUSED)')])
  })

  test('the doctor tells another program from a login app whose stores do not answer', async () => {
    let body = 'Bad gateway'
    const front = await startService((_req, res) => {
      res.statusCode = 503
      res.end(body)
    })
    env = { ...env, PUBLIC_URL: front.origin }
    const otherProgram = await findingsOf()
    expect(otherProgram.failure).toContain(`${front.origin}/health/ready answers 503`)
    expect(otherProgram.failure).not.toContain('store')
    body = '{"status":"unavailable"}'
    expect((await findingsOf()).failure).toContain('store')
  })

  test('the doctor warns of addresses of the player and of consumers that do not answer', async () => {
    const { origin } = await closedAddress()
    env = { ...env, PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/psas`, HASH_CONSUMERS: `${origin}/chat/` }
    const { warning, failure } = await findingsOf()
    expect(warning).toContain(`PLAYER_RETURN_URL ${emulator.url}/embed/hashlock/psas answers 404`)
    expect(warning).toContain(`${origin} (ECONNREFUSED)`)
    expect(failure).toContain(`${origin}/chat/ (400)`)
  })

  test('the doctor stops reading an endless answer', { timeout: 12_000 }, async () => {
    const front = await startService((_req, res) => {
      const more = () => {
        while (res.write('x'.repeat(65_536)));
        res.once('drain', more)
      }
      more()
    })
    env = { ...env, PUBLIC_URL: front.origin }
    const { status, stdout } = await runProgram(['doctor'], { cwd: temporaryFolder(), env })
    expect(status).toBe(1)
    expect(stdout).toContain(`failure  ${front.origin}/health/ready answers 200`)
  })

  test('the doctor reports a proxy that answers in place of the app', async () => {
    const front = await startService((req, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(req.url === '/health/ready' ? '{"status":"degraded"}' : '{}')
    })
    env = { ...env, PUBLIC_URL: front.origin }
    const { status, warning, failure } = await findingsOf()
    expect(status).toBe(1)
    expect(warning).toContain(`${front.origin}/health/ready says "degraded"`)
    expect(failure).toContain(`${front.origin}/ answers 200 instead of 400`)
  })

  test('the doctor lists wrong settings and checks nothing else', async () => {
    env = { PUBLIC_URL: 'http://login.example.com' }
    expect(await doctor()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('HASH_SECRET') })
  })
})
