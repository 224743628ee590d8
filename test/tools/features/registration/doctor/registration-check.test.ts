import { expect, test } from 'vitest'
import { findingOfForm } from '../../../../../src/tools/features/registration/doctor/registration-check.ts'
import { START_SECONDS, startRegistration } from '../../../../features/registration/start-registration.ts'

const closesAt = new Date(START_SECONDS * 1000).toISOString().replace('.000', '')

test.each([
  ['open', {}, 'registration', 'ok'],
  ['closed', { closesAt }, 'registration-closed', 'warning'],
  ['full', { most: 1 }, 'registration-full', 'warning'],
  ['on the waiting list', { most: 1, waitingList: 'on' }, 'registration', 'ok'],
])('doctor says that a registration is %s', async (_case, given, code, state) => {
  const { app, registrations } = await startRegistration(given)
  await registrations.register({ address: 'ada@example.com', attributes: {}, consents: [], language: 'en' })
  expect(findingOfForm((await app.get('/register')).text)).toMatchObject({ code, state })
})

test('doctor fails without the form', () => {
  expect(findingOfForm('')).toMatchObject({ code: 'no-registration-form', state: 'failure' })
})
