import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { runHere } from '../../cli/run-here.ts'
import { ADA, addAda, programSettings, SECRETS, startLoginProgram } from '../../login/login-program.ts'
import { freePort } from '../../servers/free-port.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../video-service/client.ts'

// Processes take their time to start on a machine that runs other tests as well.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let env: Record<string, string>
let folder: string

/** Three entry points: no viewer may watch at "gold", all may at the others, and "framed" has a return URL with a fragment. */
beforeEach(async () => {
  folder = temporaryFolder()
  const emulator = await emulatorOfTest()
  const port = await freePort()
  const { HASH_SECRET: _one, PLAYER_RETURN_URL: _two, PLAYER_ORIGINS: _three, ...others } = programSettings(folder)
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
  const settings = {
    ...others,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    ENTRY_POINTS_FILE: file,
  }
  await addAda(settings)
  await startLoginProgram(settings)
  env = { ...settings, ...environmentFor(emulator), VIEWER_PASSWORD: ADA.password }
})

const run = (...args: string[]) => runHere(args, { cwd: folder, env })

describe('the doctor of an app with several entry points', () => {
  test.each([
    ['gold', 1, '/e/gold: the viewer is disabled or in none of the groups that may watch'],
    ['silver', 0, '/e/silver and is sent to the player. The response: Accepted until'],
    ['framed', 0, '/e/framed and is sent to the player. The response: Accepted until'],
  ])('signs the test viewer in where the lock of the channel leads: at %s', async (name, expected, said) => {
    await run('lock', 'set', '--channel', '1002', '--entry-point', name, '--yes')
    const { status, stdout } = await run('doctor', '--channel', '1002', '--viewer', ADA.username)
    expect(stdout).toContain(said)
    expect(status).toBe(expected)
  })

  test('asks for no entry point where no sign-in is tried, and for one where it cannot know', async () => {
    expect(await run('doctor')).toMatchObject({ status: 0, stderr: '' })
    const { status, stderr } = await run('doctor', '--viewer', ADA.username)
    expect([status, stderr]).toEqual([1, expect.stringContaining('one of: gold, silver, framed')])
  })

  test('takes the entry point that is named before that of the lock, and refuses one that is not there', async () => {
    await run('lock', 'set', '--channel', '1002', '--entry-point', 'gold', '--yes')
    const channel = ['--channel', '1002', '--viewer', ADA.username]
    expect(await run('doctor', ...channel, '--entry-point', 'silver')).toMatchObject({ status: 0 })
    const { status, stdout, stderr } = await run('doctor', '--entry-point', 'bronze')
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('"bronze"')])
  })

  test('finds no fault in a login app that is used without the command line', async () => {
    env = Object.fromEntries(Object.entries(env).filter(([setting]) => !setting.startsWith('SERVICE_')))
    const { status, stdout } = await run('doctor', '--viewer', ADA.username, '--entry-point', 'silver')
    expect(stdout).toContain('warning  The video service was not asked')
    expect([status, stdout]).toEqual([0, expect.stringContaining('(0 failures, 2 warnings)')])
    const asked = await run('doctor', '--channel', '1002')
    expect(asked.stdout).toContain('SERVICE_AUTH_URL is required; SERVICE_OAUTH_URL is required;')
    expect(asked.status).toBe(1)
  })
})
