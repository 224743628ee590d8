import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { argon2Passwords } from '../../../src/users/passwords/argon2.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { programSettings } from '../../login/login-program.ts'
import { returnTo, signInAt, type Visit } from '../../login/program-visits.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { importInto } from '../../users/import-batch/import-contract.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../video-service/client.ts'

const VIEWERS = 20
const PASSWORD = 'correct horse battery'
const CHANNELS = ['1001', '1002']
/** The emulated player goes back to the app without a click up to this often. */
const MOST_REFUSALS = 4
/** A viewer needs longer than this to type a password. */
const TYPING_MS = 500

async function addViewers(storeUrl: string): Promise<void> {
  const store = openEditableSqliteStore(storeUrl.replace('sqlite:', ''))
  const passwordHash = await argon2Passwords.hash(PASSWORD)
  const viewers = Array.from({ length: VIEWERS }, (_, index) => ({
    username: `viewer-${index}`,
    passwordHash,
    groups: undefined,
    disabled: undefined,
    attributes: {},
  }))
  await importInto(store, viewers, 'keep')
  await store.close()
}

/** Sends the response of a visit to the service, as the player does. */
async function isAccepted(service: string, { status, location }: Visit, content_id = '1002'): Promise<boolean> {
  expect(status).toBe(303)
  const response = new URL(location ?? '').searchParams.get('hash')
  const answer = await fetch(`${service}/embed/hashlock/validate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content_type: 'live', content_id, response }),
  })
  return ((await answer.json()) as { valid: boolean }).valid
}

test('no viewer meets an error while the secret is changed, with and without cookies', {
  timeout: 60_000,
}, async () => {
  const emulator = await emulatorOfTest()
  const folder = temporaryFolder()
  const { HASH_SECRET = '', ...others } = programSettings(folder)
  const files = { HASH_SECRET_FILE: join(folder, 'secret'), HASH_SECRET_PREVIOUS_FILE: join(folder, 'previous') }
  writeFileSync(files.HASH_SECRET_FILE, HASH_SECRET)
  writeFileSync(files.HASH_SECRET_PREVIOUS_FILE, '')
  const settings: Record<string, string> = {
    ...others,
    ...files,
    PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
  }
  const env = { ...settings, ...environmentFor(emulator) }
  await addViewers(settings.USER_STORE_URL ?? '')
  const lockSet = (...args: string[]) => runHere(['lock', 'set', '--yes', ...args], { cwd: folder, env })
  for (const id of CHANNELS) expect(await lockSet('--channel', id)).toMatchObject({ status: 0 })
  const app = await startLoginProgram(settings)

  let visits = 0
  let isOver = false
  /** Signs in, and goes back to the app as long as the service refuses the response. */
  async function watch(username: string, hasCookies: boolean): Promise<void> {
    let visit = await signInAt(app, { username, password: PASSWORD })
    const cookie = visit.cookie ?? ''
    for (let refusals = 0; !(await isAccepted(emulator.url, visit)); ) {
      refusals += 1
      expect(refusals).toBeLessThanOrEqual(MOST_REFUSALS)
      if (!hasCookies) await sleep(TYPING_MS)
      visit = hasCookies ? await returnTo(app, cookie) : await signInAt(app, { username, password: PASSWORD })
    }
    visits += 1
  }
  async function watchAgainAndAgain(index: number): Promise<void> {
    while (!isOver) {
      await watch(`viewer-${index}`, index % 2 === 0)
      await sleep(300)
    }
  }
  const earlier = await signInAt(app, { username: 'viewer-0', password: PASSWORD })
  const watching = Promise.allSettled(Array.from({ length: VIEWERS }, (_, index) => watchAgainAndAgain(index)))
  await sleep(700)
  const visitsBefore = visits
  const rotated = await lockSet('--rotate', ...CHANNELS.flatMap((id) => ['--channel', id]))
  const visitsAfter = visits
  await sleep(1_000)
  isOver = true
  const failures = (await watching).filter(({ status }) => status === 'rejected')
  expect(failures).toEqual([])
  expect(rotated).toMatchObject({ status: 0 })
  expect([visitsBefore > 0, visits > visitsAfter]).toEqual([true, true])
  // A viewer who signed in before comes back with the cookie.
  expect(await isAccepted(emulator.url, await returnTo(app, earlier.cookie ?? ''))).toBe(true)
  expect(await isAccepted(emulator.url, earlier)).toBe(false)
  expect(app.output()).toContain('"event":"hash-secret"')
  expect(app.output()).not.toMatch(/"outcome":"(looping|failed|overloaded|held-back)"/)
})
