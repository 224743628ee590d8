import { createServer, type Socket } from 'node:net'
import { parseEnv } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { MAIL_SETTINGS, type MailServerSettings } from '../../../src/services/mail/settings.ts'
import { type Mail, MailFault, openMailServer } from '../../../src/services/mail/smtp.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { mailSettings, startMailServer } from './mail-server.ts'

const MAIL: Mail = {
  to: 'ada@example.com',
  subject: 'Ünïcode: reset your password',
  text: `Hello,\n\nhttps://login.example/account/new-password?token=${'x'.repeat(43)}\n\nGrüße\n`,
  html: '<p>Grüße</p>\n',
  language: 'de',
}

async function send(settings: MailServerSettings, timeoutMs = 2_000): Promise<'sent' | MailFault> {
  const server = await openMailServer(settings, timeoutMs)
  onTestFinished(() => server.close())
  return await server.send(MAIL).then(
    () => 'sent' as const,
    (error: unknown) => (error instanceof MailFault ? error : expect.unreachable(String(error))),
  )
}

/** Starts a server that breaks the protocol of mail servers. */
async function startOddServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : expect.unreachable()
}

test('a mail arrives as it was written, from the sender of the settings', async () => {
  const mail = await startMailServer()
  expect(await send(mailSettings(mail.port))).toBe('sent')
  const [received] = mail.mails
  expect(received).toMatchObject({
    from: 'login@example.com',
    to: ['ada@example.com'],
    text: MAIL.text.replaceAll('\n', '\r\n'),
    html: MAIL.html.replaceAll('\n', '\r\n'),
  })
  expect(received?.raw).toMatch(/^From: Example Video <login@example\.com>\r$/m)
  expect(received?.raw).toMatch(/^Content-Language: de\r$/m)
  // The last part is the one that a program prefers (RFC 2046, 5.1.4).
  expect(received?.raw.match(/^Content-Type: [\w/]+/gm)).toEqual([
    'Content-Type: multipart/alternative',
    'Content-Type: text/plain',
    'Content-Type: text/html',
  ])
})

test('STARTTLS is used, and its certificate checked', async () => {
  const { certificate, key } = await makeCertificate()
  const mail = await startMailServer({ cert: certificate, key })
  const settings = mailSettings(mail.port, { tls: 'starttls', ca: certificate })
  expect(await send(settings)).toBe('sent')
  expect(mail.mails[0]?.isEncrypted).toBe(true)
  expect(await send({ ...settings, ca: null })).toMatchObject({ isFinal: false })
  const other = await makeCertificate(['DNS:mail.example'])
  expect(await send({ ...settings, ca: other.certificate })).toMatchObject({ isFinal: false })
  expect(mail.mails).toHaveLength(1)
})

test('a server without STARTTLS gets no mail and no password if the settings demand it', async () => {
  let passwords = 0
  const mail = await startMailServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(_auth, _session, done) {
      passwords += 1
      done(null, { user: 'ada' })
    },
  })
  const auth = { user: 'ada', password: 'PASSWORDMARKER' }
  expect(await send(mailSettings(mail.port, { tls: 'starttls', auth }))).toMatchObject({ isFinal: false })
  expect([mail.mails.length, passwords]).toEqual([0, 0])
})

test('smtps and the password of the settings work', async () => {
  const { certificate, key } = await makeCertificate()
  const given: (string | null | undefined)[] = []
  const mail = await startMailServer({
    secure: true,
    cert: certificate,
    key,
    onAuth({ username, password }, _session, done) {
      given.push(username, password)
      if (password === 'p@ss/word') done(null, { user: username })
      else done(new Error('Wrong'))
    },
  })
  const settings = mailSettings(mail.port, {
    tls: 'implicit',
    ca: certificate,
    auth: { user: 'ada', password: 'p@ss/word' },
  })
  expect(await send(settings)).toBe('sent')
  expect(given).toEqual(['ada', 'p@ss/word'])
  const wrong = await send({ ...settings, auth: { user: 'ada', password: 'PASSWORDMARKER' } })
  expect(wrong).toMatchObject({ isFinal: false })
  expect(String(wrong)).not.toContain('PASSWORDMARKER')
})

test.each([
  ['an unknown recipient', 550, true],
  ['a full mailbox', 452, false],
])('a refusal for %s is final only if it is permanent, and names no address', async (_case, responseCode, isFinal) => {
  const mail = await startMailServer({
    onRcptTo({ address }, _session, done) {
      done(Object.assign(new Error(`No ${address} here`), { responseCode }))
    },
  })
  const fault = await send(mailSettings(mail.port))
  expect(fault).toMatchObject({ isFinal })
  expect(String(fault)).not.toContain('ada@')
})

