import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { OverloadedError, UpstreamError } from '../../../../src/errors.ts'
import type { TokenEntryPoint } from '../../../../src/features/token/fields.ts'
import {
  createTokenIssuer,
  openTokenIssuers,
  tokenQueueOptions,
} from '../../../../src/features/token/issuer/token-issuers.ts'
import { checkViewerToken } from '../../../../src/features/token/viewer-token/token-check.ts'
import { createQueue } from '../../../../src/server/work-queue.ts'
import { CONTENT_KEY, ISSUED_AT, KID } from '../viewer-token/jwcrypto-vectors.ts'
import { BUILD_KEYS, CHECK_KEYS } from '../viewer-token/token-keys.ts'

const SERVICE_KEYS = { newest: () => BUILD_KEYS.serviceKey, refetch: () => {} }
const DEPS = { nowSeconds: () => ISSUED_AT, log: { info: () => {}, warn: () => {} } }

test('entry points with the same address share one cache, and get tokens for their own key', async () => {
  const jwk = { ...BUILD_KEYS.serviceKey.publicKey.export({ format: 'jwk' }), use: 'enc', kid: KID }
  let requests = 0
  const server = createServer((_req, res) => {
    requests += 1
    res.end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const serviceKeyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const entryPoint = { serviceKeyUrl, contentKey: CONTENT_KEY } as TokenEntryPoint
  const issuers = await openTokenIssuers([entryPoint, { serviceKeyUrl }], DEPS)
  onTestFinished(issuers.close)
  const token = await issuers.issuerOf(entryPoint).issue('ada')
  expect(await checkViewerToken(token, CHECK_KEYS, ISSUED_AT)).toMatchObject({ ok: true, subject: 'ada' })
  expect(requests).toBe(1)
  expect(issuers.optionalStores.map((store) => store.isAvailable())).toEqual([true])
  expect(issuers.readings.queue()).toEqual({ running: 0, waiting: 0 })
  expect(issuers.readings.keysAgeSeconds()).toBeGreaterThan(0)
})

test('without a key of the service there is no token, but an UpstreamError', async () => {
  const newest = () => {
    throw new UpstreamError('service-keys', 'none')
  }
  const issuer = createTokenIssuer(
    { contentKey: CONTENT_KEY },
    { ...SERVICE_KEYS, newest },
    createQueue(tokenQueueOptions()),
    () => 1e9,
  )
  await expect(issuer.issue('ada')).rejects.toThrow(UpstreamError)
})

test('of 200 tokens at once, the queue takes as many as it may, and the others are refused', async () => {
  const queue = createQueue(tokenQueueOptions(1))
  const issuer = createTokenIssuer({ contentKey: CONTENT_KEY }, SERVICE_KEYS, queue, () => ISSUED_AT)
  await issuer.issue('first')
  const all = Array.from({ length: 200 }, (_, index) => issuer.issue(`viewer ${index}`))
  expect(() => issuer.assertCapacity()).toThrow(OverloadedError)
  expect(queue.load()).toEqual({ running: 2, waiting: 20 })
  const results = await Promise.allSettled(all)
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused.length).toBeGreaterThanOrEqual(178)
  expect(refused.every((reason) => reason instanceof OverloadedError)).toBe(true)
  expect(queue.load()).toEqual({ running: 0, waiting: 0 })
  // assertCapacity() counts too.
  expect(queue.refused()).toBe(refused.length + 1)
  expect(await issuer.issue('later')).toMatch(/^eyJ/)
})

/** Fills the queue of one core with work that goes on until `finish()`. */
async function busyQueue(nowMs: () => number) {
  const queue = createQueue({ ...tokenQueueOptions(1), nowMs })
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const work = [queue.run(() => promise), queue.run(() => promise)]
  await setImmediate()
  expect(queue.load()).toEqual({ running: work.length, waiting: 0 })
  return { queue, finish }
}

test('a token that waited for more than 100 ms is refused and not built, and one that waited for 100 ms is built', async () => {
  let nowMs = 0
  const newest = vi.fn(SERVICE_KEYS.newest)
  const { queue, finish } = await busyQueue(() => nowMs)
  const issuer = createTokenIssuer({ contentKey: CONTENT_KEY }, { ...SERVICE_KEYS, newest }, queue, () => ISSUED_AT)
  const late = expect(issuer.issue('ada')).rejects.toThrow(OverloadedError)
  nowMs = 1
  const inTime = issuer.issue('ada')
  nowMs = 101
  finish()
  await late
  expect(await inTime).toMatch(/^eyJ/)
  expect(newest).toHaveBeenCalledOnce()
})

test('a token has the time and the key of the end of its wait', async () => {
  let now = ISSUED_AT
  let kid = 'old'
  const serviceKeys = { ...SERVICE_KEYS, newest: () => ({ ...BUILD_KEYS.serviceKey, kid }) }
  const { queue, finish } = await busyQueue(() => 0)
  const waiting = createTokenIssuer({ contentKey: CONTENT_KEY }, serviceKeys, queue, () => now).issue('ada')
  await setImmediate()
  kid = KID
  now = ISSUED_AT + 30
  finish()
  const issued = { ok: true, issuedAtSeconds: ISSUED_AT + 25 }
  expect(await checkViewerToken(await waiting, CHECK_KEYS, now)).toMatchObject(issued)
})

test.each([
  [30, 30],
  [-10, -10],
  [3600, 55],
])('a token that may be used for %i s ends after %i s', async (leaveSeconds, lastSeconds) => {
  const issuer = createTokenIssuer(
    { contentKey: CONTENT_KEY },
    SERVICE_KEYS,
    createQueue(tokenQueueOptions()),
    () => ISSUED_AT,
  )
  const token = await issuer.issue('ada', ISSUED_AT + leaveSeconds + 0.5)
  const checkAt = (seconds: number) => checkViewerToken(token, CHECK_KEYS, ISSUED_AT + seconds)
  expect(await checkAt(lastSeconds - 1)).toMatchObject({ ok: true })
  expect(await checkAt(lastSeconds + 1)).toMatchObject({ ok: false })
})
