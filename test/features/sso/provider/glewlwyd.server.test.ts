import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../servers/free-port.ts'
import { CLIENT } from '../start-provider.ts'
import { type AppWithSso, cookiesOf, openWindow, pressContinue, startAppWithSso } from '../start-sso.ts'
import { openVisitor } from '../visitor.ts'
import { type Glewlwyd, startGlewlwyd } from './glewlwyd.ts'
import { type AppAtProvider, providerContract } from './provider-contract.ts'

const ADA = { username: 'ada@example.com', password: 'a password of the provider', groups: ['gold', 'staff'] }

let glewlwyd: Glewlwyd

beforeAll(async () => {
  glewlwyd = await startGlewlwyd([ADA])
})

afterAll(() => glewlwyd.stop())

async function open(app: AppAtProvider) {
  await glewlwyd.register({ ...CLIENT, ...app })
  return {
    issuer: glewlwyd.issuer,
    username: ADA.username,
    group: 'gold',
    visit: async (address: string) => {
      const { pathname, search } = await glewlwyd.signIn(address, ADA)
      return `${pathname}${search}`
    },
  }
}

providerContract('glewlwyd', open)

async function startApp(): Promise<AppWithSso> {
  const port = await freePort()
  await open({ redirectUri: `http://localhost:${port}/sso/callback`, publicKey: null })
  return startAppWithSso(glewlwyd.issuer, port)
}

test('after a wrong password the window stays at the provider, and the frame has no result', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  await expect(glewlwyd.signIn(window.address, { ...ADA, password: 'wrong' })).rejects.toThrow('401')
  expect((await pressContinue(app, window)).status).toBe(409)
})

test('an answer without an issuer counts, because the provider does not promise one', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  const { pathname, searchParams } = await glewlwyd.signIn(window.address, ADA)
  expect(searchParams.get('iss')).toBe(glewlwyd.issuer)
  searchParams.delete('iss')
  expect((await app.get(`${pathname}?${searchParams}`, { Cookie: window.cookie })).status).toBe(200)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('a viewer who logs out of the provider has no session here any more', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  const visitor = openVisitor()
  const { pathname, search } = await glewlwyd.signIn(window.address, ADA, visitor)
  await app.get(`${pathname}${search}`, { Cookie: window.cookie })
  const Cookie = cookiesOf(await pressContinue(app, window))
  expect((await app.get('/', { Cookie })).status).toBe(303)
  await glewlwyd.logOut(visitor)
  await expect.poll(async () => (await app.get('/', { Cookie })).status).toBe(200)
})
