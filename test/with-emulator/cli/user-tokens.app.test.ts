import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../video-service/client.ts'

/** The client belongs to `studio`; the channel belongs to `newsroom`. */
const CHANNEL = ['--channel', '1003']

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
let asNewsroom: string[]
beforeEach(async () => {
  emulator = await emulatorOfTest()
  cwd = temporaryFolder()
  const { username = '', password = '' } = emulator.seed.users[1] ?? {}
  env = { ...SETTINGS, ...environmentFor(emulator), SERVICE_PASSWORD: password }
  asNewsroom = ['--grant', 'password', '--username', username]
})

const run = (args: readonly string[], changed: Record<string, string> = {}) =>
  runHere(args, { cwd, env: { ...env, ...changed } })

/** The schemes of the Authorization headers that the REST API got. */
async function schemes(): Promise<string[]> {
  const answer = await fetch(`${emulator.url}/emulator/requests`, { headers: { accept: 'application/json' } })
  return [...new Set((await answer.text()).match(/\b(Bearer|MAC) /g))].map((scheme) => scheme.trim())
}

async function tokenOfNewsroom(type: 'bearer' | 'mac'): Promise<Record<string, string>> {
  const { stdout } = await run(['token', ...asNewsroom, '--type', type, '--json'])
  const { access_token, mac_key } = JSON.parse(stdout)
  return { SERVICE_ACCESS_TOKEN: access_token, ...(mac_key === undefined ? {} : { SERVICE_MAC_KEY: mac_key }) }
}

test.each([
  ['bearer', 'Bearer'],
  ['mac', 'MAC'],
])('channel and lock work with a %s token of the user that --grant names', async (type, scheme) => {
  const access = [...asNewsroom, '--type', type]
  const created = await run(['channel', 'create', 'Evening news', ...access, '--json'])
  const { stdout } = await run(['channel', 'list', ...access, '--json'])
  expect(JSON.parse(stdout)).toMatchObject([{ id: '1003' }, { id: JSON.parse(created.stdout).id }])
  expect(await run(['lock', 'set', ...CHANNEL, '--yes', ...access])).toMatchObject({ status: 0 })
  expect(await run(['lock', 'show', ...CHANNEL, ...access])).toMatchObject({ status: 0 })
  expect(await run(['lock', 'remove', ...CHANNEL, ...access])).toMatchObject({ status: 0 })
  expect(await schemes()).toEqual([scheme])
})

test.each(['bearer', 'mac'] as const)(
  'channel, lock and doctor use a %s token of SERVICE_ACCESS_TOKEN',
  async (type) => {
    const given = await tokenOfNewsroom(type)
    const { stdout } = await run(['channel', 'list', '--json'], given)
    expect(JSON.parse(stdout)).toMatchObject([{ id: '1003' }])
    expect(await run(['lock', 'set', ...CHANNEL, '--yes'], given)).toMatchObject({ status: 0 })
    const doctor = await run(['doctor', ...CHANNEL, '--json'], given)
    const codes = JSON.parse(doctor.stdout).findings.map(({ code }: { code: string }) => code)
    expect(codes).toContain('token-accepted')
    expect(codes).not.toContain('client-accepted')
  },
)

test('a file can hold the token, and --grant wins over it', async () => {
  const { SERVICE_ACCESS_TOKEN: token = '' } = await tokenOfNewsroom('bearer')
  const given = { SERVICE_ACCESS_TOKEN_FILE: join(cwd, 'token') }
  writeFileSync(given.SERVICE_ACCESS_TOKEN_FILE, `${token}\n`)
  const idsOf = async (...access: string[]) =>
    JSON.parse((await run(['channel', 'list', '--json', ...access], given)).stdout).map(({ id }: { id: string }) => id)
  expect(await idsOf()).toEqual(['1003'])
  expect(await idsOf('--grant', 'client_credentials')).toEqual(['1001', '1002'])
})

test('a report uses a token of the client, not SERVICE_ACCESS_TOKEN', async () => {
  const wrong = { SERVICE_ACCESS_TOKEN: 'ab'.repeat(20) }
  expect(await run(['report', 'total-views', '--last', '1h'], wrong)).toMatchObject({ status: 0 })
})

test('a wrong or expired SERVICE_ACCESS_TOKEN is refused in one line that names the setting, not the token', async () => {
  const expired = await tokenOfNewsroom('bearer')
  const body = JSON.stringify({ advance_seconds: 90_000 })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${emulator.url}/emulator/clock`, { method: 'PUT', headers, body })
  const wrong = { SERVICE_ACCESS_TOKEN: 'ab'.repeat(20) }
  expect((await run(['doctor', ...CHANNEL, '--json'], wrong)).stdout).not.toContain('token-accepted')
  for (const given of [expired, wrong]) {
    const { status, stdout, stderr } = await run(['channel', 'list'], given)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Failed: [^\n]*SERVICE_ACCESS_TOKEN[^\n]*\(invalid_token, status 401\)\n$/)
    expect(stderr).not.toContain(given.SERVICE_ACCESS_TOKEN)
  }
})

test('a service that refuses the form of the header gets the other form suggested', async () => {
  const refused = await run(['channel', 'list'], { SERVICE_BEARER_FORM: 'bare' })
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('SERVICE_BEARER_FORM=standard') })
})

test('a wrong password of the user changes nothing', async () => {
  const { status, stderr } = await run(['channel', 'create', 'X', ...asNewsroom], { SERVICE_PASSWORD: 'wrong' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('(invalid_grant, status 400)')])
})

test.each([
  [['channel', 'list', '--grant', 'password']],
  [['channel', 'list', '--username', 'newsroom']],
  [['lock', 'show', ...CHANNEL, '--type', 'jwt']],
  [['lock', 'show', ...CHANNEL, '--grant', 'authorization_code', '--type', 'mac']],
  [['lock', 'show', ...CHANNEL, '--redirect-uri', 'https://www.example.com/']],
])('the arguments %j are wrong usage', async (args) => {
  expect(await run(args)).toMatchObject({ status: 2, stdout: '' })
})
