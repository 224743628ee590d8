import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteSessionStore } from '../../src/sessions/sqlite-store.ts'
import { expectRefused } from '../login/refused-answer.ts'
import { responseOf } from '../login/response-of.ts'
import { cookieIn, expectScreen, idIn, rowsIn, signIn } from '../login/signed-in.ts'
import { ADA, SESSION_LIMITS, START_SECONDS, startLoginApp } from '../login/start-login-app.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const HOLD_LOCK = fileURLToPath(new URL('hold-lock.ts', import.meta.url))

/** Locks the file in another process. Returns a function that ends the lock. */
async function lock(file: string): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, [HOLD_LOCK, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill())
  await once(holder.stdout, 'data')
  return async () => {
    holder.stdin.end()
    await once(holder, 'exit')
  }
}

async function startWithFile() {
  const file = join(temporaryFolder(), 'sessions.db')
  const clock = { seconds: START_SECONDS }
  const sessionStore = openSqliteSessionStore(file, SESSION_LIMITS, () => clock.seconds)
  const app = await startLoginApp({ sessionStore, optionalStores: [sessionStore], nowSeconds: () => clock.seconds })
  return { file, clock, app, readiness: async () => JSON.parse((await app.get('/health/ready')).text) as unknown }
}

// With a wait of two seconds for each write, the requests here would take longer than a test may.
test('no request waits while another process locks the session file', async () => {
  const { file, app, readiness } = await startWithFile()
  const Cookie = await signIn(app)
  const unlock = await lock(file)
  for (let viewer = 0; viewer < 20; viewer += 1) {
    const answer = await app.post('/sign-in', ADA, viewer % 2 === 0 ? {} : { Cookie })
    expect(answer.status).toBe(303)
    responseOf(answer.location)
    // The old session may be of another viewer, so the browser forgets it.
    expect(answer.setCookies).toHaveLength(viewer % 2)
    for (const cookie of answer.setCookies) expect(cookie).toMatch(/^__Host-viewer=;/)
    expectScreen(await app.get('/'))
  }
  expect((await app.get('/', { Cookie })).status).toBe(303)
  const refused = await app.post('/sign-out', '', { Cookie })
  expectRefused({ ...refused, setCookies: [] }, 503)
  expect(await readiness()).toEqual({ status: 'degraded', away: ['SESSION_STORE_URL'] })
  expect(app.lines.filter(({ event }) => event === 'session-store')).toHaveLength(1)
  await unlock()
  await expect.poll(readiness).toEqual({ status: 'ready' })
  expect((await app.post('/sign-out', '', { Cookie })).status).toBe(303)
  expectScreen(await app.get('/', { Cookie }))
  const again = await app.post('/sign-in', ADA)
  expect((await app.get('/', { Cookie: cookieIn(again) })).status).toBe(303)
})

test('a session that is over shows the sign-in screen while the file is locked, and is removed later', async () => {
  const { file, clock, app } = await startWithFile()
  const old = await signIn(app)
  const gone = await signIn(app)
  const unlock = await lock(file)
  app.users.remove(ADA.username)
  expectScreen(await app.get('/', { Cookie: gone }))
  clock.seconds += SESSION_LIMITS.lifetimeSeconds
  expectScreen(await app.get('/', { Cookie: old }))
  await unlock()
  const idsAfterVisit = async () => {
    expectScreen(await app.get('/', { Cookie: old }))
    return rowsIn(file).map(({ id }) => id)
  }
  await expect.poll(idsAfterVisit).not.toContain(idIn(old))
})

test('the app opens a session file while another process locks it', async () => {
  const { file, app } = await startWithFile()
  const Cookie = await signIn(app)
  await lock(file)
  const sessionStore = openSqliteSessionStore(file, SESSION_LIMITS, () => START_SECONDS)
  const restarted = await startLoginApp({ sessionStore, optionalStores: [sessionStore] })
  expect((await restarted.get('/', { Cookie })).status).toBe(303)
})

test('the command line waits for the lock, and then ends the sessions', async () => {
  const { file, app } = await startWithFile()
  const Cookie = await signIn(app)
  const unlock = await lock(file)
  setTimeout(() => void unlock(), 200)
  // In a process of its own, because the wait blocks it.
  const command = spawn(process.execPath, ['--input-type=module', '-e', endIn(file)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(command.stdout, 'data')) as [Buffer]
  expect(String(output)).toBe('1')
  expectScreen(await app.get('/', { Cookie }))
})

function endIn(file: string): string {
  const module = new URL('../../src/sessions/session-file.ts', import.meta.url).href
  return `import { endSessions } from '${module}'
process.stdout.write(String(endSessions(${JSON.stringify(file)}, 'ADA@example.com', false)))`
}
