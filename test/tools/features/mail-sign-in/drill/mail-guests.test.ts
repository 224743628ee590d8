import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { MailSignInSettings } from '../../../../../src/features/mail-sign-in/fields.ts'
import { startMailApp } from '../../../../features/mail-sign-in/start-mail-app.ts'
import { mailSettings } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { drillGuests } from '../../../cli/drill/drill-guests.ts'

const DOMAIN: MailSignInSettings = { mode: 'domains', guests: [{ domain: 'staging.example.com' }], file: null }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts an app whose mails go to the drill. */
async function appWithSink(mailsPerHour = 10_000, failures?: number) {
  const smtpPort = await freePort()
  const sessionFile = join(temporaryFolder(), 'sessions.db')
  const app = await startMailApp({
    settings: DOMAIN,
    mail: { port: smtpPort } as never,
    mailsPerHour,
    sessionFile,
    ...(failures !== undefined && { addressLimit: { failures, trustedNetworks: [] } }),
    nowSeconds: () => Date.now() / 1000,
    publicUrl: 'http://localhost:3000',
  })
  const settings = {
    MAIL_SIGN_IN: 'domains',
    MAIL_GUESTS: '*@staging.example.com',
    MAIL_FROM: mailSettings(0).from.address,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    PASSWORD_FORM: 'off',
    MAIL_CODES_PER_HOUR: String(mailsPerHour),
    SESSION_STORE_URL: `sqlite:${sessionFile}`,
  }
  return { url: `http://127.0.0.1:${app.port}/`, settings, wayIn: 'mail', sessionFile }
}

test('guests ask for a code, read it in their mail, mistype and sign in', async () => {
  const app = await appWithSink()
  const { data, failed, status, stderr } = await drillGuests(app, ['--wrong', '50', '--returns', '50'])
  expect({ failed, stderr }).toMatchObject({ failed: [] })
  expect(data.checks[0]?.text).toBe('8 of 8 viewers got in with a code by mail.')
  expect(data.checks[1]?.text).toMatch(/without the right code\. Tried \d wrong codes\./)
  expect(status).toBe(0)
})

test('drill names MAIL_CODES_PER_HOUR if mails do not come', async () => {
  const ended = await drillGuests(await appWithSink(5), ['--wrong', '0', '--returns', '0', '--max-wait', '1s'])
  expect(ended.stderr).toContain('Warning: MAIL_CODES_PER_HOUR is 5')
  const cause = { name: 'no-mail', answers: expect.any(Number), text: expect.stringContaining('MAIL_CODES_PER_HOUR') }
  expect(ended.data.causes).toEqual([cause])
  // A busy machine may add a guest whose mail came too late.
  expect(ended.data.causes[0]?.answers).toBeGreaterThanOrEqual(3)
  expect(ended.failed).toContain('sign-ins')
})

test('drill ends the sessions of its guests, and no other session', async () => {
  const app = await appWithSink()
  const raw = new DatabaseSync(app.sessionFile)
  onTestFinished(() => raw.close())
  raw.exec(
    "INSERT INTO sessions (id, username, data, signed_in_at, used_at) VALUES ('x', 'ada@example.com', '{}', 0, 0)",
  )
  const { data, status } = await drillGuests(app, ['--wrong', '0', '--returns', '0'])
  expect([status, data.checks[0]?.text]).toEqual([0, '8 of 8 viewers got in with a code by mail.'])
  expect(raw.prepare('SELECT username FROM sessions').all()).toEqual([{ username: 'ada@example.com' }])
})

test('drill names the limit of the network if the app refuses its guests', async () => {
  const ended = await drillGuests(await appWithSink(10_000, 3), [
    '--wrong',
    '100',
    '--returns',
    '0',
    '--max-wait',
    '1s',
  ])
  expect(ended.failed).toContain('sign-ins')
  expect(ended.data.causes).toContainEqual(
    expect.objectContaining({ name: 'too-many-tries', text: expect.stringContaining('LIMITS_TRUSTED_NETWORKS') }),
  )
})

test.each([
  ['no guest of a domain', { MAIL_SIGN_IN: 'list', MAIL_GUESTS: 'ada@example.com' }, 'MAIL_GUESTS=*@'],
  ['a mail server elsewhere', { SMTP_URL: 'smtps://mail.example.com' }, 'SMTP_URL=smtp://127.0.0.1:2525'],
])('drill refuses early with %s, and says what to set', async (_case, changed, text) => {
  const app = await appWithSink()
  const ended = await drillGuests({ ...app, settings: { ...app.settings, ...changed } })
  expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining(text)])
})
