import { expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const check = (env: Record<string, string>, ...options: string[]) =>
  runHere(['config', 'check', ...options], { cwd: temporaryFolder(), env })

test('config check shows how many viewers one address lets in, for each entry point', async () => {
  const { stdout } = await check(SETTINGS)
  const table = stdout.slice(stdout.indexOf('Viewers of one address in ten minutes'))
  expect(table).toMatch(/^password +any number\npassword of one account that all share +5,000\n/m)
})

test('config check has the numbers of the password in its JSON', async () => {
  const { stdout } = await check(SETTINGS, '--json')
  expect(JSON.parse(stdout).entryPoints[0].capacities).toEqual([
    { wayIn: 'password', viewers: null },
    { wayIn: 'password of one account that all share', viewers: 5_000 },
  ])
})

test('doctor says how many viewers one address lets in', async () => {
  const env = { ...SETTINGS, PUBLIC_URL: 'http://127.0.0.1:9' }
  const { stdout } = await runHere(['doctor', '--json'], { cwd: temporaryFolder(), env })
  expect(stdout).toContain('"address-capacity"')
  expect(stdout).toContain('password: any number; password of one account that all share: 5,000.')
})
