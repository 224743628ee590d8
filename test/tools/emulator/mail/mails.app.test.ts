import { expect, onTestFinished, test } from 'vitest'
import { openMailServer } from '../../../../src/services/mail/smtp.ts'
import { startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { mailSettings } from '../../../services/mail/mail-server.ts'

async function start() {
  const emulator = await startEmulator({ port: 0, companions: { ports: { mail: 0 }, loginUrl: 'http://localhost' } })
  onTestFinished(emulator.close)
  const [mail] = emulator.companions
  const server = await openMailServer(mailSettings(Number(new URL(mail?.settings.SMTP_URL ?? '').port)))
  onTestFinished(server.close)
  const send = (subject: string, text: string) =>
    server.send({ to: 'grüße@example.com', subject, text, html: '<b>no</b>', language: 'en' })
  const page = async () => (await fetch(`${emulator.url}/`)).text()
  return { emulator, send, page }
}

test('the home page shows the mails of the login app as text, the newest first', async () => {
  const { send, page } = await start()
  expect(await page()).toContain('The mails of the login app come here')
  await send('Your code', `First line\n\n日本語 ${'long '.repeat(40)}\n`)
  await send(`Grüße und ${'viele '.repeat(30)}日本語`, '<script>alert(1)</script> = "x"')
  const shown = await page()
  const [newest = '', older = ''] = shown.split('<h3>').filter((part) => part.includes('class="mail"'))
  expect(newest).toContain(`Grüße und ${'viele '.repeat(30)}日本語</h3>`)
  expect(newest).toContain('&lt;script&gt;alert(1)&lt;/script&gt; = &#34;x&#34;')
  expect(older).toContain(`First line\n\n日本語 ${'long '.repeat(40).trim()}</pre>`)
  expect(shown).not.toContain('<script>alert')
  expect(shown).not.toContain('<b>no</b>')
  expect(shown).toMatch(/SMTP_URL=smtp:\/\/127\.0\.0\.1:\d+/)
})

test('without its port, there is no mail server', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(emulator.close)
  expect(await (await fetch(`${emulator.url}/`)).text()).not.toContain('id="mails"')
})

test('the error for a port of the mail server in use names its setting', async () => {
  const { emulator } = await start()
  const port = Number(new URL(emulator.companions[0]?.settings.SMTP_URL ?? '').port)
  const second = startEmulator({ port: 0, companions: { ports: { mail: port }, loginUrl: 'http://localhost' } })
  await expect(second).rejects.toThrow('EMULATOR_MAIL_PORT')
})
