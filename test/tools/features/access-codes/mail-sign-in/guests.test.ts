import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { guestIdentity } from '../../../../../src/services/guests/guest-identity.ts'
import { guestWayOf } from '../../../../../src/tools/cli/guest-ways.ts'
import { openEventCounts } from '../../../../../src/tools/cli/manager/evening/event-counts.ts'
import { SETTINGS } from '../../../../settings.ts'
import { viewersUrl } from '../../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/run-here.ts'
import { addSession } from '../../../cli/viewers/who-is-in/stored-session.ts'

/** Guests by each way in, and an SSO viewer, all with one name. */
const SUBJECTS = { codes: 'default/GALA/000042', mail: 'ada@example.com', 'https://idp.example': 'a1' }
let cwd: string
let env: Record<string, string>
let now: number
beforeEach(async () => {
  cwd = temporaryFolder()
  const file = join(cwd, 'sessions.db')
  now = Math.floor(Date.now() / 1000)
  env = { ...SETTINGS, SESSION_STORE_URL: `sqlite:${file}`, USER_STORE_URL: viewersUrl(cwd) }
  for (const [issuer, subject] of Object.entries(SUBJECTS)) {
    const identity = guestIdentity(issuer, subject, now + 3_600)
    await addSession(file, issuer, { username: 'Ada', signedInAtSeconds: now - 60, identity })
  }
})
const run = (...args: string[]) => runHere(args, { cwd, env })

test('sessions list tells guests by access code and by mail apart from an SSO viewer', async () => {
  const rows: Record<string, unknown>[] = JSON.parse((await run('sessions', 'list', '--json')).stdout)
  expect(rows.map(({ guest, provider }) => ({ guest, provider }))).toEqual(
    expect.arrayContaining([
      { guest: { wayIn: 'access code', subject: SUBJECTS.codes }, provider: null },
      { guest: { wayIn: 'mail', subject: SUBJECTS.mail }, provider: null },
      { guest: null, provider: { issuer: 'https://idp.example', subject: 'a1' } },
    ]),
  )
  const { stdout } = await run('sessions', 'list')
  for (const name of ['Ada (access code) ', 'Ada (mail) ', 'Ada (SSO) ']) expect(stdout).toContain(name)
})

test('viewers show names the way in of each guest', async () => {
  const { stdout } = await run('viewers', 'show', 'ada')
  expect(stdout).toContain(`, a guest by access code (${SUBJECTS.codes})`)
  expect(stdout).toContain(`, a guest by mail (${SUBJECTS.mail})`)
  expect(stdout).toContain(', subject a1 at https://idp.example')
  const shown = JSON.parse((await run('viewers', 'show', 'ada', '--json')).stdout)
  const ways = shown.sessions.map(({ guest }: { guest: { wayIn: string } | null }) => guest?.wayIn ?? null)
  expect(ways.toSorted()).toEqual(['access code', 'mail', null])
  expect(shown.state).toBe('only-at-provider')
})

test('viewers show knows a guest whose session is over by the security log', async () => {
  const log = join(cwd, 'security.log')
  const line = {
    category: 'security',
    time: new Date((now - 90) * 1000).toISOString(),
    event: 'sign-in',
    outcome: 'signed-in',
    level: 30,
  }
  const guest = { viewer: 'GALA-0042', issuer: 'codes', subject: SUBJECTS.codes, entryPoint: 'default' }
  writeFileSync(log, `${JSON.stringify({ ...line, ...guest })}\n`)
  env.SECURITY_LOG_FILE = log
  const { status, stdout } = await run('viewers', 'show', 'gala-0042')
  expect(status).toBe(0)
  expect(stdout).toContain('not in the user store. A guest signed in with this name')
  expect(stdout).toContain(`entry point default, a guest by access code (${SUBJECTS.codes})`)
  const shown = JSON.parse((await run('viewers', 'show', 'gala-0042', '--json')).stdout)
  expect(shown).toMatchObject({ state: 'guest', lastSignIn: { guestWayIn: 'access code' } })
})

test('sessions end says how many sessions were of guests, and by which way in', async () => {
  const { stdout } = await run('sessions', 'end', 'ada', '--json')
  const ended = { ended: 3, endedOfProviders: 1, endedOfGuests: { 'access code': 1, mail: 1 } }
  expect(JSON.parse(stdout)).toEqual(ended)
})

test('sessions end names the ways in', async () => {
  expect((await run('sessions', 'end', 'ada')).stdout).toMatch(
    /^Ended 3 sessions of ada, 1 of them from an identity provider(, 1 of them by (access code|mail)){2}\.\n$/,
  )
})

test('the evening of managers counts each way in of guests by itself', () => {
  const counts = openEventCounts(() => now * 1000)
  for (const issuer of [...Object.keys(SUBJECTS), null]) {
    const event = { time: new Date((now - 90) * 1000).toISOString(), event: 'sign-in', outcome: 'signed-in', count: 1 }
    counts.add({ ...event, viewer: 'Ada', entryPoint: 'default', address: '192.0.2.1', issuer } as never)
  }
  const ways = counts.since(null, (now - 600) * 1000).map(({ outcome, wayIn, count }) => [outcome, wayIn, count])
  expect(ways).toEqual([
    ['signed-in', '', 1],
    ['signed-in', 'access code', 1],
    ['signed-in', 'mail', 1],
    ['signed-in', 'sso', 1],
  ])
})

test('an identity provider is not a way in of guests', () => {
  expect(['codes', 'mail', 'https://codes.example'].map(guestWayOf)).toEqual(['access code', 'mail', null])
})
