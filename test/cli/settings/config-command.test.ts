import { expect, test } from 'vitest'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const check = (env: Record<string, string>, ...options: string[]) =>
  runHere(['config', 'check', ...options], { cwd: temporaryFolder(), env })

test('config check accepts right settings and prints the address for the lock', async () => {
  expect(await check(SETTINGS)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Entry point default: https://login.example.com/\n'),
  })
  const { stdout } = await check({ ...SETTINGS, HASH_LIFETIME_SECONDS: '0' }, '--json')
  expect(JSON.parse(stdout)).toEqual({
    entryPoints: [{ name: 'default', address: 'https://login.example.com/' }],
    service: false,
    warnings: [expect.stringContaining('the lifetime is 0')],
  })
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
