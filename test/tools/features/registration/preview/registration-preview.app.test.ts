import { expect, test } from 'vitest'
import { FIELDS } from '../../../../features/registration/start-registration.ts'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview, startUntouched } from '../../../cli/preview/run-preview.ts'

test('brand preview shows each step and state of a registration, and sends no mail', async () => {
  const { host, connections } = await startUntouched()
  const mail = { SMTP_URL: `smtp://${host}`, MAIL_FROM: 'login@example.com' }
  const REGISTRATION = JSON.stringify({ fields: FIELDS })
  const { names, screens } = await runPreview({ ...SETTINGS, ...mail, REGISTRATION })
  const shown = (name: string) => screens[names.indexOf(name)]?.html ?? ''
  expect(shown('fresh')).toContain('id="register"')
  expect(names.filter((name) => name.startsWith('registration'))).toEqual([
    ...['registration', 'registration, closed', 'registration, full', 'registration, waiting list'],
    ...['registration, wrong address', 'registration, code', 'registration, wrong code'],
    ...['registration, step 1', 'registration, step 1, left empty'],
    ...['registration, step 2', 'registration, step 2, left empty', 'registration, no places left'],
    ...['approved', 'waiting for approval', 'on waiting list', 'place free'].map(
      (name) => `registration, mail: ${name}`,
    ),
    ...['registration, mail: refused', 'registration, mail: cancelled'],
    ...['registration, waiting for approval', 'registration, on waiting list'],
    ...['registration, refused', 'registration, cancelled'],
  ])
  expect(shown('registration, closed')).toContain('registration-closed')
  expect(shown('registration, step 1')).toContain('Company')
  expect(shown('registration, step 2')).toContain('I accept the terms')
  expect(shown('registration, no places left')).toContain('No places left')
  expect(shown('registration, refused')).toContain('Registration not approved')
  expect(connections()).toBe(0)
  expect((await runPreview(SETTINGS)).names.join()).not.toContain('registration')
})
