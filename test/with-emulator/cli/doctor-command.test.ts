import { type IncomingHttpHeaders, request } from 'node:http'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { RunningEmulator } from '../../../src/emulator/start-emulator.ts'
import { setLock } from '../../../src/video-service/locks.ts'
import { runHere } from '../../cli/run-here.ts'
import { runProgram } from '../../cli/run-program.ts'
import { ADA, addAda, programSettings, startLoginProgram } from '../../login/login-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { closedAddress, startService } from '../../video-service/test-service.ts'
import { apiOf, emulatorOfTest, environmentFor } from '../video-service/client.ts'

// Processes take their time to start on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let emulator: RunningEmulator
let env: Record<string, string>
/** What a badly set up proxy in front of the login app makes of its headers. */
let alter: (headers: IncomingHttpHeaders) => IncomingHttpHeaders

beforeEach(async () => {
  alter = (headers) => headers
  emulator = await emulatorOfTest()
  let port = 0
  const proxy = await startService((req, res) => {
    const { method, url: path, headers } = req
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, alter(answer.headers))
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  const settings = {
    ...programSettings(),
    PUBLIC_URL: proxy.origin,
    PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
    PLAYER_ORIGINS: `https://player.example,${emulator.url}`,
    HASH_CONSUMERS: `${emulator.url}/chat/authorize/`,
  }
  await addAda(settings)
  port = (await startLoginProgram(settings)).port
  env = { ...settings, ...environmentFor(emulator), VIEWER_PASSWORD: ADA.password }
})

const doctor = (...args: string[]) => runHere(['doctor', ...args], { cwd: temporaryFolder(), env })
const SIGN_IN = ['--viewer', ADA.username]

describe('the doctor', () => {
  test('finds that viewers get through, over the network, once the lock is set', async () => {
    await runHere(['lock', 'set', '--channel', '1002', '--yes'], { cwd: temporaryFolder(), env })
    const { status, stdout, stderr } = await doctor(...SIGN_IN, '--channel', '1002')
    expect([status, stderr]).toEqual([0, ''])
    const lines = [
      'ok       The settings of the login app are complete',
      `ok       The login app answers at ${env.PUBLIC_URL}, and so do its user store and session store.`,
      `ok       ${env.PUBLIC_URL}/ may be framed by https://player.example, ${emulator.url}.`,
      `ok       PLAYER_RETURN_URL ${emulator.url}/embed/hashlock/pass can be reached.`,
      `ok       The consumer ${emulator.url}/chat/authorize/ can be reached.`,
      `ok       ${env.PUBLIC_URL}/ sends viewers to the consumer ${emulator.url}/chat/authorize/.`,
      `ok       ${env.PUBLIC_URL}/ sends viewers to no consumer that is not on the list.`,
      'ok       The video service knows the client, and its secret is right.',
      "ok       The login app's clock and the service's agree.",
      'ok       The lock of channel 1002 points to the entry point default. The service does not show its secret:',
      `ok       The test viewer signs in at ${env.PUBLIC_URL}/ and is sent to the player. The response: Accepted until`,
      'ok       A viewer who returns is passed on without signing in again.',
      'Viewers will get through. (0 failures, 0 warnings)',
      '',
    ]
    const written = stdout.split('\n')
    expect(written.map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines)
    expect(stdout).not.toContain(ADA.password)
  })

  test('warns where nothing points here and no sign-in was tried', async () => {
    const { status, stdout } = await doctor('--json')
    expect((await doctor()).stdout).toMatch(/^Nothing was found that stops viewers, but look at the warnings\. \(0 /m)
    const { findings, failures, warnings } = JSON.parse(stdout)
    expect([status, failures, warnings]).toEqual([0, 0, 2])
    expect(findings.map(({ state }: { state: string }) => state)).toContain('warning')
    expect(stdout).toContain('None of the channels sends its viewers here: see lock set.')
  })

  test.each<[string, (headers: IncomingHttpHeaders) => IncomingHttpHeaders]>([
    [
      'adds a policy that says nothing of frames',
      (headers) => ({
        ...headers,
        'content-security-policy': `${headers['content-security-policy']}, upgrade-insecure-requests`,
      }),
    ],
    [
      'adds a cookie of its own',
      (headers) => ({ ...headers, 'set-cookie': ['balancer=1; path=/', ...(headers['set-cookie'] ?? [])] }),
    ],
  ])('has nothing against a proxy that %s', async (_case, altered) => {
    alter = altered
    const { status, stdout } = await doctor(...SIGN_IN)
    expect(status).toBe(0)
    expect(stdout).toContain('(0 failures, 1 warning)')
  })

  test.each<[string, (headers: IncomingHttpHeaders) => IncomingHttpHeaders, string]>([
    [
      'takes the policy away',
      ({ 'content-security-policy': _policy, ...headers }) => headers,
      'may not be framed by https://player.example',
    ],
    [
      'has a clock that is an hour behind, but for some seconds',
      (headers) => ({ ...headers, date: new Date(Date.now() - 3_590_000).toUTCString() }),
      "s ahead of the login app's, and a response lives 3600 s",
    ],
    ['adds X-Frame-Options', (headers) => ({ ...headers, 'x-frame-options': 'DENY' }), 'sends X-Frame-Options'],
    [
      'adds a policy of its own',
      (headers) => ({
        ...headers,
        'content-security-policy': `${headers['content-security-policy']}, frame-ancestors 'self'`,
      }),
      'may not be framed by https://player.example',
    ],
    [
      'changes cookies',
      (headers) => ({
        ...headers,
        ...(headers['set-cookie'] && {
          'set-cookie': headers['set-cookie'].map((cookie) => cookie.replace('SameSite=None', 'SameSite=Lax')),
        }),
      }),
      'The session cookie lacks SameSite=None',
    ],
    ['lets caches store screens', (headers) => ({ ...headers, 'cache-control': 'public' }), 'may be stored by a cache'],
  ])('sees that a proxy %s', async (_case, altered, said) => {
    alter = altered
    const { status, stdout } = await doctor(...SIGN_IN)
    expect(status).toBe(1)
    expect(stdout).toContain(said)
    expect(stdout).toContain('Viewers will not get through.')
  })

  test.each([
    ['another secret than the app', { HASH_SECRET: 'b81f4c02d97e36a5f0c8127d6e9a4b53' }, 'made with another secret'],
    ['another return address', { PLAYER_RETURN_URL: 'https://other.example/pass' }, 'another PLAYER_RETURN_URL'],
    ['another path in it', { PLAYER_RETURN_URL: 'RETURN/embed/hashlock/psas' }, 'another PLAYER_RETURN_URL'],
    ['a fragment in it', { PLAYER_RETURN_URL: 'RETURN/embed/hashlock/pass#player' }, 'another PLAYER_RETURN_URL'],
    ['a shorter path in it', { PLAYER_RETURN_URL: 'RETURN/embed/hashlock' }, 'another PLAYER_RETURN_URL'],
    ['a wrong password', { VIEWER_PASSWORD: 'wrong' }, 'user name or password wrong'],
    ['a wrong client', { SERVICE_CLIENT_SECRET: 'ab'.repeat(20) }, '(invalid_client, status 400)'],
    ['no service', { SERVICE_BASE_URL: '' }, 'SERVICE_BASE_URL is required'],
  ])('says what is wrong with %s', async (_case, changed, said) => {
    const { PLAYER_RETURN_URL = env.PLAYER_RETURN_URL ?? '' } = changed as Record<string, string>
    env = { ...env, ...changed, PLAYER_RETURN_URL: PLAYER_RETURN_URL.replace('RETURN', emulator.url) }
    const { status, stdout } = await doctor(...SIGN_IN)
    expect(status).toBe(1)
    expect(stdout).toContain(said)
  })

  test.each([
    [{ PLAYER_ORIGINS: 'https://player.example' }, /warning {2}Entry point default: PLAYER_ORIGINS does not hold http/],
    [{ HASH_LIFETIME_SECONDS: '5' }, /warning {2}Entry point default: a response expires after 5 s, before/],
  ])('warns of %j', async (changed, said) => {
    env = { ...env, ...changed }
    const { stdout } = await doctor()
    expect(stdout).toMatch(said)
  })

  test('takes an address without the slash at its end for the same, and warns where only the channel has a lock', async () => {
    const form = { url: env.PUBLIC_URL ?? '', secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'video', id: '2003' }, form)
    expect((await doctor('--video', '2003')).stdout).toContain(
      'The lock of video 2003 points to the entry point default.',
    )
    const inherited = await doctor('--video', '2002')
    expect(inherited.stdout).toContain('warning  The video 2002 has no lock of its own; that of its channel holds')
    expect(await doctor('--video', '2003', '--channel', '1002')).toMatchObject({ status: 2, stdout: '' })
  })

  test('the doctor accepts a lock that is set to /e/default, which the app also serves', async () => {
    const form = { url: `${env.PUBLIC_URL}/e/default`, secret: env.HASH_SECRET ?? '' }
    await setLock(apiOf(emulator), { kind: 'channel', id: '1002' }, form)
    const { status, stdout } = await doctor('--channel', '1002')
    expect([status, stdout]).toEqual([0, expect.stringContaining('The lock of channel 1002 points to')])
    expect((await doctor()).stdout).toContain('these send their viewers here: 1002.')
  })

  test('says what differs in a lock, and that an app does not answer', async () => {
    const lock = await doctor('--video', '2001')
    expect(lock.stdout).toContain('The lock of video 2001: the address is http://localhost:3000/ and should be')
    expect(lock.stdout).toContain('Viewers will not get through. (1 failure, 1 warning)')
    env = { ...env, PUBLIC_URL: (await closedAddress()).origin }
    const { status, stdout } = await doctor(...SIGN_IN)
    expect(status).toBe(1)
    expect(stdout).toContain('cannot be reached (ECONNREFUSED)')
  })

  test('tells an address that leads to something else from a login app whose stores do not answer', async () => {
    const front = await startService((_req, res) => {
      res.statusCode = 502
      res.end('Bad gateway')
    })
    env = { ...env, PUBLIC_URL: front.origin }
    const { stdout } = await doctor()
    expect(stdout).toContain(`failure  ${front.origin}/health/ready answers 502, and not in the words of the login app`)
    expect(stdout).not.toContain('a store does not answer')
  })

  test('warns of addresses of the player and of consumers that nobody answers at, or not as a player would', async () => {
    const { origin } = await closedAddress()
    env = { ...env, PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/psas`, HASH_CONSUMERS: `${origin}/chat/` }
    const { stdout } = await doctor()
    expect(stdout).toContain(`warning  PLAYER_RETURN_URL ${emulator.url}/embed/hashlock/psas answers 404`)
    expect(stdout).toContain(`warning  The consumer: from this machine, ${origin} cannot be reached (ECONNREFUSED)`)
    expect(stdout).toContain(`failure  ${env.PUBLIC_URL}/ refuses the consumer ${origin}/chat/ (400)`)
  })

  test('is soon done with an address whose answers do not end', { timeout: 12_000 }, async () => {
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
    expect(stdout).toContain('answers 200, and not in the words of the login app')
  })

  test('sees that what is in front of the app answers in its place, or loses the query', async () => {
    const front = await startService((req, res) => {
      res.setHeader('content-type', 'application/json')
      res.end(req.url === '/health/ready' ? '{"status":"degraded"}' : '{}')
    })
    env = { ...env, PUBLIC_URL: front.origin }
    const { status, stdout } = await doctor()
    expect(status).toBe(1)
    expect(stdout).toContain(`warning  ${front.origin}/health/ready says "degraded"`)
    expect(stdout).toContain(`${front.origin}/ answers 200 for a consumer that is not on the list`)
  })

  test('names settings that are wrong, and goes no further', async () => {
    env = { PUBLIC_URL: 'http://login.example.com' }
    expect(await doctor()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('HASH_SECRET') })
  })
})
