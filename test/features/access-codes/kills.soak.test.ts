import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { codeDigest } from '../../../src/features/access-codes/codes/code-digest.ts'
import { createCodeStore } from '../../../src/features/access-codes/codes/code-store.ts'
import { canonicalCode } from '../../../src/features/access-codes/codes/code-text.ts'
import { NO_HOLDER, newCodes } from '../../../src/features/access-codes/codes/new-codes.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { programSettings } from '../../login/login-program.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { startProgram } from '../../tools/cli/run-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { all, batchOf, KEY } from './codes-app.ts'

const KILLS = 50
const CODES = 20_000
/** Codes that one command revokes, one after another. */
const REVOKED_AT_ONCE = 200

function settingsIn(folder: string): Record<string, string> {
  const own = { ACCESS_CODES: 'on', ACCESS_CODE_KEY: KEY, GUESTS_STORE_URL: `sqlite:${join(folder, 'guests.db')}` }
  return { ...programSettings(folder), ...own, ACCESS_CODE_NAME: 'optional' }
}

/** Opens the store of the settings for work that ends before the next kill. */
async function withStore<T>(folder: string, work: (codes: ReturnType<typeof createCodeStore>) => Promise<T>) {
  const nowSeconds = () => Date.now() / 1000
  const records = openFileRecords(join(folder, 'guests.db'), { nowSeconds, isCommand: true })
  return await work(createCodeStore(records)).finally(() => records.close())
}

const digestOf = (code: string) => codeDigest(KEY, 'default', canonicalCode(code) ?? '')

const runIn = (folder: string) => {
  const env = settingsIn(folder)
  return (...args: string[]) => startProgram(['codes', ...args, '--json'], { cwd: folder, env })
}

test(`after ${KILLS} kills of codes create, all codes of a batch count or none`, { timeout: 900_000 }, async () => {
  const folder = temporaryFolder()
  const counts = { absent: 0, incomplete: 0, complete: 0 }
  const run = runIn(folder)
  const begunMs = performance.now()
  expect((await run('create', '--label', 'FIRST', '--count', String(CODES)).ended).status).toBe(0)
  const longestMs = performance.now() - begunMs
  for (let round = 0; round < KILLS; round += 1) {
    const label = `R${round}`
    const { child, ended } = run('create', '--label', label, '--count', String(CODES))
    // Every tenth command may end.
    if (round % 10 === 9) await ended
    else await sleep(longestMs * (0.4 + 0.7 * Math.random()))
    child.kill('SIGKILL')
    const { stdout } = await ended
    const isTold = stdout.trimEnd().endsWith('}')
    await withStore(folder, async (codes) => {
      const batch = await codes.batch('default', label)
      const state = batch === null ? 'absent' : batch.isComplete ? 'complete' : 'incomplete'
      counts[state] += 1
      if (isTold) expect([round, state]).toEqual([round, 'complete'])
      const stored = batch === null ? [] : await all(codes.codesOf(batch))
      if (state === 'complete') expect([round, stored.length]).toEqual([round, CODES])
      const one = stored[randomInt(Math.max(1, stored.length))]?.code.number ?? 1
      // By its subject, as at each return.
      const known = await codes.ofSubject(`default/${label}/${String(one).padStart(6, '0')}`)
      expect([round, known !== null]).toEqual([round, state === 'complete'])
      for (const { code } of isTold ? JSON.parse(stdout).codes.slice(0, 50) : []) {
        expect([round, (await codes.find(digestOf(code))) !== null]).toEqual([round, true])
      }
    })
  }
  console.log(JSON.stringify(counts))
  // These kills hit the middle of the command.
  expect(counts.incomplete).toBeGreaterThan(KILLS / 10)
  expect(counts.complete).toBeGreaterThanOrEqual(KILLS / 10)
})

