import { expect, test } from 'vitest'
import { openManagerStore } from '../../../../src/tools/cli/manager/accounts/manager-store.ts'
import { isWithin, linksIn, newToken } from '../../../../src/tools/features/colleagues/link-rows.ts'
import { argon2Passwords } from '../../../../src/users/passwords/argon2.ts'
import { startMailServer } from '../../../services/mail/mail-server.ts'
import { mailEnvironment, startWithCommands } from '../../manager/real-entry-point.ts'
import { codeOf, PASSWORD, START_SECONDS } from '../../manager/start-manager.ts'

const EVE = 'eve@example.com'
const DESK = 'desk@example.com'
const NEW = 'seven green lanterns'
const CHOSEN = { newPassword: NEW, repeated: NEW }
const HOUR = 3600

async function startWithMails(options: Parameters<typeof startMailServer>[0] = {}) {
  const mails = await startMailServer(options)
  const manager = await startWithCommands({}, mailEnvironment(mails))
  const eve = await manager.signedIn('event-manager', null, EVE)
  await eve.get('/colleagues')
  /** A code of the manager that was not used yet. */
  const code = (of: { readonly secret: string } = eve) => {
    manager.clock.seconds += 60
    return codeOf(of.secret, manager.clock.seconds)
  }
  const invite = (fields: Readonly<Record<string, string>> = {}) =>
    eve.act('/colleagues/invite', { name: DESK, role: 'help-desk', code: code(), ...fields })
  const reset = (name = DESK) => eve.act('/colleagues/reset', { colleague: name, code: code() })
  const link = () => /\/join\?link=[\w-]{43}/.exec(mails.mails.at(-1)?.text ?? '')?.[0] ?? ''
  const fields = () => ({ ...CHOSEN, link: link().split('=')[1] ?? '' })
  return { ...manager, mails: mails.mails, eve, code, invite, reset, link, fields }
}

const acts = ({ acts }: { acts: () => Record<string, unknown>[] }) => acts().map(({ outcome }) => outcome)

test('an invited colleague sets a password and a second step by the link of the mail, once', async () => {
  const manager = await startWithMails()
  expect((await manager.invite()).text).toContain(`${DESK} has an invitation by email`)
  expect(manager.mails.map(({ to }) => to)).toEqual([[DESK]])
  expect(manager.mails[0]?.text).toContain('Help desk')
  expect((await manager.eve.get('/colleagues')).text).toContain('Invited, and not here yet')
  expect(manager.store.find(DESK)).toBeNull()
  const desk = manager.browser()
  expect((await desk.get(manager.link())).text).toContain(DESK)
  const joined = await desk.post('/join', manager.fields())
  expect(joined.location).toBe('/second-step')
  expect(await desk.get('/people')).toMatchObject({ location: '/second-step' })
  const [, secret = ''] = /class="secret">([^<]+)</.exec((await desk.get('/second-step')).text) ?? []
  await desk.post('/second-step', { code: codeOf(secret.replaceAll(' ', ''), manager.clock.seconds) })
  expect((await desk.get('/people')).status).toBe(200)
  expect(manager.store.find(DESK)).toMatchObject({ role: 'help-desk', entryPoints: null })
  const hash = argon2Passwords.read(manager.store.find(DESK)?.passwordHash ?? '')
  expect(hash.ok && (await hash.verify(NEW))).toBe(true)
  const other = manager.browser()
  expect((await other.get(manager.link())).status).toBe(410)
  await other.get('/sign-in')
  expect((await other.post('/join', manager.fields())).status).toBe(410)
  expect(acts(manager)).toEqual(
    ['second-step-set', 'colleague-invited', 'link-used', 'second-step-set', 'link-used-refused'].toSpliced(
      0,
      0,
      'password',
    ),
  )
  expect(manager.faults).toEqual([])
})

test('a reset ends the sessions, the password and the second step of a colleague, who sets new ones by the link', async () => {
  const manager = await startWithMails()
  const desk = await manager.signedIn('help-desk', null, DESK)
  const before = manager.store.find(DESK)
  expect((await manager.eve.get('/colleagues')).text).toContain(`name="colleague" value="${DESK}"`)
  expect((await manager.reset()).text).toContain(`${DESK} is logged out`)
  expect((await desk.get('/people')).location).toBe('/sign-in')
  expect(manager.store.find(DESK)).toMatchObject({ stepSecret: null, role: 'help-desk' })
  await desk.get('/sign-in')
  expect((await desk.post('/sign-in', { name: DESK, password: PASSWORD })).status).toBe(401)
  await desk.get(manager.link())
  expect((await desk.post('/join', manager.fields())).location).toBe('/second-step')
  expect(manager.store.find(DESK)?.passwordHash).not.toBe(before?.passwordHash)
  expect((await desk.get('/second-step')).text).toContain('class="secret"')
  expect(acts(manager)).toContain('colleague-reset')
})

