import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cookieIn, signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { codeIn, frameIn, GUEST, startMailApp } from './start-mail-app.ts'

async function codeFor(app: Awaited<ReturnType<typeof startMailApp>>, address = GUEST) {
  const before = app.mail.mails.length
  const frame = frameIn(await app.ask(address))
  const mails = await app.mail.received(before + 1)
  return { frame, code: codeIn(mails[before] ?? expect.unreachable()) }
}

test('a guest gets a code by mail, types it in the same frame, and watches', async () => {
  const app = await startMailApp()
  expect((await app.get('/')).text).toContain('name="mail"')
  const { frame, code } = await codeFor(app)
  const answer = await app.check(GUEST, frame, code)
  expect(answer.status).toBe(303)
  expect(answer.location).toContain('hash=')
  expect((await app.get('/', { Cookie: cookieIn(answer) })).status).toBe(303)
  expect(app.lines.filter(({ outcome }) => outcome).map(({ outcome }) => outcome)).toEqual([
    'mail-code-asked',
    'mail-code-sent',
    'signed-in',
    'returned',
  ])
  expect(JSON.stringify(app.lines)).not.toContain(code.slice(0, 4))
})

test.each([
  ['in small letters, with spaces', (code: string) => ` ${code.toLowerCase().replace('-', ' ')} `],
  ['without a hyphen', (code: string) => code.replace('-', '')],
  [
    'in wide letters',
    (code: string) =>
      [...code].map((one) => (one === '-' ? '－' : String.fromCharCode(one.charCodeAt(0) + 0xfee0))).join(''),
  ],
])('a code counts %s', async (_case, type) => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  expect((await app.check(GUEST, frame, type(code))).status).toBe(303)
})

test('the same code again gets the same answer for ten seconds, and then none', async () => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.check(GUEST, frame, code)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 303))
  app.clock.seconds += 10
  expect((await app.check(GUEST, frame, code)).status).toBe(401)
})

test('a code of another tab is named, without a word about who is on the list', async () => {
  const app = await startMailApp()
  const { code } = await codeFor(app)
  const screens = []
  for (const address of [GUEST, 'other@example.com']) {
    const frame = frameIn(await app.ask(address))
    screens.push(await app.check(address, frame, code))
  }
  expect(screens.map(({ status, text }) => [status, text.includes('belongs to another tab')])).toEqual([
    [401, true],
    [401, false],
  ])
})

test('a code counts only in its frame, with its address, at its entry point', async () => {
  const app = await startMailApp({ settings: { mode: 'anyone', guests: [], file: null } })
  const { frame, code } = await codeFor(app)
  const other = frameIn(await app.ask('eve@example.com'))
  expect((await app.check(GUEST, other, code)).status).toBe(401)
  expect((await app.check('eve@example.com', frame, code)).status).toBe(401)
  expect((await app.check('eve@example.com', other, code)).status).toBe(401)
  expect((await app.check(GUEST, '', code)).status).toBe(401)
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
})

