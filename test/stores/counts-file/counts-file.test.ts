import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readSharedStores } from '../../../src/config.ts'
import { createSignInLimits, type SignInLimits } from '../../../src/sign-in-limits/sign-in-limits.ts'
import { openCountsFile } from '../../../src/stores/counts-file/counts-file.ts'
import { openViewersFile } from '../../../src/users/sqlite/database-file.ts'
import { parallelAttemptsContract } from '../../sign-in-limits/parallel-attempts-contract.ts'
import { type CountersUnderTest, signInLimitsContract } from '../../sign-in-limits/sign-in-limits-contract.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { viewersUrl } from '../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const HOME = '198.51.100.7'

function open(file: string, warnings: string[] = []) {
  const counts = openCountsFile(file, (message) => void warnings.push(message))
  onTestFinished(() => counts.close())
  return counts
}

function openUnderTest(): Promise<CountersUnderTest> {
  const file = join(temporaryFolder(), 'limits.db')
  vi.useFakeTimers()
  const counts = openCountsFile(file, (message) => expect.unreachable(message))
  return Promise.resolve({
    openCounter: counts.openCounter,
    advance: (ms) => Promise.resolve(void (ms < 0 ? vi.setSystemTime(Date.now() + ms) : vi.advanceTimersByTime(ms))),
    close: () => {
      counts.close()
      vi.useRealTimers()
    },
  })
}

// The fake clock of the contracts holds in this block only.
describe('counts in a file', () => {
  signInLimitsContract('SQLite', openUnderTest)
  parallelAttemptsContract('SQLite', openUnderTest)
})

async function fail(limits: SignInLimits, username: string, address: string): Promise<string> {
  const admission = await limits.admit(username, address)
  if (!admission.ok) return admission.limit
  await admission.attempt.failed()
  return 'failed'
}

async function lockOut(limits: SignInLimits, username: string): Promise<void> {
  for (let count = 0; count < 100; count += 1) await fail(limits, username, `192.0.2.${count}`)
  expect(await fail(limits, username, HOME)).toBe('account')
}

test('a restart forgets no failed sign-in, and only this user can read the file', async () => {
  const file = join(temporaryFolder(), 'data', 'limits.db')
  const first = open(file)
  await lockOut(createSignInLimits(first.openCounter), 'ada')
  first.close()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await fail(createSignInLimits(open(file).openCounter), 'ada', HOME)).toBe('account')
})

test('viewers unlock and viewers show reach the counts of an app that runs', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'limits.db')
  const env = { USER_STORE_URL: viewersUrl(cwd), SESSION_STORE_URL: `sqlite:${join(cwd, 'sessions.db')}` }
  const limits = createSignInLimits(open(file).openCounter)
  await lockOut(limits, 'ada')
  for (let count = 0; count < 300; count += 1) await fail(limits, `user${count}`, HOME)
  expect(await fail(limits, 'eve', HOME)).toBe('address')
  const run = (...args: string[]) => runHere(['viewers', ...args, '--json'], { cwd, env })
  const shown = JSON.parse((await run('show', 'ADA')).stdout)
  expect(shown.failedSignIns).toMatchObject({ count: 100, lockedSeconds: expect.closeTo(86_400, -2) })
  expect(shown.failedSignIns.addresses).toHaveLength(100)
  expect(JSON.parse((await run('unlock', ' ADA ')).stdout)).toEqual({ username: ' ADA ', unlocked: true })
  expect(await fail(limits, 'ada', '203.0.113.9')).toBe('failed')
  expect(JSON.parse((await run('unlock', '--address', HOME)).stdout)).toMatchObject({ addressUnlocked: true })
  expect(await fail(limits, 'eve', HOME)).toBe('failed')
  expect(JSON.parse((await run('unlock', 'grace')).stdout)).toMatchObject({ unlocked: false })
})

test('viewers unlock creates no file', async () => {
  const cwd = temporaryFolder()
  const env = { LIMITS_STORE_URL: `sqlite:${join(cwd, 'data', 'limits.db')}` }
  expect(await runHere(['viewers', 'unlock', 'ada'], { cwd, env })).toMatchObject({ status: 0 })
  expect(existsSync(join(cwd, 'data'))).toBe(false)
})

test('a damaged file is moved aside with one warning, and limits hold', async () => {
  const file = join(temporaryFolder(), 'limits.db')
  writeFileSync(file, Buffer.alloc(5000))
  const warnings: string[] = []
  await lockOut(createSignInLimits(open(file, warnings).openCounter), 'ada')
  expect(warnings).toEqual([expect.stringContaining('was damaged')])
  expect(readdirSync(dirname(file)).some((name) => name.startsWith('limits.db.damaged-'))).toBe(true)
})

test.each([
  ['a folder', (file: string) => mkdirSync(file)],
  ['the file of viewers', (file: string) => openViewersFile(file, 50).close()],
  ['a text', (file: string) => writeFileSync(file, 'HASH_SECRET=1\n'.repeat(400))],
])('%s in place of the file gives one warning, and limits hold in memory', async (_what, prepare) => {
  const file = join(temporaryFolder(), 'limits.db')
  prepare(file)
  const warnings: string[] = []
  await lockOut(createSignInLimits(open(file, warnings).openCounter), 'ada')
  expect(warnings).toEqual([expect.stringMatching(/^LIMITS_STORE_URL: .*in memory/s)])
})

test('limits hold in memory while another process locks the file, and in the file a minute later', async () => {
  const file = join(temporaryFolder(), 'limits.db')
  const warnings: string[] = []
  const limits = createSignInLimits(open(file, warnings).openCounter)
  const other = new DatabaseSync(file)
  onTestFinished(() => void (other.isOpen && other.close()))
  other.exec('BEGIN IMMEDIATE')
  await lockOut(limits, 'ada')
  expect(warnings).toEqual([expect.stringContaining('in memory for a minute')])
  other.exec('ROLLBACK')
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 61_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await fail(limits, 'ada', HOME)).toBe('failed')
})

test.each([
  [{}, 'data/limits.db'],
  [{ SESSION_STORE_URL: 'sqlite:/var/lib/app/sessions.db' }, '/var/lib/app/limits.db'],
  [{ SESSION_STORE_URL: 'sqlite:sessions.db' }, 'limits.db'],
])('with %o, failed sign-ins are counted in %s', (settings, file) => {
  expect(readSharedStores(settings).limitsStore).toEqual({ kind: 'counts-file', file })
})

test('LIMITS_STORE_URL may not name the file of sessions', () => {
  const LIMITS_STORE_URL = 'sqlite:data/sessions.db'
  expect(() => readSharedStores({ LIMITS_STORE_URL })).toThrow('names the file of SESSION_STORE_URL')
})

test('a file that fills keeps the latest counts of each kind', async () => {
  const counter = open(join(temporaryFolder(), 'limits.db')).openCounter('test', 60, 3)
  for (const key of ['a', 'b', 'c', 'd']) await counter.penalty(key)
  const counts = await Promise.all(['a', 'b', 'c', 'd'].map((key) => counter.get(key)))
  expect(counts.map((count) => count?.consumedPoints ?? null)).toEqual([null, 1, 1, 1])
})
