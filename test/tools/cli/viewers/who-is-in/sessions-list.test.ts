import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../sqlite/run-here.ts'
import { addSession } from './stored-session.ts'

const MINUTE = 60
let cwd: string
let file: string
let now: number
beforeEach(() => {
  cwd = temporaryFolder()
  file = join(cwd, 'sessions.db')
  now = Math.floor(Date.now() / 1000)
})

const list = (env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
  runHere(['sessions', 'list', ...args], { cwd, env: { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}`, ...env } })
const rows = async (env: Readonly<Record<string, string>> = {}, ...args: string[]) => {
  const { status, stdout } = await list(env, '--json', ...args)
  expect(status).toBe(0)
  return JSON.parse(stdout) as Record<string, unknown>[]
}
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

test('sessions list says for each session who is in, since when, the last return, and until when', async () => {
  await addSession(file, 'id-of-ada', { username: 'Ada', signedInAtSeconds: now - 30 * MINUTE }, now - 10 * MINUTE)
  await addSession(file, 'id-of-bob', { username: 'bob', signedInAtSeconds: now - 5 * MINUTE })
  const env = { SESSION_LIFETIME_SECONDS: '7200', SESSION_IDLE_SECONDS: '3600', HASH_LIFETIME_SECONDS: '1800' }
  expect(await rows(env)).toEqual([
    {
      username: 'bob',
      signedInAt: iso(now - 5 * MINUTE),
      lastReturnAt: null,
      device: null,
      address: null,
      entryPoint: null,
      sessionEndsAt: iso(now + 55 * MINUTE),
      // The last use may be a minute later than the stored one.
      playsUntil: iso(now + 26 * MINUTE),
      isEndless: false,
      provider: null,
      guest: null,
    },
    expect.objectContaining({
      username: 'Ada',
      lastReturnAt: iso(now - 10 * MINUTE),
      sessionEndsAt: iso(now + 50 * MINUTE),
      playsUntil: iso(now + 21 * MINUTE),
    }),
  ])
  const { stdout, stderr } = await list(env)
  expect(stdout).toMatch(
    /^User name +Since +Last return +Device +Address +Entry point +Session until +Plays until\nbob +.*none yet/,
  )
  expect(stderr).toMatch(/^2 sessions of 2 viewers\. Viewers without a cookie are not in the list\. .*not known/)
  expect(stdout).not.toContain('id-of')
})

test('sessions that are over by a limit, or at the provider, are not in', async () => {
  await addSession(file, 'old', { username: 'old', signedInAtSeconds: now - 130 * MINUTE }, now)
  await addSession(file, 'idle', { username: 'idle', signedInAtSeconds: now - 90 * MINUTE }, now - 61 * MINUTE)
  const identity = { issuer: 'https://idp.example', subject: 'x', endsAtSeconds: now - 1 }
  await addSession(file, 'sso', { username: 'sso', signedInAtSeconds: now - 5, identity })
  await addSession(file, 'in', {
    username: 'in',
    signedInAtSeconds: now - 5,
    identity: { ...identity, endsAtSeconds: now + MINUTE },
  })
  const env = { SESSION_LIFETIME_SECONDS: '7200', SESSION_IDLE_SECONDS: '3600' }
  expect(await rows(env)).toMatchObject([
    { username: 'in', sessionEndsAt: iso(now + MINUTE), provider: { issuer: 'https://idp.example', subject: 'x' } },
  ])
})

test('a response that never expires, and settings that are not here, have no time', async () => {
  await addSession(file, 'ada', { username: 'ada', signedInAtSeconds: now })
  expect(await rows({ HASH_LIFETIME_SECONDS: '0' })).toMatchObject([{ playsUntil: null, isEndless: true }])
  expect((await list({ HASH_LIFETIME_SECONDS: '0' })).stdout).toContain('no end')
  const without = await runHere(['sessions', 'list', '--json'], { cwd, env: { SESSION_STORE_URL: `sqlite:${file}` } })
  expect(JSON.parse(without.stdout)).toMatchObject([{ username: 'ada', playsUntil: null, isEndless: false }])
})

test('--name and --limit choose sessions, and a session that cannot be read is left out', async () => {
  for (const username of ['ada', 'bob', 'ADAM']) {
    await addSession(file, username, { username, signedInAtSeconds: now })
  }
  const database = new DatabaseSync(file)
  database.exec(
    `INSERT INTO sessions (id, username, data, signed_in_at, used_at) VALUES ('x', 'x', 'no JSON', 1, ${now})`,
  )
  database.close()
  const names = async (...args: string[]) => (await rows({}, ...args)).map(({ username }) => username).toSorted()
  expect(await names()).toEqual(['ADAM', 'ada', 'bob'])
  expect(await names('--name', 'aDa')).toEqual(['ADAM', 'ada'])
  expect(await names('--limit', '1')).toHaveLength(1)
  expect((await list({}, '--limit', '1')).stderr).toContain('Showing 1')
  expect((await list({}, '--limit', '0')).status).toBe(2)
})

test('without sessions, and without a file, sessions list is empty', async () => {
  expect(await list()).toEqual({ status: 0, stdout: 'No sessions.\n', stderr: '' })
  expect(await rows()).toEqual([])
})
