import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../src/emulator/start-emulator.ts'
import { fetchServiceKeys } from '../../../src/video-service/viewer-auth/service-keys.ts'
import { parseContentKey } from '../../../src/viewer-token/content-key.ts'
import { buildViewerToken } from '../../../src/viewer-token/viewer-token.ts'
import { runHere } from '../../cli/run-here.ts'
import { ADA } from '../../login/start-login-app.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { nowSeconds, send } from '../video-service/client.ts'
import { type Findings, runDoctor } from './doctor-findings.ts'
import { startLoginAppBehindProxy } from './login-app-behind-proxy.ts'

const makeKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const CONTENT_KEY = makeKey()
const CHANNEL = ['--channel', '1002']
const SIGN_IN = ['--viewer', ADA.username]

let emulator: RunningEmulator
let cwd: string
let env: Record<string, string>
/** The token of every sign-in; null for a right one. */
let token: string | null
beforeAll(async () => {
  emulator = await startEmulator({ port: 0, seed: { views: 0 } })
  return () => emulator.close()
})
beforeEach(async () => {
  cwd = temporaryFolder()
  token = null
  const keyUrl = `${emulator.url}/viewer-auth-public-key.json`
  const [serviceKey] = await fetchServiceKeys(send, keyUrl)
  const keys = { contentKey: parseContentKey(CONTENT_KEY), serviceKey }
  env = await startLoginAppBehindProxy(emulator, {
    settings: {
      VIEWER_AUTH: 'token',
      CONTENT_KEY,
      SERVICE_VIEWER_KEY_URL: keyUrl,
      REF_ADDRESSES: `${emulator.url}/embed/1002`,
      PLAYER_ORIGINS: emulator.url,
    },
    without: ['HASH_SECRET', 'PLAYER_RETURN_URL'],
    app: {
      tokenIssuerOf: () => ({
        assertCapacity: () => {},
        issue: async (subject) => token ?? (await buildViewerToken(subject, keys, nowSeconds())),
      }),
    },
  })
})

const doctor = (...args: string[]): Promise<Findings> => runDoctor(args, { cwd, env })
const lockSet = () => runHere(['lock', 'set', ...CHANNEL, '--viewer-auth', 'token', '--yes'], { cwd, env })

describe('the doctor of an entry point with tokens', () => {
  test('it sees keys, clocks, addresses, the record and a sign-in, and calls the rest unknown', async () => {
    await lockSet()
    const { status, ok, failure, unknown } = await doctor(...CHANNEL, ...SIGN_IN)
    expect([status, failure, unknown]).toEqual([0, [], ['player-address-unseen', 'no-page']])
    const seen = ['content-key', 'service-keys', 'token-clocks', 'ref-allowed', 'viewer-auth-recorded', 'signed-in']
    expect(ok).toEqual(expect.arrayContaining([...seen, 'framing-allowed', 'viewer-returns']))
  })

  test('without a record, viewer auth is unknown, and without --viewer so is the sign-in', async () => {
    const { failure, unknown } = await doctor(...CHANNEL)
    expect(failure).toEqual([])
    expect(unknown).toEqual(expect.arrayContaining(['viewer-auth-unseen', 'no-sign-in']))
    expect((await doctor()).unknown).toContain('viewer-auth-unseen')
  })

  test('it names another public key, and an address elsewhere', async () => {
    await lockSet()
    const ours = env
    env = { ...ours, CONTENT_KEY: makeKey() }
    expect((await doctor(...CHANNEL)).failure).toEqual(['viewer-auth-key'])
    const elsewhere = ['--url', 'https://login.example.com/', '--yes']
    await runHere(['lock', 'set', ...CHANNEL, '--viewer-auth', 'token', ...elsewhere], { cwd, env: ours })
    env = ours
    expect((await doctor(...CHANNEL)).failure).toEqual(['viewer-auth-elsewhere'])
  })

  test('it names a service without keys, and an address that the app refuses', async () => {
    env = { ...env, SERVICE_VIEWER_KEY_URL: `${emulator.url}/missing.json` }
    expect((await doctor()).failure).toEqual(['service-keys'])
    env = { ...env, REF_ADDRESSES: `${emulator.url}/embed/1002,https://other.example/embed/` }
    expect((await doctor()).failure).toEqual(['service-keys', 'ref-refused'])
  })

  test.each(['a.b.c', 'x'])('it does not take %s for a token', async (wrong) => {
    token = wrong
    expect((await doctor(...SIGN_IN)).failure).toEqual(['wrong-token'])
  })

  test('a page with the player is not checked, and unknown', async () => {
    expect((await doctor('--page', `${emulator.url}/channel/1002`)).unknown).toContain('page-with-tokens')
  })
})
