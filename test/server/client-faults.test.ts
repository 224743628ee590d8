import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { unframedHeaders } from '../../src/login/screens/headers.ts'
import type { ClientFault } from '../../src/server/client-faults.ts'
import { createHttpServer, listen } from '../../src/server/http-server.ts'
import { startLoginApp } from '../login/start-login-app.ts'

const HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
const limits = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 }

async function start() {
  const faults: ClientFault[] = []
  const paths: string[] = []
  const server = createHttpServer(
    (req, res) => {
      paths.push(req.url ?? '')
      if (req.url === '/half') res.writeHead(200).write('half')
      else res.end('done')
    },
    { headers: HEADERS, count: (fault) => faults.push(fault) },
    limits,
  )
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port, faults, paths }
}

/** Returns everything that the server sends until it closes the connection. */
async function answerTo(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(sent)
  return await text(socket)
}

test.each([
  ['no HTTP', 'garbage\r\n\r\n', 400, 'malformed'],
  ['a method that is none', 'G{}T / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
    'malformed',
  ],
  ['headers that do not end', 'GET / HTTP/1.1\r\nHost: a\r\n', 408, 'too-slow'],
  ['nothing', '', 408, 'too-slow'],
  ['headers of 20 kB', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'too-large'],
  ['an expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417, 'malformed'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'malformed'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed'],
  ['the same Host twice', 'GET / HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n', 400, 'malformed'],
  ['two Hosts in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed'],
] as const)(
  'a client that sends %s gets a short answer with the headers, and is counted',
  async (_what, sent, status, fault) => {
    const { port, faults, paths } = await start()
    const answer = await answerTo(port, sent)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const headers = head.split('\r\n').slice(1)
    expect(headers).toEqual(
      expect.arrayContaining([
        'X-Content-Type-Options: nosniff',
        'Cache-Control: no-store',
        'Content-Type: text/plain; charset=utf-8',
        'Connection: close',
        `Content-Length: ${body.length}`,
      ]),
    )
    expect(body).not.toBe('')
    expect(faults).toEqual([fault])
    expect(paths).toEqual([])
  },
)

test.each(['GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'GET / HTTP/1.0\r\n\r\n'])(
  'a request with one Host, or HTTP/1.0 without one, is answered: %j',
  async (sent) => {
    const { port, faults } = await start()
    expect(await answerTo(port, sent)).toMatch(/^HTTP\/1\.1 200 .*done$/s)
    expect(faults).toEqual([])
  },
)

test('an answer that has begun is cut off, and not mixed with a second one', async () => {
  const { port, faults } = await start()
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /half HTTP/1.1\r\nHost: a\r\n\r\n')
  const [first] = await once(socket, 'data')
  socket.write('garbage\r\n\r\n')
  const answer = `${first}${await text(socket)}`
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(faults).toEqual(['malformed'])
})

test('clients that reset their connection cause no answer and no error', async () => {
  const { server, port, faults } = await start()
  for (const sent of ['garbage\r\n\r\n', 'GET / HT', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1']) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    const [accepted] = await Promise.all([once(server, 'connection'), once(socket, 'connect')])
    socket.write(sent)
    await sleep(10)
    socket.resetAndDestroy()
    await expect.poll(() => accepted[0].destroyed).toBe(true)
  }
  expect(faults).toContain('malformed')
  expect(await answerTo(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

test.each(['garbage\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n'])(
  'the answer of the app to %j has the security headers of its screens',
  async (sent) => {
    const { port } = await startLoginApp()
    const [head = ''] = (await answerTo(port, sent)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    const headers = Object.entries(unframedHeaders(new URL('https://login.example')))
    expect(headers.map(([name]) => name)).toContain('Strict-Transport-Security')
    expect(head.split('\r\n')).toEqual(expect.arrayContaining(headers.map(([name, value]) => `${name}: ${value}`)))
  },
)
