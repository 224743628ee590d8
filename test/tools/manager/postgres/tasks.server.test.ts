import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { codeDigest } from '../../../../src/features/access-codes/codes/code-digest.ts'
import { createCodeStore } from '../../../../src/features/access-codes/codes/code-store.ts'
import { canonicalCode } from '../../../../src/features/access-codes/codes/code-text.ts'
import { createRegistrations } from '../../../../src/features/registration/book/registrations.ts'
import { openPostgresRecords } from '../../../../src/services/guests/postgres/postgres-records.ts'
import { migratePostgres, openEditablePostgresStore } from '../../../../src/users/postgres/editable-store.ts'
import { readSettings } from '../../../features/registration/registration-settings.ts'
import { startMailServer } from '../../../services/mail/mail-server.ts'
import { settingsOf } from '../../../users/postgres/fixture.ts'
import { type PostgresServer, startPostgres } from '../../../users/postgres/server.ts'
import { mailEnvironment, startWithCommands } from '../real-entry-point.ts'
import { codeOf } from '../start-manager.ts'

const KEY = '7f3e9d1c5b2a48067985a4b3c2d1e0ff'
const REGISTRATION = { approval: 'by-hand', fields: [] }
const EVENT = {
  eventName: 'Gala',
  allowedGroups: ['gold'],
  opensAt: '2090-11-24T20:00:00Z',
  closesAt: '2090-11-24T22:00:00Z',
  registration: REGISTRATION,
  accessCodes: 'on',
  accessCodeKey: KEY,
}
const ADA = 'ada@example.com'
const GUEST = 'guest@example.com'
const one = (name: string, act = '') => `/people/one/${encodeURIComponent(name)}${act && `/${act}`}`
const nowSeconds = () => Date.now() / 1000

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Starts the page with people, codes and registrations in one database. */
async function start() {
  const url = server.url({ database: await server.createDatabase() })
  await migratePostgres(settingsOf(url))
  const users = await openEditablePostgresStore(settingsOf(url))
  const mail = await startMailServer()
  const stores = { USER_STORE_URL: url, GUESTS_STORE_URL: url }
  const manager = await startWithCommands(EVENT, { ...stores, ...mailEnvironment(mail) }, { users })
  // Links begin at the time of the machine.
  manager.clock.seconds = nowSeconds()
  const records = openPostgresRecords({ ...settingsOf(url), timeoutMs: 10_000 }, { nowSeconds })
  onTestFinished(records.close)
  const browser = await manager.signedIn()
  await browser.get('/account')
  const recipients = async (count: number) => (await mail.received(count)).map(({ to }) => to[0])
  return { manager, users, mail, records, browser, recipients }
}

test('people are added, invited, found, explained, renamed, blocked and forgotten', async () => {
  const { manager, users, browser, recipients } = await start()
  const added = await browser.act('/people/add', {
    username: ADA,
    groups: 'gold',
    attributes: 'name=Zoë',
    invite: 'on',
  })
  expect(added.text).toContain(`${ADA} was added`)
  expect(await recipients(1)).toEqual([ADA])
  const why = await browser.get(one(ADA))
  expect(why.text).toContain('has not followed the invitation yet')
  expect(why.text).toContain('The doors')
  expect((await browser.get(one('adda@example.com'))).text).toContain(`href="${one(ADA)}"`)
  expect((await browser.get('/people?text=zo%C3%8B&group=gold&state=invited')).text).toContain('1 in all')
  await browser.get('/people/import')
  const sheet = 'Email;Gruppe\nbob@example.com;gold\neve@example.com;\n'
  const { location } = await browser.upload('/people/import', 'x.csv', sheet, { invite: 'on' })
  await browser.get(location ?? '')
  expect((await browser.act('/people/import/confirm')).text).toContain('2 invitations are being sent')
  expect((await recipients(3)).slice(1).toSorted()).toEqual(['bob@example.com', 'eve@example.com'])
  await users.passwordChanges.createLink('bob@example.com', { purpose: 'invitation', digest: 'x', expiresAtSeconds: 1 })
  await browser.get('/people')
  expect((await browser.act('/people/invite')).text).toContain('1 invitation is being sent')
  expect((await recipients(4)).at(-1)).toBe('bob@example.com')
  const renamed = await browser.act(one(ADA, 'rename'), { newName: 'Ada.L@example.com', invite: 'on' })
  expect(renamed.text).toContain('Ada.L@example.com')
  expect((await recipients(5)).at(-1)).toBe('Ada.L@example.com')
  expect(await users.inspect(ADA)).toBeNull()
  expect((await browser.act(one('eve@example.com', 'rename'), { newName: 'BOB@example.com' })).text).toContain(
    'already',
  )
  expect((await browser.act(one('bob@example.com', 'put-out'))).text).toContain('is blocked and logged out')
  expect((await browser.get('/people?state=disabled')).text).toContain('1 in all')
  const file = await browser.post(one('ada.l@example.com', 'export'))
  expect(JSON.parse(file.text)).toMatchObject({ username: 'Ada.L@example.com' })
  expect((await browser.act(one('ada.l@example.com', 'forget'))).text).toContain('is forgotten')
  expect(await users.inspect('ada.l@example.com')).toBeNull()
  expect((await browser.get('/acts')).text).toContain('changed the username of a person')
  expect(manager.faults).toEqual([])
})