test(`after ${KILLS} kills of codes revoke, the codes before the kill are revoked, and no other`, {
  timeout: 900_000,
}, async () => {
  const folder = temporaryFolder()
  const run = runIn(folder)
  expect((await run('create', '--label', 'FIRST', '--count', String(CODES)).ended).status).toBe(0)
  let inTheMiddle = 0
  await withStore(folder, async (codes) => {
    const isRevoked = async (number: number) => {
      const known = await codes.ofSubject(`default/FIRST/${String(number).padStart(6, '0')}`)
      return known !== null && known.code.revokedAtSeconds !== null
    }
    for (let round = 0; round < KILLS; round += 1) {
      const numbers = Array.from({ length: REVOKED_AT_ONCE }, (_, index) => round * REVOKED_AT_ONCE + index + 1)
      const { child, ended } = run('revoke', '--label', 'FIRST', ...numbers.flatMap((one) => ['--number', String(one)]))
      const first = numbers[randomInt(REVOKED_AT_ONCE / 2)] ?? 0
      await expect.poll(() => isRevoked(first), { timeout: 30_000, interval: 1 }).toBe(true)
      child.kill('SIGKILL')
      const isDone = (await ended).stdout !== ''
      const states = await Promise.all(numbers.map(isRevoked))
      const revoked = states.filter(Boolean).length
      // In the order of the command.
      expect([round, states.lastIndexOf(true) + 1]).toEqual([round, revoked])
      if (isDone) expect([round, revoked]).toEqual([round, REVOKED_AT_ONCE])
      if (revoked < REVOKED_AT_ONCE) inTheMiddle += 1
    }
  })
  console.log(JSON.stringify({ inTheMiddle }))
  expect(inTheMiddle).toBeGreaterThan(KILLS / 2)
})

test(`after ${KILLS} kills during sign-ins, each person has a number, and none is counted twice`, {
  timeout: 900_000,
}, async () => {
  const folder = temporaryFolder()
  const settings = settingsIn(folder)
  const batch = batchOf({ label: 'ALL', isShared: true })
  const { shown, stored } = newCodes(batch, [NO_HOLDER], KEY)
  await withStore(folder, (codes) => codes.create(batch, stored))
  const [{ code = '' } = {}] = shown
  /** Names by whether the app said that the person is in. */
  const told: string[] = []
  const asked: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    const program = await startLoginProgram(settings)
    const signIn = async (name: string) => {
      asked.push(name)
      const answer = await fetch(`http://127.0.0.1:${program.port}/access-code`, {
        method: 'POST',
        body: formOf({ code, name }),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        redirect: 'manual',
      })
      expect([round, answer.status]).toEqual([round, 303])
      told.push(name)
    }
    // The first sign-in tells how fast this machine is.
    const startMs = performance.now()
    await signIn(`P${round}`)
    const longestMs = 5 * (performance.now() - startMs)
    const killed = sleep(longestMs * Math.random()).then(() => program.child.kill('SIGKILL'))
    await Promise.allSettled(
      Array.from({ length: 40 }, async (_, index) => {
        await sleep(index * 4)
        await signIn(`P${round}-${index}`)
      }),
    )
    await killed
    await program.ended
  }
  const [uses, people] = await withStore(
    folder,
    async (codes) =>
      [
        (await all(codes.codesOf({ ...batch, isComplete: true })))[0]?.uses,
        await all(codes.people('default/ALL/000001')),
      ] as const,
  )
  const names = people.map(({ name }) => name)
  console.log(JSON.stringify({ asked: asked.length, told: told.length, counted: uses?.count }))
  expect(uses?.count).toBe(people.length)
  expect(people.map(({ number }) => number)).toEqual(people.map((_, index) => index + 1))
  expect(new Set(names).size).toBe(names.length)
  // Who is in is counted. A kill may come between the count and the answer.
  expect(told.filter((name) => !names.includes(name))).toEqual([])
  expect(names.filter((name) => !asked.includes(name))).toEqual([])
  expect(told.length).toBeGreaterThan(KILLS * 2)
  expect(told.length).toBeLessThan(asked.length)
})
