import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readToken } from '../../../../../src/features/account/links/tokens.ts'
import { openManagerStore } from '../../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { openEditableSqliteStore } from '../../../../../src/users/sqlite/editable-store.ts'
import { compileCache } from '../../../../compile-cache.ts'
import { startMailServer, tokenIn } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { mailEnvironment } from '../../../manager/real-entry-point.ts'

const PROGRAM = fileURLToPath(new URL('../../../../../src/tools/manager/main.ts', import.meta.url))
const PEOPLE = 150
const KILLS = 4
const names = Array.from({ length: PEOPLE }, (_, index) => `viewer${index}@example.com`)

test('kills at random moments leave each person with one invitation that works', { timeout: 180_000 }, async () => {
  const folder = temporaryFolder()
  // 50 mails a second.
  const onRcptTo = (_address: unknown, _session: unknown, done: () => void) => void setTimeout(done, 80)
  const mail = await startMailServer({ onRcptTo })
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    USER_STORE_URL: `sqlite:${join(folder, 'viewers.db')}`,
    SESSION_STORE_URL: `sqlite:${join(folder, 'sessions.db')}`,
    SECURITY_LOG_FILE: join(folder, 'security.log'),
    MANAGER_PORT: '0',
    MANAGER_URL: 'http://localhost:3100',
    MANAGER_SECRET: '9c4e17d05ab83f6621e0d97c58fb3a12',
    MANAGER_STORE_FILE: join(folder, 'manager.db'),
    MANAGER_LOG_FILE: join(folder, 'manager.log'),
    ...mailEnvironment(mail),
  }
  const users = openEditableSqliteStore(join(folder, 'viewers.db'))
  const store = openManagerStore(env.MANAGER_STORE_FILE)
  onTestFinished(async () => {
    store.close()
    await users.close()
  })
  for (const username of names) await users.add({ username, groups: [], attributes: {} }, null)
  const mails = { kind: 'invitation', entryPoint: '', language: 'en', usernames: names, manager: 'eve@example.com' }
  store.mails.add(mails, Date.now() / 1000)
  const start = () => {
    const child = spawn(process.execPath, [PROGRAM], { env: { ...compileCache, ...env }, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = start()
    const before = mail.mails.length
    await expect.poll(() => mail.mails.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
    await sleep(Math.random() * 400)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  expect(store.mails.progress(null).waiting).toBeGreaterThan(0)
  start()
  await expect
    .poll(() => store.mails.progress(null), { timeout: 120_000, interval: 200 })
    .toEqual({
      all: PEOPLE,
      sent: PEOPLE,
      waiting: 0,
      refused: [],
    })
  const links = new Map(mail.mails.map((one) => [one.to[0], readToken(tokenIn(one))?.digest]))
  for (const name of names) {
    const link = await users.passwordChanges.findLink(links.get(name) ?? '', Date.now() / 1000)
    expect(link?.viewer.username).toBe(name)
    expect((await users.inspect(name))?.invitation?.isSent).toBe(true)
  }
})
