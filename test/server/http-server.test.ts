import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { closeAfterAnswers, createHttpServer, listen, stopServer } from '../../src/server/http-server.ts'

const FAR_AWAY_MS = 600_000
const answerAtOnce: RequestListener = (_req, res) => void res.end('done')

async function start(
  listener: RequestListener = answerAtOnce,
  limits?: Parameters<typeof createHttpServer>[2],
): Promise<{ server: Server; port: number }> {
  const server = createHttpServer(listener, {}, limits)
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port }
}

async function open(port: number, sent = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (sent !== '') socket.write(sent)
  return socket
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('a server returns its port', async () => {
  const { server, port } = await start()
  expect(server.address()).toMatchObject({ port })
  expect(port).toBeGreaterThan(0)
})

test('a server whose port is taken throws EADDRINUSE', async () => {
  const { port } = await start()
  const second = createHttpServer(answerAtOnce)
  await expect(listen(second, port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  // The same server can still listen on a free port.
  expect(await listen(second, 0, '127.0.0.1')).not.toBe(port)
  second.close()
})

test('a server whose address is not local throws EADDRNOTAVAIL', async () => {
  await expect(listen(createHttpServer(answerAtOnce), 0, '192.0.2.1')).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
})

test('the app gives a client 10 seconds for its headers and 15 for its form', () => {
  expect(createHttpServer(answerAtOnce)).toMatchObject({ headersTimeout: 10_000, requestTimeout: 15_000 })
})

test.each([
  ['nothing', '', ''],
  ['one header line after the other', 'GET / HTTP/1.1\r\n', 'A: b\r\n'],
  ['a header that does not end', 'GET / HTTP/1.1\r\nA: ', 'b'],
  ['a form that does not end', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n', 'a'],
])('the app cuts off a client that sends %s', async (_what, first, again) => {
  const limits = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 }
  // The listener never answers.
  const { port } = await start((req) => void req.resume(), limits)
  const socket = await open(port, first)
  socket.resume()
  const drip = setInterval(() => socket.write(again), 20)
  // The server may also reset the connection, and once() would throw then.
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
})

test('a stopping server closes an idle connection at once', async () => {
  const { server, port } = await start()
  const agent = new Agent({ keepAlive: true })
  const request = get({ port, agent })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await text(response)
  const closed = once(request.socket as Socket, 'close')
  await stopServer(server, FAR_AWAY_MS)
  await closed
})

test('a server that is about to stop answers on a kept connection, and says that it closes the connection', async () => {
  const { server, port } = await start()
  const kept = await open(port, GET)
  const [first] = (await once(kept, 'data')) as [Buffer]
  expect(String(first)).toContain('Connection: keep-alive')
  closeAfterAnswers(server)
  kept.write(GET)
  const last = await text(kept)
  expect(last).toContain('200 OK')
  expect(last).toContain('Connection: close')
})

test('a stopping server closes a connection that a browser opened and never used', async () => {
  const { server, port } = await start()
  const accepted = once(server, 'connection')
  const unused = await open(port)
  await accepted
  const closed = once(unused, 'close')
  await stopServer(server, FAR_AWAY_MS)
  await closed
})

test('a stopping server lets a running request finish, and takes no new connection', async () => {
  const arrived = Promise.withResolvers<() => void>()
  const { server, port } = await start((_req, res) => arrived.resolve(() => res.end('finished')))
  const request = get({ port, agent: new Agent({ keepAlive: true }) })
  const finish = await arrived.promise
  const stopped = stopServer(server, FAR_AWAY_MS)
  const [refusal] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
  expect(refusal.code).toBe('ECONNREFUSED')
  const responded = once(request, 'response')
  finish()
  const [response] = (await responded) as [IncomingMessage]
  expect(await text(response)).toBe('finished')
  await stopped
})

test('a stopping server lets a request finish whose form is still being sent', async () => {
  const arrived = Promise.withResolvers<void>()
  const { server, port } = await start((req, res) => {
    arrived.resolve()
    text(req).then(
      (form) => res.end(`form of ${form.length}`),
      () => res.destroy(),
    )
  })
  const socket = await open(port, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345')
  await arrived.promise
  const stopped = stopServer(server, FAR_AWAY_MS)
  socket.write('67890')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*form of 10/s)
  await stopped
})

test('a stopping server cuts off endless requests at the deadline', async () => {
  const arrived = Promise.withResolvers<void>()
  const { server, port } = await start(() => arrived.resolve())
  const endless = await open(port, GET)
  await arrived.promise
  const halfSent = await open(port, 'GET / HTTP/1.1\r\nHost: ')
  const closed = Promise.all([once(endless, 'close'), once(halfSent, 'close')])
  await stopServer(server, 300)
  await closed
})

test('a stopping server cuts off no request before the deadline', async () => {
  const arrived = Promise.withResolvers<() => void>()
  const { server, port } = await start((_req, res) => arrived.resolve(() => res.end('finished')))
  const socket = await open(port, GET)
  const finish = await arrived.promise
  const stopped = stopServer(server, FAR_AWAY_MS)
  // Idle connections are closed several times during this wait.
  await new Promise((resolve) => setTimeout(resolve, 500))
  finish()
  expect(await text(socket)).toMatch(/finished/)
  await stopped
})
