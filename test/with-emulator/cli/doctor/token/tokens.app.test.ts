import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseContentKey } from '../../../../../src/features/token/viewer-token/content-key.ts'
import { buildViewerToken } from '../../../../../src/features/token/viewer-token/viewer-token.ts'
import { type RunningEmulator, startEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { fetchServiceKeys } from '../../../../../src/tools/video-service/token/service-keys.ts'
import { tokensFrom } from '../../../../features/token/start-token-app.ts'
import { ADA } from '../../../../login/start-login-app.ts'
import { runHere } from '../../../../tools/cli/run-here.ts'
import { startService } from '../../../../tools/video-service/test-service.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { nowSeconds, send } from '../../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../../login-app-behind-proxy.ts'
import { type Findings, runDoctor } from '../findings.ts'

const makeKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const CONTENT_KEY = makeKey()
const CHANNEL = ['--channel', '1002']
const SIGN_IN = ['--viewer', ADA.username]

let emulator: RunningEmulator
let cwd: string
let env: Record<string, string>
/** Returns the token of a sign-in; null for a right one. */
let token: () => string | null
beforeAll(async () => {
  emulator = await startEmulator({ port: 0, seed: { views: 0 } })
  return () => emulator.close()
})
beforeEach(async () => {
  cwd = temporaryFolder()
  token = () => null
  const keyUrl = `${emulator.url}/viewer-auth-public-key.json`
  const [serviceKey] = await fetchServiceKeys(send, keyUrl)
  const keys = { contentKey: parseContentKey(CONTENT_KEY), serviceKey }
  env = await startLoginAppBehindProxy(emulator, {
    settings: {
      VIEWER_AUTH: 'token',
      CONTENT_KEY,
      SERVICE_VIEWER_KEY_URL: keyUrl,
      REF_ADDRESSES: `${emulator.url}/embed/1002,${emulator.url}/embed/recorded/2003`,
      PLAYER_ORIGINS: emulator.url,
    },
    without: ['HASH_SECRET', 'PLAYER_RETURN_URL'],
    app: {
      features: tokensFrom(() => ({
        assertCapacity: () => {},
        issue: async (subject) => token() ?? (await buildViewerToken(subject, keys, nowSeconds())),
        refetchKeys: () => {},
      })),
    },
  })
})

const doctor = (...args: string[]): Promise<Findings> => runDoctor(args, { cwd, env })
const lockSet = () => runHere(['lock', 'set', ...CHANNEL, '--viewer-auth', 'token', '--yes'], { cwd, env })

describe('the doctor of an entry point with tokens', () => {
  test('a video has an address of its own', async () => {
    const video = ['--video', '2003']
    await runHere(['lock', 'set', ...video, '--viewer-auth', 'token', '--yes'], { cwd, env })
    expect((await doctor(...video)).ok).toContain('viewer-auth-proven')
  })

  test('without --channel, a page shows the player', async () => {
    await lockSet()
    const { ok, failure, unknown } = await doctor('--page', `${emulator.url}/channel/1002`, ...SIGN_IN)
    expect([failure, unknown]).toEqual([[], []])
    expect(ok).toEqual(expect.arrayContaining(['page', 'viewer-auth-proven', 'signed-in']))
  })

  test('without a channel and a page, viewer auth is unknown, and without --viewer so is the sign-in', async () => {
    const { failure, unknown } = await doctor()
    expect(failure).toEqual([])
    expect(unknown).toEqual(['no-page', 'viewer-auth-unseen', 'no-sign-in'])
  })

  test('a player at an unusual address is unknown, and the record of lock set takes its place', async () => {
    const ours = { ...env, REF_ADDRESSES: `${emulator.url}/other/` }
    env = ours
    expect((await doctor(...CHANNEL)).unknown).toContain('viewer-auth-unseen')
    await lockSet()
    const { ok, unknown } = await doctor(...CHANNEL)
    expect([ok, unknown]).toEqual([
      expect.arrayContaining(['viewer-auth-recorded']),
      ['no-page', 'player-address-unseen', 'no-sign-in'],
    ])
    env = { ...ours, CONTENT_KEY: makeKey() }
    expect((await doctor(...CHANNEL)).failure).toContain('viewer-auth-key')
    const elsewhere = ['--url', 'https://login.example.com/', '--yes']
    await runHere(['lock', 'set', ...CHANNEL, '--viewer-auth', 'token', ...elsewhere], { cwd, env: ours })
    env = ours
    expect((await doctor(...CHANNEL)).failure).toContain('viewer-auth-elsewhere')
  })

  test.each(['a.b.c', 'x'])('the doctor does not accept %s as a token', async (wrong) => {
    token = () => wrong
    expect((await doctor(...SIGN_IN)).failure).toEqual(['wrong-token'])
  })

  test('a token is unchecked, and not wrong, if the keys of the service vanish during the sign-in', async () => {
    let hasKeys = true
    const keys = await (await fetch(env.SERVICE_VIEWER_KEY_URL ?? '')).text()
    const { href } = await startService((_req, res) => void res.writeHead(hasKeys ? 200 : 404).end(hasKeys ? keys : ''))
    env = { ...env, SERVICE_VIEWER_KEY_URL: href }
    token = () => {
      hasKeys = false
      return 'a.b.c'
    }
    const { failure, unknown } = await doctor(...SIGN_IN)
    expect([failure, unknown]).toEqual([[], expect.arrayContaining(['token-unchecked'])])
  })
})
