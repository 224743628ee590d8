import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../src/errors.ts'
import type { RedisAddress } from '../../src/redis/address.ts'
import { openRedisLink, type RedisLink } from '../../src/redis/link.ts'
import { type Certificate, makeCertificate } from '../servers/certificate.ts'
import { type RedisServer, redisAddress, startRedis } from '../servers/redis.ts'

const NOBODY = 65_534
let folder: string
let own: Certificate
let redis: RedisServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redis-tls-'))
  own = await makeCertificate(['DNS:redis.example', 'IP:127.0.0.1'])
  redis = await startRedis({ password: 'REDISMARKER', tls: written('own', own) })
})
afterAll(async () => {
  await redis.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** As files that the server may read, and nobody else. */
function written(name: string, { certificate, key }: Certificate): { certificate: string; key: string } {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
  writeFileSync(files.certificate, certificate)
  writeFileSync(files.key, key, { mode: 0o600 })
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) chownSync(files.key, NOBODY, NOBODY)
  return files
}

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

/** A way to a port that can forget the connections that it carries, as a network does: both sides think they are open. */
async function startTunnel(to: number): Promise<{ port: number; forgetConnections: () => void }> {
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
  function forgetConnections(): void {
    for (const [near, far] of carried) {
      near.unpipe(far).resume()
      far.unpipe(near).resume()
    }
  }
  return { port, forgetConnections }
}

describe('an encrypted connection to Redis', () => {
  test('is made where the authority of its certificate is known', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    expect(link.isAvailable()).toBe(true)
    expect(await link.run((client) => client.ping())).toBe('PONG')
    expect(lines).toEqual([])
  })

  test.each([
    ['by nobody that is known', async () => redisAddress(redis, null)],
    ['by somebody else', async () => redisAddress(redis, (await makeCertificate()).certificate)],
    ['for another name', () => Promise.resolve({ ...redisAddress(redis, own.certificate), host: 'localhost' })],
  ])('is not made to a server whose certificate was made %s, and no password is shown to it', async (_case, make) => {
    const { link, lines } = await open(await make())
    expect(link.isAvailable()).toBe(false)
    await expect(link.run((client) => client.ping())).rejects.toThrow(UpstreamError)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/redis-away.*(certificate|altnames)/i)
    expect(lines[0]).not.toContain('REDISMARKER')
  })

  test('is not made to a server that speaks plainly', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const { link } = await open({ ...redisAddress(plain), tls: { authority: own.certificate } })
    expect(link.isAvailable()).toBe(false)
  })
})

describe('a link to Redis', () => {
  test('that is closed does nothing more, whatever is under way', async () => {
    const { link } = await open(redisAddress(redis, own.certificate))
    const asked = link.run((client) => client.blPop('never', 10))
    link.close()
    await expect(asked).rejects.toThrow(UpstreamError)
    await expect(link.run((client) => client.ping())).rejects.toThrow(UpstreamError)
    expect(link.isAvailable()).toBe(false)
  })

  test('does not take for an outage that this process itself was held up', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    const asked = link.run((client) => client.ping())
    // Just sent, and then nothing is read for longer than Redis has.
    await new Promise((resolve) => setImmediate(resolve))
    const untilMs = performance.now() + 800
    while (performance.now() < untilMs);
    expect(await asked).toBe('PONG')
    expect(lines).toEqual([])
  })

  test('tells what Redis refuses from Redis being away: the next command is asked', async () => {
    const { link, lines } = await open(redisAddress(redis, own.certificate))
    await link.run((client) => client.set('text', 'a'))
    await expect(link.run((client) => client.hGet('text', 'a'))).rejects.toThrow(/refused.*WRONGTYPE/)
    expect(await link.run((client) => client.get('text'))).toBe('a')
    expect(link.isAvailable()).toBe(false)
    expect(lines).toHaveLength(1)
  })

  test('gives up a connection on which nothing comes any more, and is well again with a new one', async () => {
    const way = await startTunnel(redis.port)
    const { link } = await open({ ...redisAddress(redis, own.certificate), port: way.port })
    expect(link.isAvailable()).toBe(true)
    way.forgetConnections()
    await expect(link.run((client) => client.ping())).rejects.toThrow('no answer within 500 ms')
    await expect(link.run((client) => client.ping())).rejects.toThrow(UpstreamError)
    await expect.poll(() => link.isAvailable(), { interval: 50, timeout: 15_000 }).toBe(true)
    expect(await link.run((client) => client.ping())).toBe('PONG')
  })

  test('says of an outage once a minute that it lasts, and once that it is over', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const clock = { seconds: 1_000 }
    const { link, lines } = await open(redisAddress(plain), () => clock.seconds)
    await plain.stop()
    const askFor = async (seconds: number) => {
      for (const until = clock.seconds + seconds; clock.seconds < until; clock.seconds += 1) {
        await expect(link.run((client) => client.ping())).rejects.toThrow(UpstreamError)
      }
    }
    await expect.poll(() => link.isAvailable()).toBe(false)
    await askFor(59)
    expect(lines).toHaveLength(1)
    await askFor(120)
    expect(lines).toHaveLength(3)
    await plain.restart()
    await expect.poll(() => link.isAvailable(), { timeout: 10_000 }).toBe(true)
    await link.run((client) => client.ping())
    expect(lines.map((line) => /"event":"([a-z-]+)"/.exec(line)?.[1])).toEqual([
      'redis-away',
      'redis-away',
      'redis-away',
      'redis-back',
    ])
  })

  test('leaves a server that became a replica, so that the new connection goes to the new primary', async () => {
    const plain = await startRedis()
    onTestFinished(() => plain.remove())
    const { link } = await open(redisAddress(plain))
    const clientId = await link.run((client) => client.clientId())
    await link.client.sendCommand(['REPLICAOF', '127.0.0.1', String(redis.port)])
    await expect(link.run((client) => client.set('text', 'a'))).rejects.toThrow(/READONLY/)
    const currentId = () => link.run((client) => client.clientId()).catch(() => clientId)
    await expect.poll(currentId, { interval: 20, timeout: 10_000 }).not.toBe(clientId)
    await link.client.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    expect(await link.run((client) => client.set('text', 'a'))).toBe('OK')
  })
})