test('an act on a colleague needs the own second step again, and a code counts once', async () => {
  const manager = await startWithMails()
  await manager.signedIn('help-desk', null, DESK)
  const used = codeOf(manager.eve.secret, START_SECONDS)
  for (const code of ['000000', used]) {
    expect((await manager.invite({ name: 'joe@example.com', code })).text).toContain('Incorrect code')
    expect((await manager.eve.act('/colleagues/reset', { colleague: DESK, code })).text).toContain('Incorrect code')
  }
  for (const code of ['1', '2', '3']) await manager.eve.post('/colleagues/reset', { colleague: DESK, code })
  expect((await manager.reset()).text).toContain('Too many attempts')
  expect(manager.mails).toEqual([])
  expect(manager.store.find(DESK)?.stepSecret).not.toBeNull()
})

test('no manager resets the own login, or that of a colleague with more rights', async () => {
  const manager = await startWithMails()
  const gold = await manager.signedIn('event-manager', ['default'], 'gold@example.com')
  await gold.get('/colleagues')
  const asked = async (name: string) => {
    const { text } = await gold.act('/colleagues/reset', { colleague: name, code: manager.code(gold) })
    return text.includes('cannot be reset here')
  }
  for (const name of [EVE, 'nobody@example.com', 'gold@example.com', 'GOLD@example.com']) {
    expect([name, await asked(name)]).toEqual([name, true])
  }
  expect(manager.mails).toEqual([])
})

test('the answer to an invitation does not tell of a colleague with more rights, whose account stays', async () => {
  const manager = await startWithMails()
  const gold = await manager.signedIn('event-manager', ['default'], 'gold@example.com')
  await gold.get('/colleagues')
  const invite = (name: string) =>
    gold.act('/colleagues/invite', { name, role: 'reader', entryPoint: 'default', code: manager.code(gold) })
  const unknown = await invite('nobody@example.com')
  const known = await invite(EVE)
  expect(known.text.replaceAll(EVE, 'X')).toContain('X has an invitation by email')
  expect(unknown.text).toContain('nobody@example.com has an invitation by email')
  const before = manager.store.find(EVE)
  const browser = manager.browser()
  await browser.get(manager.link())
  expect((await browser.post('/join', manager.fields())).status).toBe(410)
  expect(manager.store.find(EVE)).toEqual(before)
  expect((await invite('gold@example.com')).text).toContain('in the list already')
})

test.each([
  ['is a day old', ({ clock }: Manager) => void Object.assign(clock, { seconds: clock.seconds + 24 * HOUR })],
  [
    'was withdrawn',
    async ({ eve }: Manager) => {
      const { text } = await eve.get('/colleagues')
      await eve.act('/colleagues/withdraw', { link: /name="link" value="([^"]+)"/.exec(text)?.[1] ?? '' })
    },
  ],
  ['was sent before a later one', ({ invite }: Manager) => invite()],
  ['is of a manager who was removed', ({ store }: Manager) => void store.remove(EVE)],
  ['is changed', () => {}],
])('a link that %s opens nothing', async (what, change) => {
  const manager = await startWithMails()
  await manager.invite()
  const link = manager.link()
  const desk = manager.browser()
  expect((await desk.get(link)).status).toBe(200)
  const fields = manager.fields()
  await change(manager)
  const changed = what === 'is changed' ? { link: `${fields.link.slice(1)}x` } : {}
  expect((await desk.post('/join', { ...fields, ...changed })).status).toBe(410)
  expect(manager.store.find(DESK)).toBeNull()
})

type Manager = Awaited<ReturnType<typeof startWithMails>>

test('a link to reset ends when the colleague has another new password', async () => {
  const manager = await startWithMails()
  await manager.signedIn('help-desk', null, DESK)
  await manager.reset()
  manager.store.reset(DESK, PASSWORD)
  const desk = manager.browser()
  expect((await desk.get(manager.link())).status).toBe(410)
})

test('a password that is weak or typed differently is refused, and the link still works', async () => {
  const manager = await startWithMails()
  await manager.invite()
  const desk = manager.browser()
  await desk.get(manager.link())
  const fields = manager.fields()
  expect((await desk.post('/join', { ...fields, repeated: 'other' })).text).toContain('differ')
  expect((await desk.post('/join', { ...fields, newPassword: '12345678', repeated: '12345678' })).status).toBe(400)
  expect((await desk.post('/join', { ...fields, token: 'x'.repeat(43) })).status).toBe(403)
  expect((await desk.post('/join', fields, { Origin: 'https://evil.example' })).status).toBe(403)
  expect((await desk.post('/join', fields)).location).toBe('/second-step')
})

