import { expect, test } from 'vitest'
import type { MailServerSettings } from '../../../src/features/mail/settings.ts'
import type { Finding } from '../../../src/tools/cli/doctor/finding.ts'
import { checkMail } from '../../../src/tools/cli/doctor/mail/mail.ts'
import { makeCertificate } from '../../servers/certificate.ts'
import { closedAddress } from '../../tools/video-service/test-service.ts'
import { mailSettings, startMailServer } from './mail-server.ts'

async function findingsOf(server: MailServerSettings | null) {
  const findings: Finding[] = []
  for await (const finding of checkMail({ features: { mail: { server } } })) findings.push(finding)
  return findings
}
const codeOf = async (server: MailServerSettings) => (await findingsOf(server)).map(({ state, code }) => [state, code])

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
