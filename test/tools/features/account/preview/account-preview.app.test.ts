import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview, startUntouched } from '../../../cli/preview/run-preview.ts'

test('brand preview shows the pages of passwords as windows, and does not connect to the mail server', async () => {
  const mail = await startUntouched()
  const SMTP_URL = `smtp://app:SMTPSECRETMARKER@${mail.host}`
  const { names, screens, html } = await runPreview({ ...SETTINGS, SMTP_URL, MAIL_FROM: 'Example <login@example.com>' })
  const pages = ['forgot password', 'link is sent', 'change password', 'new password', 'a link that is over']
  expect(names).toEqual(expect.arrayContaining(pages))
  expect(screens[names.indexOf('new password')]?.html).toContain('name="newPassword"')
  expect(screens[names.indexOf('new password')]?.sizes).toEqual(['1280x720', '375x667'])
  expect(html).not.toContain('SMTPSECRETMARKER')
  expect(mail.connections()).toBe(0)
})
