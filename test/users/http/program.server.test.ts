import { expect, onTestFinished, test } from 'vitest'
import { startProgramWithStore } from '../program-with-store.ts'
import { startLoginService } from './login-service.ts'

const PASSWORD = 'PASSWORDMARKER'
const ADA = { username: 'ada', password: PASSWORD, groups: ['staff'], attributes: {}, disabled: false }

test('the login app signs viewers of a login service in, and logs no secret', async () => {
  const service = await startLoginService([ADA])
  onTestFinished(() => service.halt())
  const settings = { USER_STORE_URL: service.url(), HTTP_STORE_TOKEN: service.token }
  const { post, ready, output } = await startProgramWithStore(settings)
  expect(await ready()).toBe(200)
  expect(await post(PASSWORD)).toMatchObject({ status: 303, location: expect.stringContaining('[{"user":"ada"}') })
  expect(await post('wrong')).toMatchObject({ status: 401 })
  await service.halt()
  expect(await post(PASSWORD)).toMatchObject({ status: 503, location: '' })
  for (const secret of [PASSWORD, service.token]) expect(output()).not.toContain(secret)
})
