import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openHttpStore } from '../../../src/users/http/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'

/** The login service of these tests sends raw bytes, which are not always HTTP. */

const TIMEOUT_MS = 5_000
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

interface Script {
  /** Sent after the first request on a connection. */
  readonly first?: string | Buffer
  /** Then sent endlessly. */
  readonly again?: string
  /** Sent after each further request on the same connection. */
  readonly next?: string
}

async function openStore({ first = '', again, next }: Script) {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const onRequest = async (socket: Socket) => {
    socket.write(first)
    if (again === undefined) return
    const many = again.repeat(Math.ceil(65_536 / again.length))
    while (!socket.destroyed) await new Promise((sent) => socket.write(many, sent))
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket
      .on('error', () => {})
      .once('data', () => {
        void onRequest(socket)
        if (next !== undefined) socket.on('data', () => socket.write(next))
      })
    socket.on('data', (request) => requests.push(request.toString()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/sign-in`
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS })
  const settings = { kind: 'http', url, findUrl: null, token: 'TOKEN', timeoutMs: TIMEOUT_MS, ca: null } as const
  const store = openHttpStore(settings, { guard })
  onTestFinished(async () => {
    await store.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return Object.assign(store, { requests })
}

function answer(body: string | Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ])
}

test.each([
  ['switches the protocol', { first: 'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n' }, 'UND_ERR_SOCKET'],
  ['sends status 100 endlessly', { again: 'HTTP/1.1 100 Continue\r\n\r\n' }, 'UND_ERR_SOCKET'],
  ['sends early hints endlessly', { again: 'HTTP/1.1 103 x\r\nLink: <x>\r\n\r\n' }, 'status 1xx'],
  ['sends an endless body in chunks of one byte', { first: CHUNKED, again: '1\r\n \r\n' }, 'too long'],
  ['sends an endless body', { first: CHUNKED, again: `fff8\r\n${' '.repeat(65_528)}\r\n` }, 'too long'],
  ['sends an endless header', { first: 'HTTP/1.1 200 OK\r\nX: ', again: 'x' }, 'HEADERS_OVERFLOW'],
])('a service that %s fails the sign-in well before the timeout', async (_what, script, words) => {
  const store = await openStore(script)
  const before = performance.now()
  const signIn = store.authenticate('ada', 'PASSWORDMARKER')
  await expect(signIn).rejects.toThrow(words)
  await expect(signIn).rejects.toThrow(UpstreamError)
  expect(performance.now() - before).toBeLessThan(TIMEOUT_MS / 2)
})

test.each([
  ['in a charset other than UTF-8', Buffer.from('{"username":"m\u00fcller"}', 'latin1'), 'JSON in UTF-8'],
  ['with a replacement character (U+FFFD)', Buffer.from('{"username":"m\ufffdller"}'), 'U+FFFD'],
])('a user name %s signs in no viewer, because it is ambiguous', async (_what, body, words) => {
  const store = await openStore({ first: answer(body) })
  await expect(store.authenticate('m\u00f6ller', 'secret')).rejects.toThrow(words)
})

test('groups and attributes with a replacement character are dropped', async () => {
  const attributes = { seat: '1\ufffd', department: 'R&D' }
  const store = await openStore({
    first: answer(JSON.stringify({ username: 'ada', groups: ['\ufffd', 'a'], attributes })),
  })
  const viewer = { username: 'ada', groups: ['a'], attributes: { department: 'R&D' } }
  expect(await store.authenticate('ada', 'secret')).toEqual({ ok: true, viewer })
})

test('an answer with thousands of mistakes gets a short error message', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name${index}`, [index]]))
  const store = await openStore({ first: answer(JSON.stringify({ username: 'ada', attributes })) })
  await expect(store.authenticate('ada', 'secret')).rejects.toThrow(/Check attributes$/)
})

test('an early hint before the answer is ignored', async () => {
  const hint = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n')
  const store = await openStore({ first: Buffer.concat([hint, answer('{"username":"ada"}')]) })
  expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true })
})

test.each([
  ['garbage', 'garbage\r\n\r\n', 'does not match the HTTP'],
  ['early hints', 'HTTP/1.1 103 x\r\nLink: <x>\r\n\r\n'.repeat(20), 'status 1xx'],
  ['status 100', 'HTTP/1.1 100 Continue\r\n\r\n', 'UND_ERR_SOCKET'],
])('a request that got %s on a kept connection is not retried', async (_what, next, words) => {
  const store = await openStore({ first: answer('{"username":"ada"}'), next })
  expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true })
  // Only then is the connection free again.
  await setImmediate()
  await expect(store.authenticate('ada', 'secret')).rejects.toThrow(words)
  expect(store.requests).toHaveLength(2)
})
