import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { textsOf } from '../../../src/languages/languages.ts'
import { signIn } from '../../login/signed-in.ts'
import { ADA, type Answer } from '../../login/start-login-app.ts'
import { tokenIn } from '../../services/mail/mail-server.ts'
import { importInto } from '../../users/import-batch/import-contract.ts'
import { type AccountApp, NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const FORGOT = '/account/forgot'
const NEW = '/account/new-password'
const UNFRAMED = /frame-ancestors 'none'/

function newPassword(token: string, password = NEW_PASSWORD, repeatPassword = password): Record<string, string> {
  return { token, newPassword: password, repeatPassword }
}

/** Asks for a link and returns its token. */
async function tokenFor(app: AccountApp, username: string = ADA.username): Promise<string> {
  const count = app.mail.mails.length
  // Sooner, it would be a double click.
  app.clock.seconds += 11
  expect(await app.post(FORGOT, { username })).toMatchObject({ status: 200 })
  const mail = (await app.mail.received(count + 1)).at(-1)
  return mail === undefined ? expect.unreachable() : tokenIn(mail)
}

function outcomesIn({ lines }: AccountApp): unknown[] {
  return lines.filter(({ event }) => event === 'account').map(({ outcome }) => outcome)
}

async function canSignIn(app: AccountApp, password: string): Promise<boolean> {
  return (await app.post('/sign-in', { username: ADA.username, password })).status === 303
}

/** Expects that an answer is not kept, not framed, and tells nothing about other pages. */
function expectPrivate({ headers }: Answer): void {
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['content-security-policy']).toMatch(UNFRAMED)
}

test('the pages at the end show a mark, the typed name and a way on', async () => {
  const app = await startAccountApp()
  const sent = await app.post(FORGOT, { username: '<b>ada' })
  expect(sent.text).toContain('<p>Account: <bdi dir="ltr">&lt;b&gt;ada</bdi></p>')
  expect(sent.text).toMatch(/class="done".*href="\/account\/forgot\?lang=en"/s)
  const saved = await app.post(NEW, newPassword(await tokenFor(app)))
  expect(saved.text).toMatch(/class="done".*href="\/\?lang=en">Log in</s)
  expect((await app.get(`${NEW}?token=x`)).text).not.toContain('class="done"')
})

test('a link by mail sets a new password once, ends all sessions and sends a notice', async () => {
  const app = await startAccountApp()
  const cookie = await signIn(app)
  const token = await tokenFor(app)
  const form = await app.get(`${NEW}?token=${token}`)
  expect(form).toMatchObject({ status: 200, headers: { 'referrer-policy': 'no-referrer' } })
  expectPrivate(form)
  const saved = await app.post(NEW, newPassword(token))
  expect(saved).toMatchObject({ status: 200, setCookies: [] })
  expectPrivate(saved)
  expect((await app.get('/', { Cookie: cookie })).status).toBe(200)
  app.clock.seconds += 11
  expect(await app.post(NEW, newPassword(token))).toMatchObject({ status: 410 })
  expect([await canSignIn(app, ADA.password), await canSignIn(app, NEW_PASSWORD)]).toEqual([false, true])
  const [reset, notice] = await app.mail.received(2)
  expect(reset).toMatchObject({ from: 'login@example.com', to: [ADA.username] })
  expect(notice?.to).toEqual([ADA.username])
  expect(notice?.text).toContain(`https://login.example${FORGOT}`)
  const outcomes = ['reset-requested', 'reset-mailed', 'password-reset', 'link-refused', 'notice-mailed']
  await expect.poll(() => outcomesIn(app).toSorted()).toEqual(outcomes.toSorted())
  expect(JSON.stringify(app.lines)).not.toContain(token)
})

