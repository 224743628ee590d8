import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readToken } from '../../../../../src/features/account/links/tokens.ts'
import { openManagerStore } from '../../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { openEditableSqliteStore } from '../../../../../src/users/sqlite/editable-store.ts'
import { compileCache } from '../../../../compile-cache.ts'
import { rowsFor } from '../../../../rows.ts'
import { startMailServer, tokenIn } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { mailEnvironment } from '../../../manager/real-entry-point.ts'

const PROGRAM = fileURLToPath(new URL('../../../../../src/tools/manager/main.ts', import.meta.url))
const TITLE = '$kills kills at random moments leave each of $people people with one invitation that works'
const rounds = rowsFor(
  [{ people: 60, kills: 3 }],
  Array.from({ length: 20 }, () => ({ people: 1000, kills: 4 })),
)

test.for(rounds)(TITLE, { timeout: 600_000 }, async ({ people, kills }) => {
  const names = Array.from({ length: people }, (_, index) => `viewer${index}@example.com`)
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
  for (let kill = 1; kill <= kills; kill++) {
    const child = start()
    const before = mail.mails.length
    await expect.poll(() => mail.mails.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
    await sleep(Math.random() * 3 * people)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  expect(store.mails.progress(null).waiting).toBeGreaterThan(0)
  // A minute passes: until then, no other program takes the mails of the killed ones.
  using managerDatabase = new DatabaseSync(env.MANAGER_STORE_FILE)
  managerDatabase.exec(`UPDATE mails SET due_at = due_at - 60 WHERE state = 'waiting'`)
  using viewersDatabase = new DatabaseSync(join(folder, 'viewers.db'))
  viewersDatabase.exec('UPDATE password_links SET expires_at = expires_at - 60 WHERE is_sent = 0')
  start()
  await expect
    .poll(() => store.mails.progress(null), { timeout: 400_000, interval: 200 })
    .toEqual({
      all: people,
      sent: people,
      waiting: 0,
      refused: [],
    })
  const digests = new Map(mail.mails.map((one) => [one.to[0], readToken(tokenIn(one))?.digest]))
  for (const name of names) {
    const link = await users.passwordChanges.findLink(digests.get(name) ?? '', Date.now() / 1000)
    expect(link?.viewer.username).toBe(name)
    expect((await users.inspect(name))?.invitation?.isSent).toBe(true)
  }
})