test('the form of a link sent twice is one act, and of two browsers one wins', async () => {
  const manager = await startWithMails()
  const desk = manager.browser()
  const other = manager.browser()
  const send = async (browsers: readonly (typeof desk)[]) => {
    await manager.invite()
    for (const browser of new Set(browsers)) await browser.get(manager.link())
    const fields = manager.fields()
    const answers = await Promise.all(browsers.map((browser) => browser.post('/join', fields)))
    manager.store.remove(DESK)
    return answers.map(({ status }) => status).toSorted()
  }
  expect(await send([desk, desk])).toEqual([303, 303])
  expect(await send([desk, other])).toEqual([303, 410])
})

test('an invitation sent twice is one mail', async () => {
  const manager = await startWithMails()
  const fields = { name: DESK, role: 'reader', code: manager.code() }
  const both = await Promise.all([1, 2].map(() => manager.eve.post('/colleagues/invite', fields)))
  expect(both.map(({ location }) => location)).toEqual(['/colleagues', '/colleagues'])
  expect(manager.mails).toHaveLength(1)
})

test('without the mail, nothing is changed: neither a colleague nor a link', async () => {
  const manager = await startWithMails({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no'), { responseCode: 550 })),
  })
  const desk = await manager.signedIn('help-desk', null, DESK)
  expect((await manager.reset()).text).toContain('Nothing was changed')
  expect((await manager.invite({ name: 'joe@example.com' })).text).toContain('The mail server refuses the email of joe')
  expect((await desk.get('/people')).status).toBe(200)
  expect((await manager.eve.get('/colleagues')).text).not.toContain('Invited, and not here yet')
  expect(acts(manager).filter((act) => String(act).startsWith('colleague'))).toEqual([
    'colleague-reset-refused',
    'colleague-invited-refused',
  ])
})

test.each([
  ['an invitation', undefined],
  ['a reset', 'no hash'],
])('of two copies of the page, one uses the link of %s', async (_what, newHash) => {
  const manager = await startWithMails()
  const other = openManagerStore(`${manager.folder}/manager.db`)
  const desk = { name: DESK, role: 'reader', entryPoints: null } as const
  if (newHash !== undefined) manager.store.add(desk, PASSWORD)
  const token = newToken()
  linksIn(manager.store).add(token, desk, EVE, START_SECONDS, newHash)
  const found = [manager.store, other].map(
    (store) => [linksIn(store), linksIn(store).find(token, START_SECONDS)] as const,
  )
  expect(found.map(([links, link], at) => link && links.use(link, `hash ${at}`))).toEqual([true, false])
  expect(manager.store.find(DESK)?.passwordHash).toBe('hash 0')
  linksIn(manager.store).add(token, desk, EVE, START_SECONDS)
  expect(JSON.stringify(other.database.prepare('SELECT * FROM links').all())).toContain(DESK)
  expect(JSON.stringify(other.database.prepare('SELECT * FROM links').all())).not.toContain(token)
  other.close()
})

test('a colleague who was invited by two managers joins once, and no invitation is left', async () => {
  const manager = await startWithMails()
  manager.store.add({ name: 'joe@example.com', role: 'event-manager', entryPoints: null }, PASSWORD)
  const links = linksIn(manager.store)
  const desk = { name: DESK, role: 'reader', entryPoints: null } as const
  const token = newToken()
  links.add(token, desk, EVE, START_SECONDS)
  links.add(newToken(), desk, 'joe@example.com', START_SECONDS)
  const link = links.find(token, START_SECONDS)
  expect([link && links.use(link, PASSWORD), links.invitations(START_SECONDS)]).toEqual([true, []])
})

test('an invitation names a role and an event that there are', async () => {
  const { invite, mails } = await startWithMails()
  for (const fields of [{ entryPoint: 'nowhere' }, { role: 'owner' }]) {
    expect((await invite(fields)).text).toContain('that you have yourself')
  }
  expect((await invite({ name: 'desk, joe@example.com' })).text).toContain('Type one email address')
  expect(mails).toEqual([])
})

test.each([
  ['the same rights', 'event-manager', null, 'event-manager', null, true],
  ['a weaker role', 'help-desk', null, 'event-manager', null, true],
  ['a stronger role', 'event-manager', null, 'help-desk', null, false],
  ['one of the own events', 'reader', ['gold'], 'event-manager', ['gold', 'silver'], true],
  ['another event', 'reader', ['gold', 'zinc'], 'event-manager', ['gold', 'silver'], false],
  ['all events', 'reader', null, 'event-manager', ['gold'], false],
] as const)('a colleague with %s: %s of %j, for %s of %j, is within: %s', (_what, role, own, by, all, isIt) => {
  const manager = { name: EVE, role: by, entryPoints: all }
  expect(isWithin({ role, entryPoints: own }, manager)).toBe(isIt)
})