test('a refusal of the content names no part of the mail', async () => {
  const mail = await startMailServer({
    onData(stream, _session, done) {
      stream.resume()
      stream.on('end', () => done(Object.assign(new Error(`Spam: ${MAIL.text}`), { responseCode: 554 })))
    },
  })
  const fault = await send(mailSettings(mail.port))
  expect(fault).toMatchObject({ isFinal: true })
  expect(String(fault)).not.toContain('token')
})

test.each([
  ['is silent', () => {}],
  [
    'sends one byte at a time',
    (socket: Socket) => {
      const timer = setInterval(() => socket.write('2'), 50)
      socket.on('close', () => clearInterval(timer))
    },
  ],
  ['hangs up', (socket: Socket) => void socket.destroy()],
  ['is not a mail server', (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('a server that %s is given up within the time limit', async (_what, onConnection) => {
  const port = await startOddServer(onConnection)
  expect(await send(mailSettings(port), 400)).toMatchObject({ isFinal: false })
})

test('a stop of the app does not wait for a slow mail server', async () => {
  const { promise: isConnected, resolve } = Promise.withResolvers<void>()
  const { promise: isClosed, resolve: close } = Promise.withResolvers<void>()
  const mail = await startMailServer({ onRcptTo: () => resolve(), onClose: () => close() })
  const server = await openMailServer(mailSettings(mail.port), 3_600_000)
  const sending = server.send(MAIL)
  await isConnected
  server.close()
  await expect(sending).rejects.toMatchObject({ isFinal: false })
  await isClosed
})

test('a server that is away gives a fault that is not final', async () => {
  const { port, close } = await startMailServer()
  await close()
  expect(await send(mailSettings(port))).toMatchObject({ isFinal: false })
})

test.each([
  ['smtps://ada:p%40ss@mail.example.com', { tls: 'implicit', port: 465, auth: { user: 'ada', password: 'p@ss' } }],
  ['smtp://mail.example.com', { tls: 'starttls', port: 587, auth: null }],
  ['smtp://mail.example.com:2525/', { tls: 'starttls', port: 2525 }],
  ['smtp://localhost', { tls: 'none', port: 25 }],
  ['smtp://[::1]:2525', { tls: 'none', port: 2525, host: '::1' }],
  ['smtps://localhost', { tls: 'implicit' }],
])('SMTP_URL=%s encrypts everything but a connection to this machine', (SMTP_URL, expected) => {
  const { server } = MAIL_SETTINGS.schema.parse({ SMTP_URL, MAIL_FROM: 'Example Video <login@example.com>' })
  expect(server).toMatchObject({ ...expected, from: { name: 'Example Video', address: 'login@example.com' } })
})

const mailFrom = (MAIL_FROM: string | undefined) =>
  MAIL_SETTINGS.schema.parse({ SMTP_URL: 'smtp://localhost', MAIL_FROM }).server?.from

test.each([
  ['login@example.com', { name: '', address: 'login@example.com' }],
  ['<login@example.com>', { name: '', address: 'login@example.com' }],
  ['"Example, Inc." <login@example.com>', { name: 'Example, Inc.', address: 'login@example.com' }],
  [String.raw`"The \"Example\"" <login@example.com>`, { name: 'The "Example"', address: 'login@example.com' }],
  ['"Example (Live) <TV>"<login@example.com>', { name: 'Example (Live) <TV>', address: 'login@example.com' }],
])('MAIL_FROM %s is a sender with a name and an address', (text, expected) => {
  expect(mailFrom(text)).toEqual(expected)
})

test('a name with a comma in .env is one sender in the mail', async () => {
  const { MAIL_FROM } = parseEnv(`MAIL_FROM='"Example, Inc." <login@example.com>'\n`)
  const mail = await startMailServer()
  const from = mailFrom(MAIL_FROM) ?? expect.unreachable()
  expect(await send({ ...mailSettings(mail.port), from })).toBe('sent')
  expect(mail.mails[0]?.raw).toMatch(/^From: "Example, Inc\." <login@example\.com>\r$/m)
})

test('SMTP_URL needs MAIL_FROM', () => {
  const parsed = MAIL_SETTINGS.schema.safeParse({ SMTP_URL: 'smtps://mail.example.com' })
  expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['MAIL_FROM']])
})
