import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { APP_SETTINGS, SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const check = (env: Record<string, string>, ...options: string[]) =>
  runHere(['config', 'check', ...options], { cwd: temporaryFolder(), env })

test('config check accepts right settings and prints the address for the lock', async () => {
  expect(await check(SETTINGS)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^address +https:\/\/login\.example\.com\/$/m),
  })
  const { stdout } = await check({ ...SETTINGS, HASH_LIFETIME_SECONDS: '0' }, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    entryPoints: [{ name: 'default', address: 'https://login.example.com/', settings: expect.any(Object) }],
    settings: expect.any(Object),
    warnings: [expect.stringContaining('the lifetime is 0')],
  })
})

test('config check needs no setting of the video service for an entry point with tokens', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { status, stdout } = await check({
    ...APP_SETTINGS,
    PLAYER_ORIGINS: SETTINGS.PLAYER_ORIGINS,
    VIEWER_AUTH: 'token',
    CONTENT_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SERVICE_VIEWER_KEY_URL: 'https://api.example/viewer-auth-public-key.json',
    REF_ADDRESSES: 'https://player.example/embed/',
  })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^CONTENT_KEY +RSA, 2048 bits$/m)])
})

test('a look-alike of a setting is shown as a warning', async () => {
  const { status, stdout } = await check({ ...SETTINGS, LOGLEVEL: 'info', HASH_LIFETIME_SECONDS: '0' })
  const warnings = stdout.split('\n').filter((line) => line.startsWith('Warning: '))
  expect([status, warnings]).toEqual([
    0,
    ['Warning: Unknown setting LOGLEVEL. Did you mean LOG_LEVEL?', expect.stringMatching(/the lifetime is 0.*[^.]\.$/)],
  ])
})

test('config check lists all mistakes at once, also of the video service, and shows no value', async () => {
  const { status, stdout, stderr } = await check({
    ...SETTINGS,
    HASH_SECRET: 'hunter2',
    PUBLIC_URL: 'http://login.example.com',
    SERVICE_CLIENT_SECRET: 'hunter3',
  })
  expect([status, stdout]).toEqual([1, ''])
  for (const name of ['HASH_SECRET', 'PUBLIC_URL', 'SERVICE_AUTH_URL', 'SERVICE_CLIENT_SECRET']) {
    expect(stderr).toContain(`\n  ${name} `)
  }
  expect(stderr).not.toContain('hunter')
})

test('config check shows brand, language, limits and mail as the app will use them, and no secret', async () => {
  const own = {
    BRAND_NAME: 'Acme',
    DEFAULT_LANGUAGE: 'de-AT',
    COLOR_SCHEME: 'auto',
    SIGN_IN_LIMIT_PER_ADDRESS: '500',
    LIMITS_STORE_URL: 'rediss://app:PASSWORDMARKER@redis:6380',
    SMTP_URL: 'smtps://app:PASSWORDMARKER@mail.example.com',
    MAIL_FROM: 'Acme <login@example.com>',
    SECURITY_LOG_FILE: 'off',
  }
  const { stdout } = await check({ ...SETTINGS, ...own }, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    entryPoints: [{ settings: { BRAND_NAME: 'Acme', DEFAULT_LANGUAGE: 'de', COLOR_SCHEME: 'auto' } }],
    settings: {
      SIGN_IN_LIMIT_PER_ADDRESS: '500',
      LIMITS_STORE_URL: 'rediss://redis:6380',
      SMTP_URL: 'smtps://mail.example.com',
      MAIL_FROM: 'login@example.com',
      SECURITY_LOG_FILE: 'off',
    },
  })
  const { stdout: table } = await check({ ...SETTINGS, ...own })
  expect(table).toMatch(/^BRAND_NAME +Acme$/m)
  for (const secret of ['PASSWORDMARKER', SETTINGS.HASH_SECRET, SETTINGS.SESSION_SECRET]) {
    expect(stdout + table).not.toContain(secret)
  }
})

test('config check hides a secret that looks like an address', async () => {
  const own = 'Kq7w1e9r3t5y8u2i6o0p4a1s9d7f3g5h2'
  const secrets = { SESSION_SECRET: `redis:${own}`, HASH_SECRET: `abc://${own}` }
  const { status, stdout } = await check({ ...SETTINGS, ...secrets })
  expect(status).toBe(0)
  expect(stdout).toMatch(/SESSION_SECRET +set/)
  expect(stdout).not.toContain(own)
})
