import { expect, test } from 'vitest'
import { ENTRY_POINT } from '../../../login/entry-point.ts'
import { withCodes } from '../../access-codes/codes-app.ts'
import { startRegistration, withRegistration } from '../start-registration.ts'

test('without a password form, the screen has a way to access codes beside the registration', async () => {
  const entryPoint = { ...withRegistration({}, withCodes(ENTRY_POINT)), hasPasswordForm: false }
  const { app } = await startRegistration({}, { entryPoints: [entryPoint] })
  const { text } = await app.get('/')
  expect(text).toContain('href="/register"')
  expect(text).toContain('href="/?prompt=access-code"')
  expect((await app.get('/?prompt=access-code')).text).toContain('action="/access-code"')
})
