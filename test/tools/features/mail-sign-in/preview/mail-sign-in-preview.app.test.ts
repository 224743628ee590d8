import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview, startUntouched } from '../../../cli/preview/run-preview.ts'

test('brand preview shows the forms of the sign-in with a code by mail, and sends no mail', async () => {
  const { host, connections } = await startUntouched()
  const mail = { SMTP_URL: `smtp://${host}`, MAIL_FROM: 'login@example.com', MAIL_SIGN_IN: 'anyone' }
  const { names, screens } = await runPreview({ ...SETTINGS, ...mail, PASSWORD_FORM: 'off' })
  const shown = (name: string) => screens[names.indexOf(name)]?.html ?? ''
  expect(names.filter((name) => /^mail(?: with a code)?(?:,|$)/.test(name))).toEqual([
    ...['mail', 'mail, wrong address', 'mail, code', 'mail, code, mails are late'],
    ...['mail, wrong code', 'mail, code is over', 'mail, no longer on the list'],
    'mail with a code',
  ])
  expect(shown('fresh')).toContain('id="mail"')
  expect(shown('mail, code')).toContain('id="code"')
  expect(shown('mail, code')).not.toContain('Emails take longer')
  expect(shown('mail, code, mails are late')).toContain('Emails take longer')
  expect(shown('mail, code is over')).toContain('can no longer be used')
  expect(connections()).toBe(0)
  expect((await runPreview(SETTINGS)).names.join()).not.toContain('mail')
})
