import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkViewerToken } from '../../../src/features/token/viewer-token/token-check.ts'
import { APP_SETTINGS, SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { encrypt, sign } from './viewer-token/jose-tokens.ts'
import { CONTENT_KEY, KID, SERVICE_KEY } from './viewer-token/jwcrypto-vectors.ts'
import { CHECK_KEYS } from './viewer-token/token-keys.ts'

const now = () => Math.floor(Date.now() / 1000)
const claims = (iat = now()) => JSON.stringify({ sub: 'ada@example.com', iat })
const { n, e } = createPublicKey(SERVICE_KEY).export({ format: 'jwk' })

/** Publishes the key of the vectors. */
let service: Server
let status = 200
let kid = KID
beforeAll(async () => {
  service = createServer((_req, res) => {
    res.writeHead(status).end(JSON.stringify({ keys: [{ kid, kty: 'RSA', use: 'enc', n, e }] }))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  return () => service.close()
})
beforeEach(() => {
  status = 200
  kid = KID
})

const env = () => ({
  ...APP_SETTINGS,
  PUBLIC_URL: 'http://localhost:3000',
  PLAYER_ORIGINS: SETTINGS.PLAYER_ORIGINS,
  VIEWER_AUTH: 'token',
  CONTENT_KEY: CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString(),
  SERVICE_VIEWER_KEY_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/viewer-auth-public-key.json`,
  REF_ADDRESSES: 'https://player.example/embed/',
})
const run = (args: string[], stdin = '') =>
  runHere(['response', ...args], { cwd: temporaryFolder(), env: env(), stdin })
const isValid = async (token: string) => (await checkViewerToken(token, CHECK_KEYS, now() + 1)).ok

describe('response build for tokens', () => {
  test('response build prints a token that the service accepts, and its single use on standard error', async () => {
    const built = await run(['build', 'sub=ada@example.com'])
    expect([built.status, await isValid(built.stdout.trim())]).toEqual([0, true])
    expect(built.stderr).toMatch(/60 seconds.* once/)
    const { token } = JSON.parse((await run(['build', 'sub=ada', '--json'])).stdout)
    expect(await isValid(token)).toBe(true)
  })

  test.each([
    [['user=ada'], 'sub=VALUE'],
    [['sub=ada', 'user=ada'], 'sub=VALUE'],
    [['sub='], 'is empty'],
    [['sub=ada', '--lifetime', '60'], '--lifetime'],
  ])('response build for a token refuses %j', async (args, message) => {
    expect(await run(['build', ...args])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })

  test('response build for a token fails without a key of the service, and names the setting', async () => {
    status = 404
    const { status: exit, stdout, stderr } = await run(['build', 'sub=ada'])
    expect([exit, stdout, stderr]).toEqual([1, '', expect.stringContaining('SERVICE_VIEWER_KEY_URL')])
  })
})

describe('response embed', () => {
  test('response embed prints the address of the embed with a token', async () => {
    const { status: exit, stdout, stderr } = await run(['embed', 'https://player.example/embed/1?a=b', 'ada'])
    const [address, token = ''] = stdout.trim().split('&vt=')
    expect([exit, address, await isValid(token)]).toEqual([0, 'https://player.example/embed/1?a=b', true])
    expect(stderr).toMatch(/60 seconds.* once/)
  })

  test.each([
    ['https://evil.example/embed/1', 'not on the list'],
    ['https://player.example/embed/1?vt=x', 'already has'],
    ['https://player.example/other/1', 'REF_ADDRESSES'],
  ])('response embed makes no token for %s', async (address, message) => {
    const embed = await run(['embed', address, 'ada'])
    expect(embed).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('response check for tokens', () => {
  test.each([
    ['the token', (token: string) => `${token}\n`],
    ['the address that received the token', (token: string) => `https://player.example/embed/1?a=b&vt=${token}`],
    ['the query of that address', (token: string) => `?vt=${token}`],
    ['the token in quotation marks', (token: string) => `"${token}"\n`],
  ])('response check reads %s, and does not claim that the service accepts the token', async (_case, textOf) => {
    const checked = await run(['check', '--json'], textOf(await encrypt(await sign(claims()))))
    expect([checked.status, JSON.parse(checked.stdout)]).toEqual([0, { accepted: null, kid: KID, isNewestKey: true }])
  })

  test('response check says what only the service can check', async () => {
    const { stdout } = await run(['check'], await encrypt(await sign(claims())))
    expect(stdout).toMatch(/Not checked: the signature/)
    expect(stdout).not.toContain('Accepted')
  })

  test.each([
    ['a text that is not a token', () => Promise.resolve('hello'), { reason: 'malformed' }],
    [
      'the beginning of a token',
      async () => (await encrypt(await sign(claims()))).slice(0, 500),
      { reason: 'malformed' },
    ],
    ['a signed token without encryption', () => sign(claims()), { reason: 'not-encrypted', signed: 'right' }],
    [
      'an old signed token without encryption',
      () => sign(claims(now() - 61)),
      { reason: 'not-encrypted', signed: 'expired' },
    ],
  ])('response check refuses %s', async (_case, make, expected) => {
    const { status: exit, stdout } = await run(['check', '--json'], await make())
    expect([exit, JSON.parse(stdout)]).toEqual([1, { accepted: false, ...expected }])
  })

  test('response check refuses a token for a key that the service has removed', async () => {
    kid = 'newer'
    const { status: exit, stdout } = await run(['check', '--json'], await encrypt(await sign(claims())))
    expect([exit, JSON.parse(stdout)]).toEqual([1, { accepted: false, reason: 'unknown-service-key' }])
  })

  test('response check refuses an address without a token', async () => {
    const checked = await run(['check'], 'https://player.example/embed/1')
    expect(checked).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('vt=') })
  })

  test('a token as an argument is wrong usage, and no output repeats it', async () => {
    const token = await encrypt(await sign(claims()))
    const { status: exit, stdout, stderr } = await run(['check', token])
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining('standard input')])
    expect(stderr).not.toContain(token.slice(0, 40))
  })

  test('a response with a hash is not a token, and an empty input is refused', async () => {
    expect(await run(['check'], '?hash=%5B%5D')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no entry point has a hash'),
    })
    expect(await run(['check'], '')).toMatchObject({ status: 1, stderr: expect.stringContaining('No token') })
  })

  test('a token with an entry point for each version is checked with the right one', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'entry-points.json')
    const { CONTENT_KEY: contentKey, SERVICE_VIEWER_KEY_URL: serviceViewerKeyUrl } = env()
    const token = {
      name: 'two',
      viewerAuth: 'token',
      contentKey,
      serviceViewerKeyUrl,
      refAddresses: ['https://player.example/embed/'],
    }
    const hash = { name: 'one', secret: SETTINGS.HASH_SECRET, playerReturnUrl: SETTINGS.PLAYER_RETURN_URL }
    const playerOrigins = ['https://player.example']
    writeFileSync(
      file,
      JSON.stringify([
        { ...hash, playerOrigins },
        { ...token, playerOrigins },
      ]),
      { mode: 0o600 },
    )
    const settings = { ...APP_SETTINGS, PUBLIC_URL: 'http://localhost:3000', ENTRY_POINTS_FILE: file }
    const check = (stdin: string, ...args: string[]) =>
      runHere(['response', 'check', '--json', ...args], { cwd, env: settings, stdin })
    const text = await encrypt(await sign(claims()))
    expect(JSON.parse((await check(text)).stdout)).toMatchObject({ accepted: null })
    expect(await check(text, '--entry-point', 'one')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('VIEWER_AUTH=token: one'),
    })
    const build = await runHere(['response', 'build', 'sub=ada', '--entry-point', 'one'], { cwd, env: settings })
    expect([build.status, build.stderr]).toEqual([0, expect.stringContaining('is not a token')])
    const hashName = ['response', 'embed', 'https://player.example/embed/1', 'ada', '--entry-point', 'one']
    expect((await runHere(hashName, { cwd, env: settings })).stderr).toContain('one of: two')
    expect(JSON.parse((await check('[{"user":"ada"},{"hash":"00"}]')).stdout)).toMatchObject({
      accepted: false,
      entryPoint: 'one',
    })
  })
})
