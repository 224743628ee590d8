import { expect, test } from 'vitest'
import { expectScreen, signIn } from '../../login/signed-in.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startAccountApp } from './start-account-app.ts'

test('the session of a removed viewer does not let in a later viewer of that name', async () => {
  const app = await startAccountApp()
  const Cookie = await signIn(app)
  expect((await app.get('/', { Cookie })).status).toBe(303)
  await app.store.remove(ADA.username)
  await app.store.add({ username: ADA.username, groups: [], attributes: {} }, 'another heron ladder')
  expectScreen(await app.get('/', { Cookie }))
})