test('a mail names the address of the settings, whatever Host says', async () => {
  const app = await startAccountApp()
  await app.post(FORGOT, { username: ADA.username }, { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' })
  const [mail] = await app.mail.received(1)
  expect(mail?.text).toContain('https://login.example/account/new-password?token=')
  expect(mail?.raw).not.toContain('evil')
  expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated/im)
})

test('to open a link any number of times changes nothing', async () => {
  const app = await startAccountApp()
  const token = await tokenFor(app)
  for (const method of ['GET', 'HEAD', 'GET']) {
    expect(await app.send(method, `${NEW}?token=${token}&newPassword=${NEW_PASSWORD}`)).toMatchObject({ status: 200 })
  }
  expect(await canSignIn(app, ADA.password)).toBe(true)
  app.clock.seconds += 11
  expect(await app.post(NEW, newPassword(token))).toMatchObject({ status: 200 })
})

test('a link ends after 30 minutes', async () => {
  const app = await startAccountApp()
  const token = await tokenFor(app)
  app.clock.seconds += 1799
  expect(await app.get(`${NEW}?token=${token}`)).toMatchObject({ status: 200 })
  app.clock.seconds += 1
  expect(await app.get(`${NEW}?token=${token}`)).toMatchObject({ status: 410 })
  app.clock.seconds += 11
  expect(await app.post(NEW, newPassword(token))).toMatchObject({ status: 410 })
  expect(await canSignIn(app, ADA.password)).toBe(true)
})

test('only the newest link works', async () => {
  const app = await startAccountApp()
  const old = await tokenFor(app)
  const newest = await tokenFor(app)
  expect(await app.post(NEW, newPassword(old))).toMatchObject({ status: 410 })
  expect(await app.post(NEW, newPassword(newest))).toMatchObject({ status: 200 })
})

test('a link ends when its viewer is disabled, or the password was set otherwise', async () => {
  const app = await startAccountApp()
  const first = await tokenFor(app)
  await app.store.setDisabled(ADA.username, true)
  expect(await app.post(NEW, newPassword(first))).toMatchObject({ status: 410 })
  await app.store.setDisabled(ADA.username, false)
  const second = await tokenFor(app)
  await app.store.setPassword(ADA.username, 'a third heron ladder')
  expect(await app.post(NEW, newPassword(second))).toMatchObject({ status: 410 })
})

test.each([
  ['altered', (token: string) => `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`],
  ['shortened', (token: string) => token.slice(0, -1)],
  ['empty', () => ''],
  ['replaced by its digest', (token: string) => hash('sha256', token, 'base64url')],
])('a link whose token is %s sets no password', async (_how, alter) => {
  const app = await startAccountApp()
  const token = alter(await tokenFor(app))
  expect(await app.get(`${NEW}?token=${token}`)).toMatchObject({ status: 410 })
  app.clock.seconds += 11
  expect(await app.post(NEW, newPassword(token))).toMatchObject({ status: 410 })
  expect(await app.get(`${NEW}?token=${token}&token=${token}`)).toMatchObject({ status: 410 })
})

test('known, unknown and disabled viewers get the same answer, and only the known one gets a mail', async () => {
  const app = await startAccountApp()
  await app.store.add({ username: 'off@example.com', groups: [], attributes: {} }, ADA.password)
  await app.store.setDisabled('off@example.com', true)
  await app.store.add({ username: 'no address', groups: [], attributes: {} }, ADA.password)
  const names = ['nobody@example.com', 'off@example.com', 'no address', "' OR 1=1 --", 'x'.repeat(300), ADA.username]
  const answers = []
  for (const username of names) answers.push(await app.post(FORGOT, { username }))
  const [first, ...others] = answers.map(({ status, text, headers: { date: _date, ...headers } }) => ({
    status,
    // The page repeats what the viewer typed.
    text: text.replace(/<bdi dir="ltr">.*<\/bdi>/, ''),
    headers: { ...headers, 'content-length': undefined },
  }))
  for (const other of others) expect(other).toEqual(first)
  await app.mail.received(1)
  await expect.poll(() => outcomesIn(app).filter((outcome) => outcome === 'reset-not-mailed')).toHaveLength(5)
  expect(app.mail.mails.map(({ to }) => to)).toEqual([[ADA.username]])
})

test('the answer to a request does not wait for the user store or the mail server', async () => {
  const never = new Promise<never>(() => {})
  const app = await startAccountApp({ changed: { passwordChanges: hangingChanges(never) } })
  expect(await app.post(FORGOT, { username: ADA.username })).toMatchObject({ status: 200 })
})

function hangingChanges(never: Promise<never>) {
  return {
    assertAllowed: () => never,
    findByAttribute: () => never,
    createLink: () => never,
    findLink: () => never,
    setByLink: () => never,
    change: () => never,
  }
}

test.each([
  ['too short', 'heron', 'heron'],
  ['too common', 'password1', 'password1'],
  ['like the user name', 'ada@example.com1', 'ada@example.com1'],
  ['of the words of the settings', 'lovelace1234', 'lovelace1234'],
  ['typed in two ways', NEW_PASSWORD, `${NEW_PASSWORD}!`],
  ['empty', '', ''],
  ['longer than 128 characters', 'heron '.repeat(30), 'heron '.repeat(30)],
])('a new password that is %s is refused, and the link still works', async (_what, password, repeated) => {
  const app = await startAccountApp()
  const token = await tokenFor(app)
  const refused = await app.post(NEW, newPassword(token, password, repeated))
  expect(refused).toMatchObject({ status: 400, headers: { 'referrer-policy': 'no-referrer' } })
  expect(refused.text).toContain('role="alert"')
  expect(refused.text).not.toContain('PASSWORDMARKER')
  app.clock.seconds += 11
  expect(await app.post(NEW, newPassword(token))).toMatchObject({ status: 200 })
})

test.each([
  ['de', 'Password123!', 'knownPassword'],
  ['fi', 'welcome2026', 'knownPassword'],
  ['zh-TW', 'qwertzuiop', 'easyPattern'],
  ['en', '12.05.1987', 'easyPattern'],
] as const)('in %s, the page says why %s is refused', async (lang, password, key) => {
  const app = await startAccountApp()
  const { text } = await app.post(NEW, { ...newPassword(await tokenFor(app), password, password), lang })
  expect(text).toContain(textsOf(lang).account.errors[key])
})

test('a viewer who was locked out can sign in at once after a reset', async () => {
  const app = await startAccountApp()
  for (let failed = 0; failed < 7; failed += 1) await canSignIn(app, 'wrong')
  expect((await app.post('/sign-in', { username: ADA.username, password: NEW_PASSWORD })).status).toBe(429)
  await app.post(NEW, newPassword(await tokenFor(app)))
  expect(await canSignIn(app, NEW_PASSWORD)).toBe(true)
})

test.each([
  [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  [{ 'Sec-Fetch-Site': 'same-site' }],
  [{ Origin: 'https://evil.example' }],
])('a post of another site changes nothing and sends no mail: %j', async (headers) => {
  const app = await startAccountApp()
  expect(await app.post(FORGOT, { username: ADA.username }, headers)).toMatchObject({ status: 403 })
  const token = await tokenFor(app)
  expect(await app.post(NEW, newPassword(token), headers)).toMatchObject({ status: 403 })
  expect(await canSignIn(app, ADA.password)).toBe(true)
  expect(app.mail.mails).toHaveLength(1)
})

test('an old browser sends "Origin: null" with the form of a link, which is accepted', async () => {
  const app = await startAccountApp()
  const token = await tokenFor(app)
  expect(await app.post(NEW, newPassword(token), { Origin: 'null' })).toMatchObject({ status: 200 })
  expect(await app.post(FORGOT, { username: ADA.username }, { Origin: 'null' })).toMatchObject({ status: 403 })
})

test('the mail goes to the attribute of the settings, for the user name and for the address', async () => {
  const app = await startAccountApp({ changed: { mailAttribute: 'mail' } })
  const mail = 'Grace@example.com'
  for (const username of ['grace', 'grace-2']) {
    await app.store.add({ username, groups: [], attributes: { mail } }, ADA.password)
  }
  await app.post(FORGOT, { username: 'grace' })
  await app.mail.received(1)
  await app.post(FORGOT, { username: 'grace@EXAMPLE.com' })
  const mails = await app.mail.received(3)
  expect(mails.map(({ to }) => to)).toEqual([[mail], [mail], [mail]])
  expect(
    mails
      .slice(1)
      .map(({ text }) => /grace(-2)?,/.exec(text)?.[0])
      .toSorted(),
  ).toEqual(['grace,', 'grace-2,'])
  await app.post(FORGOT, { username: ADA.username })
  await expect.poll(() => outcomesIn(app)).toContain('reset-not-mailed')
})

test('requests with a mail address do not reveal its user name by a limit, and all mails of a viewer count', async () => {
  const app = await startAccountApp({ changed: { mailAttribute: 'mail' }, trustProxyHops: 1 })
  const mail = 'grace@example.com'
  await app.store.add({ username: 'grace', groups: [], attributes: { mail } }, ADA.password)
  const statuses = []
  for (const [sent, username] of [mail, mail, mail, 'grace', 'grace', 'grace', 'grace'].entries()) {
    const headers = { 'X-Forwarded-For': `198.51.100.${sent}` }
    statuses.push((await app.post(FORGOT, { username }, headers)).status)
    if (username === mail) await app.mail.received(sent + 1)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
  const refused = () => app.lines.filter(({ outcome, viewer }) => outcome === 'reset-not-mailed' && viewer === 'grace')
  await expect.poll(refused).toHaveLength(3)
  expect(app.mail.mails).toHaveLength(3)
})

test('a typed address that is also a user name reaches both viewers, once each', async () => {
  const app = await startAccountApp({ changed: { mailAttribute: 'mail' } })
  const shared = { mail: 'both@example.com' }
  await app.store.add({ username: 'both@example.com', groups: [], attributes: shared }, ADA.password)
  await app.store.add({ username: 'bob', groups: [], attributes: shared }, ADA.password)
  await app.post(FORGOT, { username: 'both@example.com' })
  await app.mail.received(2)
  await expect.poll(() => outcomesIn(app).filter((outcome) => outcome === 'reset-mailed')).toHaveLength(2)
  expect(app.mail.mails).toHaveLength(2)
})

// The forms of addresses are in links/mail-address.test.ts.
test('an attribute that is not one address gets no mail', async () => {
  const app = await startAccountApp({ changed: { mailAttribute: 'mail' } })
  await importInto(
    app.store,
    [{ username: 'grace', passwordHash: 'x', groups: [], disabled: false, attributes: { mail: '<a@example.com>' } }],
    'keep',
  )
  await app.post(FORGOT, { username: 'grace' })
  await expect.poll(() => outcomesIn(app)).toContain('reset-not-mailed')
  expect(app.mail.mails).toEqual([])
})

test('a session store that fails does not undo the new password, and the log says so', async () => {
  const failing = { endSessionsOf: () => Promise.reject(new UpstreamError('session-store', 'away')) }
  const app = await startAccountApp({ changed: { sessionStore: failing } })
  expect(await app.post(NEW, newPassword(await tokenFor(app)))).toMatchObject({ status: 200 })
  expect(outcomesIn(app)).toContain('sessions-not-ended')
  expect(await canSignIn(app, NEW_PASSWORD)).toBe(true)
})

test('the account pages answer 405 to other methods, and 415 to a body that is not a form', async () => {
  const app = await startAccountApp()
  for (const path of [FORGOT, NEW, '/account/change-password']) {
    expect(await app.send('PUT', path)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } })
    const json = await app.send('POST', path, { 'Content-Type': 'application/json' }, '{}')
    expect(json).toMatchObject({ status: 415 })
    expectPrivate(json)
  }
  expect(await app.post(FORGOT, { username: ' ' })).toMatchObject({ status: 400 })
})
