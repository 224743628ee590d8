import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { waitForView } from '../../../../src/tools/cli/doctor/service/wait-for-view.ts'
import { ioWithoutTerminal } from '../../../../src/tools/cli/terminal/io.ts'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { inOneHour, makeResponse } from '../../../tools/emulator/player/tiny-login-app.ts'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { emulatorOfTest } from '../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'
import { runDoctor } from './findings.ts'

const CHANNEL = ['--channel', '1002']
const CONTENT = { content_type: 'live', content_id: '1002' }
const VIEWER = 'grace@example.com'

let emulator: RunningEmulator
let env: Record<string, string>
let folder: string

beforeEach(async () => {
  emulator = await emulatorOfTest()
  folder = temporaryFolder()
  const returnUrl = `${emulator.url}/embed/hashlock/pass`
  const settings = { USER_STORE_URL: viewersUrl(folder), PLAYER_RETURN_URL: returnUrl, PLAYER_ORIGINS: emulator.url }
  env = await startLoginAppBehindProxy(emulator, { settings })
  await runHere(['lock', 'set', ...CHANNEL, '--yes'], { cwd: folder, env })
})

const doctor = (...args: string[]) => runDoctor([...CHANNEL, ...args], { cwd: folder, env })

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(emulator.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as Record<string, unknown>
}

/** Plays as the player does with an authentication response. */
async function watch(user: string, secret = env.HASH_SECRET ?? ''): Promise<void> {
  const response = makeResponse([['user', user]], inOneHour(), secret)
  const { playback } = await post('/embed/hashlock/validate', { ...CONTENT, response })
  const ids = { client_id: randomUUID(), view_session_id: randomUUID() }
  await post('/embed/views/start', { ...CONTENT, ...ids, playback, position: null, view_type: 'offsite' })
}

async function untilAsked(): Promise<void> {
  await vi.waitFor(
    async () => {
      const log = await (await fetch(`${emulator.url}/emulator/requests`)).text()
      expect(log).toContain('/v1/viewers/live')
    },
    { timeout: 20_000 },
  )
}

const wait = (viewer: string, limits = { limitMs: 200, everyMs: 50 }) => {
  const target = { kind: 'channel', id: '1002' } as const
  return waitForView(ioWithoutTerminal(env), { target, viewer, rememberedSeconds: 3600 }, limits)
}

test('a view by the awaited viewer proves the secret of the lock without a condition', async () => {
  const before = await doctor('--viewer', 'ada@example.com')
  expect(before.findings.find(({ code }) => code === 'lock-secret-same')).toHaveProperty('condition')
  const run = doctor('--viewer', 'ada@example.com', '--watch', VIEWER)
  await untilAsked()
  await watch(VIEWER)
  const { ok, findings } = await run
  expect(ok).toContain('lock-secret-watched')
  expect(findings.filter((finding) => 'condition' in finding)).toEqual([])
})

test('neither another viewer nor a response that the player refuses proves the secret', async () => {
  const waiting = wait(VIEWER)
  await watch('bob')
  await watch(`x${VIEWER}`)
  await watch(VIEWER, 'another-secret')
  expect(await waiting).toMatchObject({ state: 'unknown', code: 'not-watched' })
})

test('a viewer who watched shortly before proves nothing, as the player may remember the response of then', async () => {
  await watch(VIEWER)
  expect(await wait(VIEWER)).toMatchObject({ state: 'unknown', code: 'watched-before' })
})

test('the doctor does not wait after a failure', async () => {
  env.PUBLIC_URL = 'http://localhost:9'
  const { failure, unknown } = await doctor('--watch', VIEWER)
  expect(failure).not.toEqual([])
  expect(unknown).not.toContain('not-watched')
})

test('--watch without a channel or video is wrong usage', async () => {
  expect(await runHere(['doctor', '--watch', VIEWER], { cwd: folder, env })).toMatchObject({ status: 2 })
})
