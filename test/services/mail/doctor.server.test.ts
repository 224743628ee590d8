import { expect, test } from 'vitest'
import type { MailServerSettings } from '../../../src/services/mail/settings.ts'
import type { Finding } from '../../../src/tools/cli/doctor/finding.ts'
import { checkMail } from '../../../src/tools/features/mail/doctor/mail.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { closedAddress } from '../../tools/video-service/test-service.ts'
import { mailSettings, startMailServer } from './mail-server.ts'

const NONE = { name: 'default', features: {} }
const GUESTS = { name: 'guests', features: { 'mail-sign-in': { mode: 'anyone' } } }

async function findingsOf(server: MailServerSettings | null, mailTo: string | null = null, entryPoint = NONE) {
  const findings: Finding[] = []
  const config = { features: { mail: { server } }, entryPoints: [entryPoint] }
  for await (const finding of checkMail(config, mailTo)) findings.push(finding)
  return findings
}
const codeOf = async (...given: Parameters<typeof findingsOf>) =>
  (await findingsOf(...given)).map(({ state, code }) => [state, code])

test('without SMTP_URL, the doctor says nothing about mail', async () => {
  expect(await findingsOf(null)).toEqual([])
})

test('the doctor names a mail server that is away, its TLS and its login, and sends no mail', async () => {
  const { certificate, key } = await makeCertificate()
  const mail = await startMailServer({
    cert: certificate,
    key,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('Wrong')),
  })
  const auth = { user: 'ada', password: 'right' }
  const settings = mailSettings(mail.port, { tls: 'starttls', ca: certificate, auth })
  expect(await codeOf(settings)).toEqual([['ok', 'mail-server']])
  expect(await codeOf({ ...settings, ca: null })).toEqual([['warning', 'mail-tls']])
  const wrong = { ...settings, auth: { user: 'ada', password: 'PASSWORDMARKER' } }
  expect(await codeOf(wrong)).toEqual([['warning', 'mail-login']])
  expect(JSON.stringify(await findingsOf(wrong))).not.toContain('PASSWORDMARKER')
  expect(await codeOf({ ...settings, port: Number((await closedAddress()).port) })).toEqual([['warning', 'mail-away']])
  const plain = await startMailServer()
  expect(await codeOf({ ...settings, port: plain.port })).toEqual([['warning', 'mail-tls']])
  expect(await codeOf(mailSettings(plain.port))).toEqual([['ok', 'mail-server']])
  expect([...mail.mails, ...plain.mails]).toEqual([])
})

test('a mail server that is away stops guests whose codes come by mail', async () => {
  const away = mailSettings(Number((await closedAddress()).port))
  expect(await codeOf(away, null, GUESTS)).toEqual([['failure', 'mail-away']])
  expect((await findingsOf(away, null, GUESTS))[0]?.text).toContain('No guest gets a code by mail (guests)')
})

test('--mail-to sends a mail, and names the records of the domain of the sender', async () => {
  const mail = await startMailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('no') ? new Error('Unknown') : null),
  })
  const settings = mailSettings(mail.port)
  const findings = await findingsOf(settings, 'ada@example.net', GUESTS)
  expect(findings.map(({ state, code }) => [state, code])).toEqual([
    ['ok', 'mail-server'],
    ['unknown', 'mail-arrival'],
  ])
  expect(findings[1]?.text).toMatch(/example\.com has SPF, DKIM and DMARC/)
  expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.net']])
  expect(await codeOf(settings, 'nobody@example.net', GUESTS)).toContainEqual(['failure', 'mail-refused'])
  expect(await codeOf(settings, 'nobody@example.net')).toContainEqual(['warning', 'mail-refused'])
  expect(await codeOf(null, 'ada@example.net')).toEqual([['failure', 'no-mail-server']])
})