test('after five wrong tries, at once or one after another, the right code counts no longer', async () => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  const wrong = code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`
  await Promise.all(Array.from({ length: 5 }, () => app.check(GUEST, frame, wrong)))
  const answer = await app.check(GUEST, frame, code)
  expect(answer.status).toBe(401)
  expect(answer.text).toContain('can no longer be used')
})

test('four wrong tries leave the fifth', async () => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  for (let tries = 0; tries < 4; tries += 1) expect((await app.check(GUEST, frame, 'AAAA-AAAA')).status).toBe(401)
  // What cannot be a code is no try.
  for (let tries = 0; tries < 4; tries += 1) await app.check(GUEST, frame, '12')
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
})

test('no text of a form comes into the page in place of the secret', async () => {
  const app = await startMailApp()
  const frame = '"><b id="planted">'
  const answers = [await app.check(GUEST, frame, 'AAAA-AAAA'), await app.ask('other@example.com', frame)]
  for (const { text } of answers) expect(text).not.toContain('planted')
})

test('a code ends after ten minutes', async () => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  app.clock.seconds += 600
  expect((await app.check(GUEST, frame, code)).status).toBe(401)
})

test('a new code comes half a minute later at the earliest, and the one before still works', async () => {
  const app = await startMailApp()
  const { frame, code } = await codeFor(app)
  const soon = await app.ask(GUEST, frame)
  expect([soon.status, soon.headers['retry-after']]).toEqual([429, '30'])
  app.clock.seconds += 30
  expect(frameIn(await app.ask(GUEST, frame))).toBe(frame)
  const [, second] = await app.mail.received(2)
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
  expect((await app.check(GUEST, frame, codeIn(second ?? expect.unreachable()))).status).toBe(401)
})

test('an unlisted address gets the same answer, and no mail', async () => {
  const app = await startMailApp()
  const listed = await app.ask(GUEST)
  const unlisted = await app.ask('other@example.com')
  const neutral = ({ text }: { text: string }, address: string) =>
    text.replaceAll(address, 'ADDRESS').replaceAll(frameIn({ text }), 'FRAME')
  expect(unlisted.status).toBe(listed.status)
  expect(neutral(unlisted, 'other@example.com')).toBe(neutral(listed, GUEST))
  await app.mail.received(1)
  await expect.poll(() => app.lines.some(({ outcome }) => outcome === 'mail-code-withheld')).toBe(true)
  expect(app.mail.mails.map(({ to }) => to)).toEqual([[GUEST]])
})

test.each([
  '',
  'ada',
  '"ada@example.com" <guest@example.com>',
  '"guest"@example.com',
  'guest@example.com\r\nBcc: eve@example.com',
])('the address %j is refused with a sentence', async (typed) => {
  const app = await startMailApp()
  const answer = await app.ask(typed)
  expect([answer.status, answer.text.includes('role="alert"')]).toEqual([400, true])
})

test('strangers cause few mails to a mailbox, and its owner who signed in before still gets mails', async () => {
  const app = await startMailApp({ trustProxyHops: 1 })
  const from = (address: string) => ({ 'X-Forwarded-For': address })
  const own = frameIn(await app.ask(GUEST, '', from('192.0.2.1')))
  const [first] = await app.mail.received(1)
  await app.check(GUEST, own, codeIn(first ?? expect.unreachable()), from('192.0.2.1'))
  const statuses: number[] = []
  for (let network = 2; network < 14; network += 1) {
    statuses.push((await app.ask(GUEST, '', from(`198.51.100.${network}`))).status)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(9)
  expect(statuses.at(-1)).toBe(429)
  expect((await app.ask(GUEST, '', from('192.0.2.1'))).status).toBe(200)
  // An unlisted address has the same limits.
  const unlisted: number[] = []
  for (let network = 2; network < 14; network += 1) {
    unlisted.push((await app.ask('other@example.com', '', from(`198.51.100.${network}`))).status)
  }
  expect(unlisted.filter((status) => status === 200)).toHaveLength(10)
})

test('made-up addresses do not use up the mails of all', async () => {
  const app = await startMailApp({ mailsPerHour: 1 })
  for (let index = 0; index < 20; index += 1) await app.ask(`made-up-${index}@example.com`)
  const { frame, code } = await codeFor(app)
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
})

test('a mail that the server refuses does not use up the mails of all', async () => {
  const mail = await startMailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('no') ? new Error('Unknown') : null),
  })
  const app = await startMailApp({ mail, mailsPerHour: 1, settings: { mode: 'anyone', guests: [], file: null } })
  await app.ask('nobody@example.com')
  await expect.poll(() => app.lines.some(({ outcome }) => outcome === 'mail-code-bounced')).toBe(true)
  const { frame, code } = await codeFor(app)
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
})

test('a mail server that is away loses no code, and the screen says that mails are late', async () => {
  const app = await startMailApp()
  const { port } = app.mail
  await app.mail.close()
  const frame = frameIn(await app.ask(GUEST))
  await expect.poll(() => app.lines.some(({ event }) => event === 'mail-away')).toBe(true)
  const late = await app.ask('other@example.com')
  expect(late.text).toContain('Emails take longer')
  const again = await startMailServer({}, port)
  app.clock.seconds += 30
  const [mail] = await again.received(1)
  expect((await app.check(GUEST, frame, codeIn(mail ?? expect.unreachable()))).status).toBe(303)
})

test('beside the password form, the code is another way', async () => {
  const app = await startMailApp({ hasPasswordForm: true })
  const form = await app.get('/')
  expect(form.text).toContain('name="password"')
  expect(form.text).toContain('prompt=mail')
  expect((await app.get('/?prompt=mail')).text).toContain('name="mail"')
  expect((await app.post('/sign-in', ADA)).status).toBe(303)
})

test.each([true, false])(
  'the screen for a code without an address asks for it, with a password form: %s',
  async (has) => {
    const app = await startMailApp({ hasPasswordForm: has })
    for (const prompt of ['mail-code', 'mail-code-late']) {
      const screen = await app.get(`/?prompt=${prompt}`)
      expect([screen.status, screen.text.includes('id="mail"'), screen.text.includes('id="code"')]).toEqual([
        200,
        true,
        false,
      ])
    }
  },
)

test('a password session does not count where only guests sign in', async () => {
  const sessionFile = join(temporaryFolder(), 'sessions.db')
  const both = await startMailApp({ sessionFile, hasPasswordForm: true })
  const Cookie = await signIn(both)
  expect((await both.get('/', { Cookie })).status).toBe(303)
  const guestsOnly = await startMailApp({ sessionFile })
  const screen = await guestsOnly.get('/', { Cookie })
  expect([screen.status, screen.location]).toEqual([200, undefined])
  expect(screen.text).toContain('id="mail"')
})

test('a guest is not the account with the same address', async () => {
  const app = await startMailApp({ settings: { mode: 'anyone', guests: [], file: null }, hasPasswordForm: true })
  app.users.add(GUEST, ADA.password, { groups: ['staff'] })
  const { frame, code } = await codeFor(app)
  expect((await app.check(GUEST, frame, code)).status).toBe(303)
})

test('in the mode "store", the account with the address signs in, unless it is disabled or unknown', async () => {
  const app = await startMailApp({ settings: { mode: 'store', guests: [], file: null } })
  await app.ask('unknown@example.com')
  const { frame, code } = await codeFor(app, ADA.username)
  const answer = await app.check(ADA.username, frame, code)
  expect(answer.status).toBe(303)
  expect((await app.get('/', { Cookie: cookieIn(answer) })).status).toBe(303)
  expect(app.lines.find(({ outcome }) => outcome === 'signed-in')).not.toHaveProperty('issuer')
  expect(app.mail.mails).toHaveLength(1)
})
