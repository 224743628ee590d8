import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Sso } from '../../../../src/features/sso/open-sso.ts'
import { openRedisLink } from '../../../../src/redis/link.ts'
import { openRedisSessionStore } from '../../../../src/redis/session-store.ts'
import { redisRecords } from '../../../../src/redis/window/records.ts'
import { openSharedFlows } from '../../../../src/services/window/flows/shared-flows.ts'
import { SESSION_LIMITS } from '../../../login/start-login-app.ts'
import { openOperator, type RedisServer, redisAddress, startRedis } from '../../../redis/servers/redis.ts'
import { freePort } from '../../../servers/free-port.ts'
import { logoutTokenOf } from '../logout/logout-issuer.ts'
import {
  cookiesOf,
  finishWindow,
  openWindow,
  pressContinue,
  type SsoApp,
  startAppWithSso,
  startSso,
} from '../start-sso.ts'

/** Two copies of the app share one Redis and one provider. */

const nowSeconds = () => Date.now() / 1000
let redis: RedisServer
let operator: Awaited<ReturnType<typeof openOperator>>
let one: SsoApp
let two: SsoApp

beforeAll(async () => {
  redis = await startRedis()
  operator = await openOperator(redis)
})
afterAll(() => redis.remove())
beforeEach(async () => {
  await operator.flushDb()
  const stores = await openStores()
  one = await startSso({ sessionStore: stores.sessionStore, changeSso: (sso) => ({ ...sso, flows: stores.flows }) })
  two = await startCopyOf(one)
})

async function openStores() {
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing is kept', nowSeconds, replyTimeoutMs: 10_000 }
  const link = await openRedisLink(redisAddress(redis), { ...options, log: pino({ level: 'silent' }) })
  onTestFinished(() => link.close())
  return {
    sessionStore: openRedisSessionStore(link, SESSION_LIMITS, nowSeconds),
    flows: openSharedFlows(redisRecords(link)),
  }
}

async function startCopyOf({ origin, provider }: SsoApp): Promise<SsoApp> {
  const { sessionStore, flows } = await openStores()
  const options = { origin, sessionStore, changeSso: (sso: Sso) => ({ ...sso, flows }) }
  return { ...(await startAppWithSso(provider.issuer, await freePort(), options)), provider }
}

const logOut = async (app: SsoApp, token: string) => (await app.post('/sso/logout', { logout_token: token })).status

test('a logout at one copy ends the session of the other, and counts once at both', async () => {
  const window = await openWindow(one)
  await finishWindow(two, window)
  const Cookie = cookiesOf(await pressContinue(one, window))
  expect((await two.get('/', { Cookie })).status).toBe(303)
  const token = await logoutTokenOf(one)
  expect(await logOut(two, token)).toBe(200)
  for (const copy of [one, two]) expect((await copy.get('/', { Cookie })).status).toBe(200)
  expect(await logOut(one, token)).toBe(400)
})

test('a sign-in under way at one copy does not become a session after a logout at the other', async () => {
  const window = await openWindow(one)
  await finishWindow(one, window)
  expect(await logOut(two, await logoutTokenOf(one))).toBe(200)
  const answer = await pressContinue(one, window)
  expect([answer.status, answer.setCookies]).toEqual([409, []])
  expect(await operator.keys('*session:*')).toEqual([])
})
