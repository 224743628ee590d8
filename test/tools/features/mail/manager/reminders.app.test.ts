import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createRegistrations } from '../../../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { openManagerStore } from '../../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { openEditableSqliteStore } from '../../../../../src/users/sqlite/editable-store.ts'
import { compileCache } from '../../../../compile-cache.ts'
import { readSettings } from '../../../../features/registration/registration-settings.ts'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'

const PROGRAM = fileURLToPath(new URL('../../../../../src/tools/manager/main.ts', import.meta.url))
const REGISTRATION = { approval: 'by-hand', fields: [] }
const EVENT = {
  eventName: { en: 'Annual meeting', de: 'Jahrestreffen' },
  watchUrl: 'https://video.example/watch',
  allowedGroups: ['gold'],
  registration: REGISTRATION,
  opensAt: '2090-11-24T20:15:00+01:00',
}
const REMIND = '/mails/default/remind'
const nowSeconds = () => Date.now() / 1000

test('a reminder goes to all who are invited or registered, each in the own language, and to no other', async () => {
  const mail = await startMailServer()
  const manager = await startWithCommands(EVENT, mailEnvironment(mail))
  manager.clock.seconds = nowSeconds()
  const { users } = manager
  const add = (name: string, group: string, password: string | null = 'correct horse battery') =>
    users.add({ username: `${name}@example.com`, groups: [group], attributes: {} }, password)
  await add('ada', 'gold')
  await add('zoe', 'silver')
  await add('blocked', 'gold')
  await users.setDisabled('blocked@example.com', true)
  await add('unknown', 'gold', null)
  await add('invited', 'gold', null)
  const link = { purpose: 'invitation', digest: 'x', expiresAtSeconds: nowSeconds() + 1_000 } as const
  await users.passwordChanges.createLink('invited@example.com', link)
  await users.markSent('x')
  const records = openFileRecords(manager.guestsFile, { nowSeconds })
  const settings = readSettings(REGISTRATION)
  const book = createRegistrations({ records, entryPoint: 'default', settings, nowSeconds, mailOf: () => [] })
  for (const address of ['guest', 'waiting', 'blocked'].map((name) => `${name}@example.com`))
    await book.register({ address, attributes: {}, consents: [], language: 'de' })
  for (const name of ['guest', 'blocked']) await book.approve(`${name}@example.com`)
  await records.close()
  const browser = await manager.signedIn()
  const { text } = await browser.get(REMIND)
  expect(text).toContain('3 people get an email')
  expect(text).toMatch(/An hour before the start: Fri, 24 Nov 2090,? 19:15/)
  const seen = /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? '-'
  expect((await browser.act(REMIND, { when: 'now', seen })).text).toContain('is planned')
  const mails = await mail.received(3)
  const byName = new Map(mails.map((one) => [one.to[0], one]))
  expect([...byName.keys()].toSorted()).toEqual(['ada', 'guest', 'invited'].map((name) => `${name}@example.com`))
  expect(byName.get('ada@example.com')?.text).toMatch(
    /Annual meeting.*November 24, 2090 at 8:15.*https:\/\/video\.example\/watch/s,
  )
  expect(byName.get('guest@example.com')?.raw).toMatch(/^Content-Language: de/m)
  expect(byName.get('guest@example.com')?.text).toMatch(/Jahrestreffen.*24\. November 2090/s)
  expect(mails.filter(({ raw }) => raw.includes('name=event.ics'))).toHaveLength(3)
  // The same form again, as a second tab has it.
  const again = await browser.post(REMIND, { when: 'at', at: '1.1.2090 20:15', seen })
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('value="1.1.2090 20:15"')])
  await expect.poll(async () => (await browser.get('/mails')).text).not.toMatch(/>waiting<\/span>/)
  expect((await browser.get('/mails')).text.match(/<small>Reminder · /g)).toHaveLength(3)
  expect([mail.mails.length, manager.faults]).toEqual([3, []])
})

test.each([
  [{ when: 'at', at: 'soon' }, 'Write a day and a time'],
  [{ when: 'at', at: '1.1.2020 20:15' }, 'still to come'],
  [{ when: 'before', at: '25.11.2090 20:15' }, 'before the start'],
])('the time %j is refused, and what was typed stays', async (fields, sentence) => {
  const manager = await startWithCommands(EVENT, mailEnvironment({ port: 1 }))
  const browser = await manager.signedIn()
  await browser.get(REMIND)
  const { status, text } = await browser.post(REMIND, { seen: '', ...fields })
  expect([status, text]).toEqual([409, expect.stringContaining(sentence)])
  expect(text).toContain(`value="${fields.at}"`)
})

test('kills at random moments remind each person, and a mail that is sent again has the same id', {
  timeout: 180_000,
}, async () => {
  const folder = temporaryFolder()
  const onRcptTo = (_address: unknown, _session: unknown, done: () => void) => void setTimeout(done, 60)
  const mail = await startMailServer({ onRcptTo })
  const file = join(folder, 'entry-points.json')
  const entry = { secret: '3f9a1c7be2d846509817abcdef43210fe', playerReturnUrl: 'http://127.0.0.1:4000/pass' }
  writeFileSync(file, JSON.stringify([{ name: 'default', ...entry, playerOrigins: ['http://127.0.0.1:4000'] }]))
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    SESSION_SECRET: 'c04d8e1f5b7a926330e9d17f48c2ab65',
    ENTRY_POINTS_FILE: file,
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
  const names = Array.from({ length: 50 }, (_, index) => `viewer${index}@example.com`)
  const users = openEditableSqliteStore(join(folder, 'viewers.db'))
  const store = openManagerStore(env.MANAGER_STORE_FILE)
  onTestFinished(async () => {
    store.close()
    await users.close()
  })
  for (const username of names) await users.add({ username, groups: [], attributes: {} }, 'correct horse battery')
  const plan = { kind: 'reminders', entryPoint: 'default', language: '', manager: 'eve', batch: -1 }
  store.mails.add({ ...plan, usernames: [String(Math.floor(nowSeconds()))] }, nowSeconds())
  const start = () => {
    const child = spawn(process.execPath, [PROGRAM], { env: { ...compileCache, ...env }, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  for (let kill = 1; kill <= 3; kill += 1) {
    const child = start()
    const before = mail.mails.length
    await expect.poll(() => mail.mails.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before)
    await sleep(Math.random() * 300)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  // A minute passes: until then, no other program takes the mails of the killed ones.
  using database = new DatabaseSync(env.MANAGER_STORE_FILE)
  database.exec(`UPDATE mails SET due_at = due_at - 60 WHERE state = 'waiting'`)
  // Two programs at once send the rest.
  start()
  start()
  const filter = { entryPoints: null, states: ['sent'] }
  await expect.poll(() => store.mails.page(filter, 1e9, 99).length, { timeout: 120_000, interval: 200 }).toBe(50)
  const ids = new Map<string, Set<string>>()
  for (const { to, raw } of mail.mails) {
    const [name = ''] = to
    const known = ids.get(name) ?? new Set()
    ids.set(name, known.add(/^Message-ID: (.*)$/m.exec(raw)?.[1] ?? ''))
  }
  expect([...ids.keys()].toSorted()).toEqual(names.toSorted())
  expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([])
  // Only mails that were on their way at a kill come twice.
  expect(mail.mails.length).toBeLessThanOrEqual(50 + 3 * 4)
})
