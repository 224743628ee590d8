import { beforeEach, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { runProgram } from '../../../tools/cli/run-program.ts'
import { closedAddress, startService } from '../../../tools/video-service/test-service.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { emulatorOfTest } from '../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'
import { runDoctor } from './findings.ts'

let emulator: RunningEmulator
let env: Record<string, string>

beforeEach(async () => {
  emulator = await emulatorOfTest()
  env = await startLoginAppBehindProxy(emulator, {
    settings: {
      PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
      PLAYER_ORIGINS: `https://player.example,${emulator.url}`,
      HASH_CONSUMERS: `${emulator.url}/chat/authorize/`,
    },
  })
})

const findingsOf = (...args: string[]) => runDoctor(args, { cwd: temporaryFolder(), env })
const SIGN_IN = ['--viewer', ADA.username]

test('the doctor says once that nothing listens, and leaves out what follows from it', async () => {
  env = { ...env, PUBLIC_URL: (await closedAddress()).origin }
  const { status, ok, failure, unknown } = await findingsOf(...SIGN_IN)
  expect([status, failure, unknown]).toEqual([1, ['nothing-listens'], ['no-lock']])
  expect(ok).toEqual(['settings-complete', 'client-accepted'])
})

test('the doctor tells another program from a login app whose stores do not answer', async () => {
  let body = 'Bad gateway'
  const front = await startService((_req, res) => {
    res.statusCode = 503
    res.end(body)
  })
  env = { ...env, PUBLIC_URL: front.origin }
  expect((await findingsOf(...SIGN_IN)).failure).toEqual(['proxy-without-app'])
  body = '{"status":"unavailable","away":["USER_STORE_URL"]}'
  const { failure, textOf } = await findingsOf()
  expect(failure).toContain('store-away')
  expect(textOf('store-away')).toContain('USER_STORE_URL')
})

test('addresses of the player and of consumers that do not answer are unknown', async () => {
  const { origin } = await closedAddress()
  env = { ...env, PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/psas`, HASH_CONSUMERS: `${origin}/chat/` }
  const { unknown, failure, textOf } = await findingsOf()
  expect(unknown).toEqual(expect.arrayContaining(['address-doubtful', 'address-unreachable']))
  expect(textOf('address-doubtful')).toContain('404')
  expect(textOf('address-unreachable')).toContain(origin)
  expect(failure).toContain('consumer-refused')
})

test('a return address that leads to another origin is unknown, because browsers may block it', async () => {
  const away = await startService((_req, res) => void res.writeHead(302, { location: emulator.url }).end())
  const near = await startService((_req, res) => void res.writeHead(302, { location: '/player' }).end())
  env = { ...env, PLAYER_RETURN_URL: `${away.origin}/pass`, HASH_CONSUMERS: `${near.origin}/chat/` }
  const { unknown, textOf } = await findingsOf()
  expect(unknown).toContain('address-redirects')
  expect(textOf('address-redirects')).not.toContain(near.origin)
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
  expect(stdout).toMatch(/^failure {2}Another program answers at/m)
})

test('the doctor reports a proxy that answers in place of the app', async () => {
  const front = await startService((req, res) => {
    res.setHeader('content-type', 'application/json')
    res.end(req.url === '/health/ready' ? '{"status":"degraded"}' : '{}')
  })
  env = { ...env, PUBLIC_URL: front.origin }
  const { status, warning, failure } = await findingsOf()
  expect([status, warning]).toEqual([1, ['store-degraded']])
  expect(failure).toContain('no-sign-in-screen')
})
