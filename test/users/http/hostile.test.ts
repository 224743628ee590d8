import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import { openHttpStore } from '../../../src/users/http/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'

/** A login service that sends bytes, and not always HTTP. */

const TIMEOUT_MS = 2_000
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

interface Script {
  /** Sent when a question came. */
  readonly first?: string | Buffer
  /** Then sent again and again. */
  readonly again?: string
  /** Sent to every further question on the same connection. */
  readonly next?: string
}

async function openStore({ first = '', again, next }: Script) {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const onQuestion = async (socket: Socket) => {
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
        void onQuestion(socket)
        if (next !== undefined) socket.on('data', () => socket.write(next))
      })
    socket.on('data', (question) => asked.push(question.toString()))
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
  return Object.assign(store, { asked })
}

function answer(body: string | Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ])
}

test.each([
  ['changes the protocol', { first: 'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n' }, 'status 101'],
  ['says for ever that it goes on', { again: 'HTTP/1.1 100 Continue\r\n\r\n' }, 'status 1xx again and again'],
  ['gives hints for ever', { again: 'HTTP/1.1 103 x\r\nLink: <x>\r\n\r\n' }, 'status 1xx again and again'],
  ['answers in crumbs for ever', { first: CHUNKED, again: '1\r\n \r\n' }, 'too long'],
  ['answers for ever', { first: CHUNKED, again: `fff8\r\n${' '.repeat(65_528)}\r\n` }, 'too long'],
  ['has a header without end', { first: 'HTTP/1.1 200 OK\r\nX: ', again: 'x' }, 'HPE_HEADER_OVERFLOW'],
])('a service that %s is left within its time', async (_what, script, words) => {
  const store = await openStore(script)
  const before = performance.now()
  const signIn = store.authenticate('ada', 'PASSWORDMARKER')
  await expect(signIn).rejects.toThrow(words)
  await expect(signIn).rejects.toThrow(UpstreamError)
  expect(performance.now() - before).toBeLessThan(TIMEOUT_MS / 2)
})

test.each([
  ['in another charset than UTF-8', Buffer.from('{"username":"m\u00fcller"}', 'latin1'), 'JSON in UTF-8'],
  ['that the service itself could not read', Buffer.from('{"username":"m\ufffdller"}'), 'U+FFFD'],
])('a name %s could be that of several viewers, and signs nobody in', async (_what, body, words) => {
  const store = await openStore({ first: answer(body) })
  await expect(store.authenticate('m\u00f6ller', 'secret')).rejects.toThrow(words)
})

test('values and groups that the service itself could not read are left out', async () => {
  const attributes = { seat: '1\ufffd', department: 'R&D' }
  const store = await openStore({
    first: answer(JSON.stringify({ username: 'ada', groups: ['\ufffd', 'a'], attributes })),
  })
  const viewer = { username: 'ada', groups: ['a'], attributes: { department: 'R&D' } }
  expect(await store.authenticate('ada', 'secret')).toEqual({ ok: true, viewer })
})

test('what is wrong with an answer is said in a few words, however much it is', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name${index}`, index]))
  const store = await openStore({ first: answer(JSON.stringify({ username: 'ada', attributes })) })
  await expect(store.authenticate('ada', 'secret')).rejects.toThrow(/Check attributes$/)
})

test('a hint in front of the answer is passed over', async () => {
  const hint = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n')
  const store = await openStore({ first: Buffer.concat([hint, answer('{"username":"ada"}')]) })
  expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true })
})

test.each([
  ['garbage', 'garbage\r\n\r\n', 'HPE_INVALID_CONSTANT'],
  ['hints for ever', 'HTTP/1.1 103 x\r\nLink: <x>\r\n\r\n'.repeat(20), 'status 1xx'],
])('a question to which %s came on a kept connection is not asked again', async (_what, next, words) => {
  const store = await openStore({ first: answer('{"username":"ada"}'), next })
  expect(await store.authenticate('ada', 'secret')).toMatchObject({ ok: true })
  await expect(store.authenticate('ada', 'secret')).rejects.toThrow(words)
  expect(store.asked).toHaveLength(2)
})
