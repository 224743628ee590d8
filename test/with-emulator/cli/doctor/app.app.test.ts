import { beforeEach, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { runProgram } from '../../../tools/cli/run-program.ts'
import { startService } from '../../../tools/video-service/test-service.ts'
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

test('a return address that leads to another origin is unknown, because browsers may block it', async () => {
  const away = await startService((_req, res) => void res.writeHead(302, { location: emulator.url }).end())
  const near = await startService((_req, res) => void res.writeHead(302, { location: '/player' }).end())
  env = { ...env, PLAYER_RETURN_URL: `${away.origin}/pass`, HASH_CONSUMERS: `${near.origin}/chat/` }
  const { unknown, textOf } = await findingsOf()
  expect(unknown).toContain('address-redirects')
  expect(textOf('address-redirects')).not.toContain(near.origin)
})

test('the doctor stops reading an endless answer', async () => {
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
