import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer, listen } from '../../src/server/http-server.ts'

const CONNECTIONS = 100
const FEWEST_PER_TURN = 2
const MOST_PER_TURN = 16
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const LAST_GET = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

async function start(listener: RequestListener) {
  const server = createHttpServer(listener)
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port }
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Resolves when the server has accepted all connections, so that it can read all of them in one turn. */
async function openMany(server: Server, port: number): Promise<Socket[]> {
  let accepted = 0
  const all = Promise.withResolvers<void>()
  server.on('connection', () => {
    accepted += 1
    if (accepted === CONNECTIONS) all.resolve()
  })
  const sockets = Array.from({ length: CONNECTIONS }, () => open(port))
  await all.promise
  return sockets
}

test('one turn of the event loop starts only a few requests, and all are answered in their order', async () => {
  const startedPerTurn: number[] = []
  let startedNow = 0
  const { server, port } = await start((_req, res) => {
    if (startedNow === 0) {
      setImmediate(() => {
        startedPerTurn.push(startedNow)
        startedNow = 0
      })
    }
    startedNow += 1
    res.end('done')
  })
  const sockets = await openMany(server, port)
  for (const socket of sockets) socket.write(LAST_GET)
  const answers = await Promise.all(sockets.map((socket) => text(socket)))
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 .*done$/s)
  // The two immediates of a turn run in any order, so a figure may hold the requests of two turns.
  expect(Math.max(...startedPerTurn)).toBeLessThanOrEqual(2 * MOST_PER_TURN)
})

test('a new connection is accepted while requests of other connections wait', async () => {
  let answered = 0
  const { server, port } = await start((_req, res) => {
    if (answered === 0) open(port)
    answered += 1
    res.end('done')
  })
  const sockets = await openMany(server, port)
  const accepted = once(server, 'connection').then(() => answered)
  for (const socket of sockets) socket.write(GET)
  expect(await accepted).toBeLessThan(CONNECTIONS)
})

test('a waiting request is not started after its client has gone', async () => {
  let started = 0
  let sockets: Socket[] = []
  const { server, port } = await start((_req, res) => {
    started += 1
    for (const socket of sockets) socket.destroy()
    res.end('done')
  })
  sockets = await openMany(server, port)
  for (const socket of sockets) socket.write(GET)
  await expect.poll(() => new Promise((resolve) => server.getConnections((_error, open) => resolve(open)))).toBe(0)
  expect(started).toBeGreaterThan(0)
  expect(started).toBeLessThan(CONNECTIONS)
})

test('a client may send two requests before the first answer; then the connection is closed', async () => {
  let started = 0
  const { port } = await start((_req, res) => {
    started += 1
    res.end('done')
  })
  const patient = open(port)
  patient.write(GET.repeat(FEWEST_PER_TURN - 1) + LAST_GET)
  expect((await text(patient)).match(/HTTP\/1\.1 200 /g)).toHaveLength(FEWEST_PER_TURN)
  const flood = open(port)
  flood.resume().write(GET.repeat(1000))
  await once(flood, 'close')
  expect(started).toBeLessThanOrEqual(3 * MOST_PER_TURN)
})

test('health checks and first requests overtake later requests, which do not stop', async () => {
  const order: string[] = []
  const { server, port } = await start((req, res) => {
    order.push(req.url ?? '')
    res.end('done')
  })
  const sockets = await openMany(server, port)
  const ask = (path: string, from: number, to: number) => {
    for (const socket of sockets.slice(from, to)) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  }
  ask('/', 0, 50)
  await expect.poll(() => order.length).toBe(50)
  order.length = 0
  ask('/later', 0, 40)
  ask('/health/ready', 40, 50)
  ask('/first', 50, 60)
  await expect.poll(() => order.length).toBe(60)
  const lastOf = (path: string) => order.lastIndexOf(path)
  expect(lastOf('/later')).toBe(59)
  // At most one later request starts for each of the twenty, besides those of the first turns.
  expect(Math.max(lastOf('/first'), lastOf('/health/ready'))).toBeLessThan(50)
  expect(order.slice(0, 30)).toContain('/later')
})
