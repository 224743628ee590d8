import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { openServiceKeyCache } from '../../../../src/features/token/issuer/service-key-cache.ts'
import { makeCertificate } from '../../../servers/certificate.ts'
import { BUILD_KEYS } from '../viewer-token/token-keys.ts'

const JWK = { ...BUILD_KEYS.serviceKey.publicKey.export({ format: 'jwk' }), use: 'enc' }
const TIMES = { refreshMs: 10, retryMs: 10, keepMs: 1000, timeoutMs: 500 }
const ONCE = { ...TIMES, refreshMs: 60_000, retryMs: 60_000 }

function setOf(...kids: string[]): string {
  return JSON.stringify({ keys: kids.map((kid) => ({ ...JWK, kid })) })
}

/** Starts a service whose answer a test may change. */
async function startService(listener: RequestListener, tls: ServerOptions | null = null) {
  const service = { listener, requests: 0 }
  const answer: RequestListener = (req, res) => {
    service.requests += 1
    service.listener(req, res)
  }
  const server = tls ? createHttpsServer(tls, answer) : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  return {
    service,
    close,
    url: `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`,
  }
}

async function open(url: string, times = ONCE, nowMs?: () => number) {
  const log = { info: vi.fn(), warn: vi.fn() }
  const cache = await openServiceKeyCache(url, log, times, nowMs)
  onTestFinished(() => cache.close())
  return { cache, log }
}

test('the cache has the newest key after the start', async () => {
  const { url } = await startService((_req, res) => res.end(setOf('new', 'old')))
  const { cache, log } = await open(url)
  expect(cache.newest().kid).toBe('new')
  expect(cache.isAvailable()).toBe(true)
  expect(cache.ageSeconds()).toBeGreaterThan(0)
  expect(log.info).toHaveBeenCalledOnce()
})

test('a new key is found in the background', async () => {
  const { url, service } = await startService((_req, res) => res.end(setOf('old')))
  const { cache } = await open(url, TIMES)
  service.listener = (_req, res) => res.end(setOf('new', 'old'))
  await expect.poll(() => cache.newest().kid).toBe('new')
})

test('the keys are fetched early on request, at most every 30 seconds', async () => {
  const { url, service } = await startService((_req, res) => res.end(setOf('old')))
  let now = 0
  const { cache } = await open(url, { ...TIMES, refreshMs: 3_600_000, retryMs: 30_000 }, () => now)
  service.listener = (_req, res) => res.end(setOf('new'))
  now = 29_999
  cache.refetch()
  now = 30_000
  cache.refetch()
  cache.refetch()
  await expect.poll(() => cache.newest().kid).toBe('new')
  expect(service.requests).toBe(2)
  cache.close()
  now = 60_000
  cache.refetch()
  await sleep(50)
  expect(service.requests).toBe(2)
})

test('the keys are kept for 24 hours while the service is away, with one warning', async () => {
  const { url, service } = await startService((_req, res) => res.end(setOf('old')))
  let now = 0
  const { cache, log } = await open(url, { ...TIMES, keepMs: 24 * 3_600_000 }, () => now)
  service.listener = (_req, res) => res.writeHead(503).end()
  const { requests } = service
  await expect.poll(() => service.requests).toBeGreaterThan(requests + 3)
  now = 23 * 3_600_000
  expect(cache.newest().kid).toBe('old')
  expect(cache.ageSeconds()).toBe(23 * 3600)
  now = 25 * 3_600_000
  expect(cache.isAvailable()).toBe(false)
  expect(() => cache.newest()).toThrow(UpstreamError)
  expect(log.warn).toHaveBeenCalledOnce()
  service.listener = (_req, res) => res.end(setOf('old'))
  await expect.poll(() => cache.isAvailable()).toBe(true)
})

test.each<[string, RequestListener]>([
  ['an error', (_req, res) => res.writeHead(500).end(setOf('a'))],
  ['no content', (_req, res) => res.writeHead(204).end()],
  ['a page', (_req, res) => res.end('<html>')],
  ['no keys', (_req, res) => res.end(setOf())],
  ['more than 64 KiB', (_req, res) => res.end(`${setOf('a')}${' '.repeat(65_536)}`)],
  [
    'a redirect',
    (req, res) => (req.url === '/new' ? res.end(setOf('a')) : res.writeHead(302, { location: '/new' }).end()),
  ],
  ['half of an answer', (req, res) => res.write(setOf('a').slice(0, 100), () => req.socket.destroy())],
  ['nothing', () => {}],
  ['no end', (_req, res) => void res.write(setOf('a'))],
])('the app starts without a key when the service answers with %s', async (_name, listener) => {
  const { url } = await startService(listener)
  const { cache, log } = await open(url)
  expect(cache.isAvailable()).toBe(false)
  expect(cache.ageSeconds()).toBeNull()
  expect(() => cache.newest()).toThrow(UpstreamError)
  expect(log.warn).toHaveBeenCalledOnce()
})

test('keys from a server with an unknown certificate are not used', async () => {
  const { certificate: cert, key } = await makeCertificate()
  const { url, service } = await startService((_req, res) => res.end(setOf('a')), { cert, key })
  const { cache, log } = await open(url)
  expect([cache.isAvailable(), service.requests]).toEqual([false, 0])
  expect(log.warn).toHaveBeenCalledOnce()
})

test('the keys of a service that was away at the start are fetched later', async () => {
  const { url, service } = await startService((_req, res) => res.writeHead(503).end())
  const { cache } = await open(url, TIMES)
  service.listener = (_req, res) => res.end(setOf('a'))
  await expect.poll(() => cache.newest().kid).toBe('a')
})

test('a closed cache sends no requests, and logs no fault', async () => {
  const { url, service } = await startService((_req, res) => res.end(setOf('a')))
  const { cache, log } = await open(url, TIMES)
  cache.close()
  const { requests } = service
  await sleep(100)
  expect(service.requests).toBeLessThanOrEqual(requests + 1)
  expect(log.warn).not.toHaveBeenCalled()
})
