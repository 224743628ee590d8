import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { features } from '../../../../src/features.ts'
import { SIGN_IN_OUTCOMES } from '../../../../src/login/log/sign-in-log.ts'
import { lastEventsOf } from '../../../../src/tools/cli/security-log/logged-events.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const now = Math.floor(Date.now() / 1000)
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const line = (seconds: number, viewer: string, fields: object = {}) =>
  `${JSON.stringify({ level: 30, time: iso(seconds), category: 'security', event: 'sign-in', outcome: 'signed-in', viewer, address: '192.0.2.1', entryPoint: 'default', ...fields })}\n`
const AT = {
  reason: null,
  code: null,
  address: '192.0.2.1',
  entryPoint: 'default',
  device: null,
  issuer: null,
  subject: null,
}

test('viewers show tells the newest sign-in and the newest refusal in the log and its rotated files', async () => {
  const cwd = temporaryFolder()
  const log = join(cwd, 'security.log')
  const refused = { outcome: 'wrong-credentials' }
  const older = line(now - 99_999, 'ada@example.com') + line(now - 99_990, 'ADA@example.com', refused)
  writeFileSync(`${log}.1`, older + line(now - 88_888, 'eve'))
  utimesSync(`${log}.1`, now - 80_000, now - 80_000)
  writeFileSync(log, line(now - 5, 'Ada@Example.com', { outcome: 'returned' }) + line(now - 4, 'eve', refused))
  const env = { SECURITY_LOG_FILE: log }
  const { status, stdout } = await runHere(['viewers', 'show', 'ada@example.com', '--json'], { cwd, env })
  expect([status, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      state: 'not-in-store',
      lastSignIn: { time: iso(now - 99_999), outcome: 'signed-in', ...AT },
      lastRefusal: { time: iso(now - 99_990), outcome: 'wrong-credentials', ...AT },
    },
  ])
  const { stdout: text } = await runHere(['viewers', 'show', 'ada@example.com'], { cwd, env })
  for (const part of [iso(now - 99_999), 'wrong-credentials']) expect(text).toContain(part)
})

test('viewers show names the code with which the access policy refused the viewer', async () => {
  const cwd = temporaryFolder()
  const env = { SECURITY_LOG_FILE: join(cwd, 'security.log') }
  const refused = { outcome: 'not-entitled', code: 'no-ticket', reason: 'groups: [] of 0' }
  writeFileSync(env.SECURITY_LOG_FILE, line(now - 60, 'ada', refused))
  const show = ['viewers', 'show', 'ada']
  expect((await runHere(show, { cwd, env })).stdout).toContain('not-entitled (no-ticket, groups: [] of 0)')
  const { stdout } = await runHere([...show, '--json'], { cwd, env })
  expect(JSON.parse(stdout)).toMatchObject({ lastRefusal: refused })
})

test('viewers show names the identity of a viewer whom an identity provider signed in', async () => {
  const cwd = temporaryFolder()
  const env = { SECURITY_LOG_FILE: join(cwd, 'security.log') }
  const identity = { issuer: 'https://idp.example', subject: 'a1' }
  writeFileSync(env.SECURITY_LOG_FILE, line(now - 60, 'grace@example.com', identity))
  const { status, stdout } = await runHere(['viewers', 'show', 'Grace@example.com', '--json'], { cwd, env })
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { state: 'only-at-provider', lastSignIn: identity }])
  const { stdout: text } = await runHere(['viewers', 'show', 'grace@example.com'], { cwd, env })
  expect(text).toContain('subject a1 at https://idp.example')
  expect((await runHere(['viewers', 'show', 'nobody@example.com'], { cwd, env })).status).toBe(1)
})

test('viewers show takes each outcome of the sign-in log as a sign-in, a refusal or neither', async () => {
  const log = join(temporaryFolder(), 'security.log')
  const kindOf = async (outcome: string) => {
    // As the app writes them: most refusals have no status.
    writeFileSync(log, line(now, 'ada@example.com', { outcome }))
    const { signIn, refusal } = await lastEventsOf([log], 'ada@example.com')
    return signIn ? 'sign-in' : refusal ? 'refusal' : 'neither'
  }
  const kinds: Record<string, string[]> = {}
  const outcomes = Object.keys(Object.assign({}, SIGN_IN_OUTCOMES, ...features.map((feature) => feature.outcomes)))
  for (const outcome of outcomes) {
    const kind = await kindOf(outcome)
    kinds[kind] = [...(kinds[kind] ?? []), outcome]
  }
  const steps =
    /^(returned|cancelled|signed-out|waiting|other-screen|took-over|mail-code-(asked|elsewhere)|code-elsewhere|registered|registration-(code|state|shut)|.*-(started|signed-in|not-yet|logged-out))$/
  const neither = outcomes.filter((outcome) => steps.test(outcome))
  expect(kinds).toMatchObject({ 'sign-in': ['signed-in'], neither })
  expect(kinds.refusal).toHaveLength(outcomes.length - 1 - neither.length)
})
