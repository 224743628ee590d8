import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../src/errors.ts'
import type { RedisAddress } from '../../src/redis/address.ts'
import type { RedisClient } from '../../src/redis/connection.ts'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { type Certificate, makeCertificate } from '../servers/certificate.ts'
import { type RedisServer, redisAddress, startRedis } from './servers/redis.ts'

let own: Certificate
let redis: RedisServer

beforeAll(async () => {
  own = await makeCertificate(['DNS:redis.example', 'IP:127.0.0.1'])
  redis = await startRedis({ password: 'REDISMARKER', tls: own })
})
afterAll(() => redis.remove())

async function open(
  address: RedisAddress,
  nowSeconds = () => Date.now() / 1000,
): Promise<{ link: RedisLink; lines: string[] }> {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const link = await openRedisLink(address, {
    setting: 'SESSION_STORE_URL',
    without: 'nothing is kept',
    log,
    nowSeconds,
  })
  onTestFinished(() => link.close())
  return { link, lines }
}

/** Sends a command to the only server of the link. */
function onServer<T>(link: RedisLink, command: (client: RedisClient) => Promise<T>): Promise<T> {
  return link.runOn(link.servers()[0], command)
}

/** Forwards a port. Can drop its connections silently, as a network does: both sides still take them for open. */
async function startTunnel(to: number): Promise<{ port: number; dropSilently: () => void }> {
  const carried = new Set<[Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
    carried.add([near, far])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of [...carried].flat()) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  function dropSilently(): void {
    for (const [near, far] of carried) {
      near.unpipe(far).resume()
      far.unpipe(near).resume()
    }
  }
  return { port, dropSilently }
}

describe('an encrypted connection to Redis', () => {
  test('the link accepts a certificate of the configured authority', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    expect(link.isAvailable()).toBe(true)
    expect(await onServer(link, (client) => client.ping())).toBe('PONG')
    expect(lines).toEqual([])
  })

  test.each([
    ['an unknown authority', async () => redisAddress(redis, null)],
    ['another authority', async () => redisAddress(redis, (await makeCertificate()).certificate)],
    [
      'the configured authority, for another name',
      () =>
        Promise.resolve({ ...redisAddress(redis, own.certificate), nodes: [{ host: 'localhost', port: redis.port }] }),
    ],
  ])('the link rejects a certificate of %s, and logs no password', async (_case, make) => {
    const { link, lines } = await open(await make())
    expect(link.isAvailable()).toBe(false)
    await expect(onServer(link, (client) => client.ping())).rejects.toThrow(UpstreamError)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/redis-away.*(certificate|altnames)/i)
    expect(lines[0]).not.toContain('REDISMARKER')
  })

  test('the link rejects a server without TLS', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const { link } = await open({ ...redisAddress(plain), tls: { authority: own.certificate } })
    expect(link.isAvailable()).toBe(false)
  })
})

describe('a link to Redis', () => {
  test('closing the link fails the command in progress and all later ones', async () => {
    const { link } = await open(redisAddress(redis, own.certificate))
    const asked = onServer(link, (client) => client.blPop('never', 10))
    link.close()
    await expect(asked).rejects.toThrow(UpstreamError)
    await expect(onServer(link, (client) => client.ping())).rejects.toThrow(UpstreamError)
    expect(link.isAvailable()).toBe(false)
  })

  test('a blocked event loop is not mistaken for an outage', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    const asked = onServer(link, (client) => client.ping())
    // The command is sent, then nothing is read for longer than the timeout.
    await new Promise((resolve) => setImmediate(resolve))
    const untilMs = performance.now() + 800
    while (performance.now() < untilMs);
    expect(await asked).toBe('PONG')
    expect(lines).toEqual([])
  })

  test('a refused command does not stop the next one, but makes the link unavailable', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    await onServer(link, (client) => client.set('text', 'a'))
    await expect(onServer(link, (client) => client.hGet('text', 'a'))).rejects.toThrow(/refused.*WRONGTYPE/)
    expect(await onServer(link, (client) => client.get('text'))).toBe('a')
    expect(link.isAvailable()).toBe(false)
    expect(lines).toHaveLength(1)
  })

  test('an error of the caller does not open the circuit breaker', async () => {
    const { link } = await open(redisAddress(redis, own.certificate))
    await expect(onServer(link, () => Promise.reject(new TypeError('not from Redis')))).rejects.toThrow(UpstreamError)
    expect(await onServer(link, (client) => client.ping())).toBe('PONG')
    expect(link.isAvailable()).toBe(true)
  })

  test('after one late reply, the link refuses at once, and recovers when Redis answers', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const { link } = await open(redisAddress(plain))
    plain.pause()
    await expect(onServer(link, (client) => client.ping())).rejects.toThrow('no answer within 500 ms')
    const before = performance.now()
    for (let time = 0; time < 20; time += 1) {
      await expect(onServer(link, (client) => client.ping())).rejects.toThrow(UpstreamError)
    }
    expect(performance.now() - before).toBeLessThan(200)
    plain.resume()
    await expect.poll(() => link.isAvailable(), { interval: 20, timeout: 5_000 }).toBe(true)
    expect(await onServer(link, (client) => client.ping())).toBe('PONG')
  })

  test('a dead connection is replaced, and the link becomes available again', async () => {
    const tunnel = await startTunnel(redis.port)
    const { link } = await open({
      ...redisAddress(redis, own.certificate),
      nodes: [{ host: '127.0.0.1', port: tunnel.port }],
    })
    expect(link.isAvailable()).toBe(true)
    tunnel.dropSilently()
    await expect(onServer(link, (client) => client.ping())).rejects.toThrow('no answer within 500 ms')
    await expect(onServer(link, (client) => client.ping())).rejects.toThrow(UpstreamError)
    await expect.poll(() => link.isAvailable(), { interval: 50, timeout: 15_000 }).toBe(true)
    expect(await onServer(link, (client) => client.ping())).toBe('PONG')
  })

  test('an outage is logged once a minute, and its end once', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const clock = { seconds: 1_000 }
    const { link, lines } = await open(redisAddress(plain), () => clock.seconds)
    await plain.stop()
    const askFor = async (seconds: number) => {
      for (const until = clock.seconds + seconds; clock.seconds < until; clock.seconds += 1) {
        await expect(onServer(link, (client) => client.ping())).rejects.toThrow(UpstreamError)
      }
    }
    await expect.poll(() => link.isAvailable()).toBe(false)
    await askFor(59)
    expect(lines).toHaveLength(1)
    await askFor(120)
    expect(lines).toHaveLength(3)
    await plain.restart()
    await expect.poll(() => link.isAvailable(), { timeout: 10_000 }).toBe(true)
    await onServer(link, (client) => client.ping())
    expect(lines.map((line) => /"event":"([a-z-]+)"/.exec(line)?.[1])).toEqual([
      'redis-away',
      'redis-away',
      'redis-away',
      'redis-back',
    ])
  })

  test('the link reconnects when its server became a replica', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const { link } = await open(redisAddress(plain))
    const clientId = await onServer(link, (client) => client.clientId())
    await link.servers()[0]?.sendCommand(['REPLICAOF', '127.0.0.1', String(redis.port)])
    await expect(onServer(link, (client) => client.set('text', 'a'))).rejects.toThrow(/READONLY/)
    const currentId = () => onServer(link, (client) => client.clientId()).catch(() => clientId)
    await expect.poll(currentId, { interval: 20, timeout: 10_000 }).not.toBe(clientId)
    await link.servers()[0]?.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    expect(await onServer(link, (client) => client.set('text', 'a'))).toBe('OK')
  })
})