test('codes are made, listed, revoked, and explain why a guest is out', async () => {
  const { manager, records, browser } = await start()
  const codes = createCodeStore(records)
  const find = (code: string) => codes.find(codeDigest(KEY, 'default', canonicalCode(code) ?? ''))
  const made = await browser.act('/codes/default/create', { label: 'PRESS', count: '3' })
  const shown = [...made.text.matchAll(/<code[^>]*>([^<]+)</g)].map(([, code = '']) => code)
  const used = await find(shown[1] ?? '')
  if (used !== null) await codes.use(used, GUEST, nowSeconds())
  const shared = { label: 'HALL', kind: 'shared', count: '40', words: 'gala-2026' }
  expect((await browser.act('/codes/default/create', shared)).text).toMatch(/<code[^>]*>GALA-2026-/)
  expect((await browser.get('/codes')).text).toMatch(/0 of 40 places taken.*3 codes/s)
  expect((await browser.get('/codes/default/list?text=guest')).text).toMatch(/PRESS-0002.*1 login/s)
  const revoked = await browser.act('/codes/default/revoke', { label: 'PRESS', number: '2' })
  expect(revoked.text).toContain('The code PRESS-0002 is revoked')
  expect((await find(shown[1] ?? ''))?.code.revokedAtSeconds).not.toBeNull()
  const forgotten = await browser.act(one(GUEST, 'forget'))
  expect(forgotten.text).toContain('is forgotten')
  expect((await browser.get('/codes/default/list?text=guest')).text).toContain('No code matches')
  expect(manager.faults).toEqual([])
})

test('guests are approved and reminded with the others, and the doors move', async () => {
  const { manager, users, records, browser, recipients, mail } = await start()
  await users.add({ username: ADA, groups: ['gold'], attributes: {} }, 'four rather long words')
  await users.add({ username: 'zoe@example.com', groups: ['silver'], attributes: {} }, 'four rather long words')
  const settings = readSettings(REGISTRATION)
  const book = createRegistrations({ records, entryPoint: 'default', settings, nowSeconds, mailOf: () => [] })
  for (const address of [GUEST, ADA]) await book.register({ address, attributes: {}, consents: [], language: 'de' })
  const approved = await browser.act('/registrations/default', { step: 'approve', address: [GUEST, ADA] })
  expect(approved.text).toContain('2 people are approved')
  expect((await browser.get(one(GUEST))).text).toContain('registration')
  const later = await browser.get('/doors')
  const seen = /name="seen" value="([^"]*)"/.exec(later.text)?.[1] ?? ''
  expect((await browser.act('/doors/default/move', { minutes: '15', seen })).text).toContain('Opens: ')
  const { text } = await browser.get('/mails/default/remind')
  expect(text).toContain('2 people get an email')
  const plan = { when: 'now', seen: /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? '-' }
  expect((await browser.act('/mails/default/remind', plan)).text).toContain('is planned')
  expect((await recipients(2)).toSorted()).toEqual([ADA, GUEST])
  manager.clock.seconds += 60
  const code = codeOf(browser.secret, manager.clock.seconds)
  await browser.get('/colleagues')
  const invite = { name: 'desk@example.com', role: 'help-desk', code }
  expect((await browser.act('/colleagues/invite', invite)).text).toContain('has an invitation by email')
  expect(mail.mails.at(-1)?.to).toEqual(['desk@example.com'])
  expect(manager.faults).toEqual([])
})
