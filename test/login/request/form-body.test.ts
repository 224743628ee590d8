import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { formBody, parseAnyForm } from '../../../src/login/request/form-body.ts'
import { createHttpServer, listen } from '../../../src/server/http-server.ts'

const FORM = 'application/x-www-form-urlencoded'
const TYPES = [
  FORM,
  `${FORM};charset=UTF-8`,
  `${FORM}; charset=utf-8`,
  `${FORM.toUpperCase()}`,
  `${FORM};charset=latin1`,
]

interface Readers {
  readonly port: number
  /** What each reader passed on, by path: the fields, or the type of the error. */
  readonly results: Record<string, unknown[]>
}

/** Starts a server with the app's reader at /short, and with body-parser alone at /any. */
async function startReaders(): Promise<Readers> {
  const results: Record<string, unknown[]> = { '/short': [], '/any': [] }
  const answer: RequestHandler = (req, res) => {
    results[req.path]?.push(req.body)
    res.json({ fields: req.body, names: Object.keys(req.body ?? {}) })
  }
  const refuse: ErrorRequestHandler = (error: { type: string }, req, res, _next) => {
    results[req.path]?.push(error.type)
    res.status(400).json({ type: error.type })
  }
  const app = express().post('/short', formBody, answer).post('/any', parseAnyForm, answer).use(refuse)
  const server = createHttpServer(app)
  onTestFinished(() => void server.close())
  return { port: await listen(server, 0, '127.0.0.1'), results }
}

/** Posts in two packets, split at a share of the body. Returns the whole answer without its date. */
async function posted(port: number, path: string, headers: string, body: Buffer, split = 1): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  const end = Math.floor(split * body.length)
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`
  socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, end)]))
  if (end < body.length) setImmediate(() => socket.write(body.subarray(end)))
  return (await text(socket)).replace(/Date: .*/, '')
}

function headersOf(type: string, length: number): string {
  return `Content-Type: ${type}\r\nContent-Length: ${length}`
}

const NAMES = [
  'username',
  'password',
  'hashConsumer',
  'x',
  'constructor',
  'toString',
  '__proto__',
  '',
  'a[]',
  '[a]',
  '[0]',
  'a.b',
  'user%6Eame',
  '%5B%5D',
]
const VALUES = [
  '',
  'a+b',
  '%2B+%20',
  '%E2%9C%93',
  'ä',
  '%FF',
  '%',
  '%00',
  '%EF%BB%BF',
  '\ufeff',
  'a=b',
  ']=',
  '%5D=',
  '%5B%5D%3D',
  '&',
  '=',
  '%u0041',
  '&#9731;',
  '*-._~!',
]
const anyValue = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ unit: 'binary' }).map((value) => encodeURIComponent(value.toWellFormed())),
)
const anyField = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom('=', '=', '=', ''), anyValue)
  .map((parts) => parts.join(''))
const oddForm = fc.array(anyField, { maxLength: 22 }).map((fields) => Buffer.from(fields.join('&')))
const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
const usualForm = fc
  .dictionary(fc.constantFrom('username', 'password', 'hashConsumer', 'toString', 'constructor'), anyText)
  .map((fields) => new URLSearchParams(fields).toString())
  .map((form) => Buffer.from(form))
const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes))

test('the reader of short forms gives the same fields and errors as body-parser', async () => {
  const { port } = await startReaders()
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TYPES),
      fc.oneof(usualForm, oddForm, anyBytes),
      share,
      async (type, body, split) => {
        const send = (path: string) => posted(port, path, headersOf(type, body.length), body, split)
        expect(await send('/short')).toBe(await send('/any'))
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)

test.each([
  ['8,192 bytes', `x=${'a'.repeat(8190)}`, '200 OK'],
  ['8,193 bytes', `x=${'a'.repeat(8191)}`, '400 Bad Request'],
  ['20 fields', Array.from({ length: 20 }, (_, index) => `${'x'.repeat(index + 1)}=1`).join('&'), '200 OK'],
  ['21 fields', Array.from({ length: 21 }, (_, index) => `${'x'.repeat(index + 1)}=1`).join('&'), '400 Bad Request'],
  ['a repeated field', 'username=a&username=b', '200 OK'],
  ['a field __proto__', '__proto__=a&username=b', '200 OK'],
  ['the bytes %FF', 'username=%FF', '400 Bad Request'],
  ['nothing', '', '200 OK'],
  ['spaces, brackets and other characters', 'username=a+b%20%2B%5D%3D%5B&password=%C3%A4%EF%BB%BF%00', '200 OK'],
])('a form of %s is read as by body-parser', async (_case, form, status) => {
  const { port } = await startReaders()
  const send = (path: string) => posted(port, path, headersOf(FORM, form.length), Buffer.from(form))
  const answer = await send('/short')
  expect(answer).toContain(`HTTP/1.1 ${status}\r\n`)
  expect(answer).toBe(await send('/any'))
})

test.each([
  ['a compressed form', `${headersOf(FORM, 3)}\r\nContent-Encoding: gzip`, 'a=b'],
  ['a form in chunks', `Content-Type: ${FORM}\r\nTransfer-Encoding: chunked`, '3\r\na=b\r\n0\r\n\r\n'],
  ['a form after Expect: 100-continue', `${headersOf(FORM, 3)}\r\nExpect: 100-continue`, 'a=b'],
  ['a body that is longer than its Content-Length', headersOf(FORM, 3), 'a=bc=d'],
])('%s is answered as by body-parser', async (_case, headers, body) => {
  const { port } = await startReaders()
  const send = (path: string) => posted(port, path, headers, Buffer.from(body))
  const answer = await send('/short')
  expect(answer).toMatch(/^HTTP\/1\.1 /)
  expect(answer).toBe(await send('/any'))
})

test.each([
  ['before its form', ''],
  ['in the middle of its form', 'username=a'],
])('a client that disconnects %s is one aborted request, as by body-parser', async (_case, part) => {
  const { port, results } = await startReaders()
  for (const path of ['/short', '/any']) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${headersOf(FORM, 50)}\r\n\r\n${part}`, () => socket.destroy())
    await once(socket, 'close')
    await expect.poll(() => results[path]).toEqual(['request.aborted'])
  }
})
