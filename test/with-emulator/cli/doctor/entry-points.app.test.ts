import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SECRETS } from '../../../login/login-program.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { emulatorOfTest } from '../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'

let env: Record<string, string>
let folder: string

/** Three entry points: "gold" lets no viewer in, the others let all in. "framed" has a return URL with a fragment. */
beforeEach(async () => {
  folder = temporaryFolder()
  const emulator = await emulatorOfTest()
  const entryPoint = {
    secret: SECRETS.HASH_SECRET,
    playerReturnUrl: `${emulator.url}/embed/hashlock/pass`,
    playerOrigins: [emulator.url],
  }
  const file = join(folder, 'entry-points.json')
  const entryPoints = [
    { ...entryPoint, name: 'gold', allowedGroups: ['gold'] },
    { ...entryPoint, name: 'silver' },
    { ...entryPoint, name: 'framed', playerReturnUrl: `${emulator.url}/embed/hashlock/pass?lang=en#player` },
  ]
  writeFileSync(file, JSON.stringify(entryPoints), { mode: 0o600 })
  env = await startLoginAppBehindProxy(emulator, {
    settings: { ENTRY_POINTS_FILE: file },
    without: ['HASH_SECRET', 'PLAYER_RETURN_URL', 'PLAYER_ORIGINS'],
  })
})

const run = (...args: string[]) => runHere(args, { cwd: folder, env })

describe('the doctor with several entry points', () => {
  test.each([
    ['gold', 1, 'failure'],
    ['silver', 0, 'ok'],
    ['framed', 0, 'ok'],
  ])('the test viewer signs in at the entry point of the lock: %s', async (name, expected, state) => {
    await run('lock', 'set', '--channel', '1002', '--entry-point', name, '--yes')
    const { status, stdout } = await run('doctor', '--verbose', '--channel', '1002', '--viewer', ADA.username)
    expect(stdout).toMatch(new RegExp(`^${state} +Entry point ${name}: The test viewer .*/e/${name}`, 'm'))
    expect(status).toBe(expected)
  })

  test('the entry point must be named only if a sign-in is tried', async () => {
    expect(await run('doctor')).toMatchObject({ status: 0, stderr: '' })
    const { status, stderr } = await run('doctor', '--viewer', ADA.username)
    expect([status, stderr]).toEqual([1, expect.stringContaining('gold, silver, framed')])
  })

  test('--entry-point wins over the entry point of the lock, and an unknown one is refused', async () => {
    await run('lock', 'set', '--channel', '1002', '--entry-point', 'gold', '--yes')
    const channel = ['--channel', '1002', '--viewer', ADA.username]
    expect(await run('doctor', ...channel, '--entry-point', 'silver')).toMatchObject({ status: 0 })
    const { status, stdout, stderr } = await run('doctor', '--entry-point', 'bronze')
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('"bronze"')])
  })

  test('the settings of the video service are optional, but --channel needs them', async () => {
    env = Object.fromEntries(Object.entries(env).filter(([setting]) => !setting.startsWith('SERVICE_')))
    const { status, stdout } = await run('doctor', '--viewer', ADA.username, '--entry-point', 'silver')
    expect(stdout).toMatch(/^unknown .*SERVICE_/m)
    expect([status, stdout]).toEqual([0, expect.stringContaining(': 0 failures, 2 unknown, 1 warning)')])
    const withChannel = await run('doctor', '--channel', '1002')
    expect(withChannel.stdout).toContain('SERVICE_AUTH_URL is required; SERVICE_OAUTH_URL is required;')
    expect(withChannel.status).toBe(1)
  })
})
