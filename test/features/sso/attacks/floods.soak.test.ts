import { Agent, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { STATE } from '../../../../src/features/sso/flow-kinds.ts'
import { openRedisLink } from '../../../../src/redis/link.ts'
import { redisRecords } from '../../../../src/redis/window/records.ts'
import { openSharedFlows } from '../../../../src/services/window/flows/shared-flows.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { openOperator, redisAddress, startRedis } from '../../../redis/servers/redis.ts'
import { finishWindow, openWindow, pressContinue, type SsoApp, startHeaders, startSso } from '../start-sso.ts'

const IN_ALL = 50_000
const PER_NETWORK = 3_000
const AT_ONCE = 16

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1e6
}

/** Begins sign-ins as fast as the app answers, and returns the number of each status. */
async function flood(app: SsoApp, starts: number, addressOf: (index: number) => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const statuses: Record<number, number> = {}
  let next = 0
  const form = `flow=${'A'.repeat(43)}`
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': form.length }
  async function startAll(): Promise<void> {
    for (let index = next++; index < starts; index = next++) {
      const headers = { ...startHeaders(app), ...type, 'X-Forwarded-For': addressOf(index) }
      const options = { port: app.port, host: '127.0.0.1', method: 'POST', path: '/sso/start', agent, headers }
      const status = await new Promise<number>((resolve, reject) => {
        const sent = request(options, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        })
        sent.on('error', reject).end(form)
      })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, startAll))
  agent.destroy()
  return statuses
}

test('one address opens 3,000 sign-ins, and viewers at other addresses go on', async () => {
  const app = await startSso({ trustProxyHops: 1 })
  expect(await flood(app, PER_NETWORK + 500, () => '203.0.113.1')).toEqual({ 200: PER_NETWORK, 429: 500 })
  const window = await openWindow(app)
  expect((await finishWindow(app, window)).status).toBe(200)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('50,000 open sign-ins fit into 50 MB of memory, and passwords go on', async () => {
  const app = await startSso({ trustProxyHops: 1 })
  await flood(app, 100, () => '192.0.2.1')
  const before = heapMegabytes()
  const statuses = await flood(app, IN_ALL, (index) => `203.0.113.${index % 20}`)
  expect(statuses).toEqual({ 200: IN_ALL - 100, 429: 100 })
  const grown = heapMegabytes() - before
  console.info(`50,000 open sign-ins take ${grown.toFixed(0)} MB`)
  expect(grown).toBeLessThan(50)
  expect((await app.post('/sign-in', ADA, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303)
})

test('50,000 open sign-ins fit into 50 MB of Redis', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.remove())
  const operator = await openOperator(redis)
  const memory = async () => Number(/used_memory:(\d+)/.exec(await operator.info('memory'))?.[1]) / 1e6
  const before = await memory()
  const address = { ...redisAddress(redis), keyPrefix: 'viewer-auth:' }
  const options = { setting: 'SESSION_STORE_URL', without: 'nothing works', nowSeconds: () => Date.now() / 1000 }
  const flows = openSharedFlows(
    redisRecords(await openRedisLink(address, { ...options, log: pino({ level: 'silent' }) })),
  )
  onTestFinished(() => flows.close())
  const text = 'A'.repeat(43)
  const record = { entryPoint: 'default', flow: text, nonce: text, codeVerifier: text, browserKeyDigest: text }
  for (let index = 0; index < IN_ALL; index += 100) {
    const keys = Array.from({ length: 100 }, (_, offset) => `${text.slice(6)}${index + offset}`)
    await Promise.all(
      keys.map((key) =>
        flows.put(STATE, key, {
          ...record,
          network: '203.0.113.1',
          language: null,
          wantsOtherAccount: false,
          startedAtSeconds: 1,
        }),
      ),
    )
  }
  const grown = (await memory()) - before
  console.info(`50,000 open sign-ins take ${grown.toFixed(0)} MB of Redis`)
  expect(grown).toBeLessThan(50)
})
