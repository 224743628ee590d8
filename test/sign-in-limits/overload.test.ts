import { expect, test } from 'vitest'
import { OverloadedError } from '../../src/errors.ts'
import { createQueue } from '../../src/server/work-queue.ts'
import { openViewersFile, viewersIn } from '../../src/users/sqlite/database-file.ts'
import { createSqliteStore } from '../../src/users/sqlite/store.ts'
import { STORE_DOWN } from '../login/memory-users.ts'
import { expectRefused } from '../login/refused-answer.ts'
import { ADA, type Answer, startLoginApp } from '../login/start-login-app.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const WRONG = { ...ADA, password: 'wrong' }

test('an overloaded store gives 503 with Retry-After, and nothing is counted', async () => {
  const app = await startLoginApp()
  app.users.fail(new OverloadedError('INTERNAL 2 wait', 2))
  for (let round = 0; round < 20; round += 1) {
    const answer = await app.post('/sign-in', round % 2 === 0 ? ADA : WRONG)
    expectRefused(answer, 503)
    expect(answer.headers['retry-after']).toBe('2')
    expect(answer.text).not.toContain('INTERNAL')
  }
  app.users.fail(null)
  expect((await app.post('/sign-in', WRONG)).status).toBe(401)
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test('a full hashing queue refuses new sign-ins, and still checks the queued ones', async () => {
  const file = `${temporaryFolder()}/viewers.db`
  let finish = () => {}
  const checking = new Promise<void>((resolve) => {
    finish = resolve
  })
  const reading = { ok: true, verify: () => checking.then(() => false), needsRehash: () => false } as const
  const passwords = { hash: () => Promise.resolve('hash'), read: () => reading, dummyHash: 'dummy' }
  const queue = createQueue({ width: 2, queueLength: 3, retryAfterSeconds: 7 })
  const users = createSqliteStore(viewersIn(file, openViewersFile(file, 100)), { queue, passwords })
  const app = await startLoginApp({ users })
  const inside: Promise<Answer>[] = []
  const refused: Answer[] = []
  const tries = Array.from({ length: 40 }, async (_, index) => {
    const answer = app.post('/sign-in', { username: `user${index}`, password: 'x' })
    inside.push(answer)
    const { status } = await answer
    if (status === 503) refused.push(await answer)
  })
  await expect.poll(() => refused.length).toBe(35)
  for (const answer of refused) {
    expectRefused(answer, 503)
    expect(answer.headers['retry-after']).toBe('7')
  }
  finish()
  await Promise.all(tries)
  expect((await Promise.all(inside)).filter(({ status }) => status === 401)).toHaveLength(5)
  await users.close()
})

test('a full hashing queue refuses a sign-in before it is counted or looked up', async () => {
  let isFull = true
  const app = await startLoginApp({
    users: {
      assertCapacity() {
        if (isFull) throw new OverloadedError('2 wait', 2)
      },
      authenticate: () =>
        isFull
          ? expect.unreachable('a user name is looked up')
          : Promise.resolve({ ok: false, reason: 'wrong-credentials' }),
      checkHealth: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
  })
  for (let round = 0; round < 20; round += 1) expectRefused(await app.post('/sign-in', ADA), 503)
  isFull = false
  expect((await app.post('/sign-in', ADA)).status).toBe(401)
})

test('a sign-in refused by overload is logged without a stack', async () => {
  const app = await startLoginApp()
  app.users.fail(new OverloadedError('2 wait', 2))
  await app.post('/sign-in', ADA)
  expect(app.lines).toMatchObject([{ level: 40, outcome: 'overloaded', viewer: ADA.username, status: 503 }])
  expect(app.lines[0]?.err).toBeUndefined()
})

test('a user store that is down gives 503 without details, and nothing is counted', async () => {
  const app = await startLoginApp()
  app.users.fail(STORE_DOWN)
  for (let round = 0; round < 20; round += 1) {
    const answer = await app.post('/sign-in', ADA)
    expectRefused(answer, 503)
    expect(answer.headers['retry-after']).toBe('30')
    expect(answer.text).not.toMatch(/INTERNAL|ldap/)
  }
  app.users.fail(null)
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})
