import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type ErrorRequestHandler } from 'express'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { formBody } from '../../../src/login/request/form-body.ts'
import { createHttpServer, listen } from '../../../src/server/http-server.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Starts a server that answers with the fields of a form, or with 400 and the type of the error. */
async function startReader(): Promise<{ port: number; faults: unknown[] }> {
  const faults: unknown[] = []
  const refuse: ErrorRequestHandler = (error: { type: string }, _req, res, _next) => {
    faults.push(error.type)
    res.status(400).json({ type: error.type })
  }
  // Twice, as for routes with the same address.
  const app = express()
    .post('/', formBody, formBody, (req, res) => void res.json(req.body ?? null))
    .use(refuse)
  const server = createHttpServer(app)
  onTestFinished(() => void server.close())
  return { port: await listen(server, 0, '127.0.0.1'), faults }
}

async function posted(port: number, headers: string, body: string | Uint8Array) {
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n\r\n`)
  socket.write(body)
  const answer = await text(socket)
  return [Number(answer.split(' ')[1]), JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))] as const
}

function headersOf(length: number, type = FORM): string {
  return `Content-Type: ${type}\r\nContent-Length: ${length}`
}

const named = (count: number) => Array.from({ length: count }, (_, index) => `${'x'.repeat(index + 1)}=1`).join('&')
test.each([
  ['8,192 bytes', `x=${'a'.repeat(8190)}`, 200, { x: 'a'.repeat(8190) }],
  ['8,193 bytes', `x=${'a'.repeat(8191)}`, 400, { type: 'entity.too.large' }],
  ['20 fields', named(20), 200, expect.objectContaining({ x: '1' })],
  ['21 fields', named(21), 400, { type: 'parameters.too.many' }],
  ['a repeated field', 'username=a&username=b', 200, { username: ['a', 'b'] }],
  ['a field __proto__', '__proto__=a&username=b', 200, expect.objectContaining({ username: 'b' })],
  ['a field in brackets', 'a[b]=c', 200, { 'a[b]': 'c' }],
  ['the bytes %FF', 'username=%FF', 400, { type: 'form.unreadable' }],
  [
    'spaces, brackets and other characters',
    'username=a+b%20%2B%5D%3D%5B&password=%C3%A4%EF%BB%BF%00',
    200,
    { username: 'a b +]=[', password: 'ä\ufeff\0' },
  ],
])('a form of %s is read or refused', async (_case, form, status, fields) => {
  const { port } = await startReader()
  expect(await posted(port, headersOf(form.length), form)).toEqual([status, fields])
})

test.each([
  ['a compressed form', `${headersOf(3)}\r\nContent-Encoding: gzip`, 'a=b', [400, { type: 'encoding.unsupported' }]],
  ['a form in Latin-1', headersOf(3, `${FORM};charset=latin1`), 'a=b', [400, { type: 'charset.unsupported' }]],
  ['a form in capitals', headersOf(3, `${FORM.toUpperCase()}; charset=UTF-8`), 'a=b', [200, { a: 'b' }]],
  [
    'a form in chunks',
    `Content-Type: ${FORM}\r\nTransfer-Encoding: chunked`,
    '3\r\na=b\r\n0\r\n\r\n',
    [200, { a: 'b' }],
  ],
  ['JSON', headersOf(9, 'application/json'), '{"a":"b"}', [200, null]],
])('%s is answered', async (_case, headers, body, answer) => {
  const { port } = await startReader()
  expect(await posted(port, headers, body)).toEqual(answer)
})

test('any bytes are a form of texts, or refused', async () => {
  const { port } = await startReader()
  const Texts = expect.toSatisfy(
    (value) => typeof value === 'string' || value.every((one: unknown) => typeof one === 'string'),
  )
  const fields = fc.array(fc.constantFrom('a', '=', '&', '%', '%00', '%FF', '[]', 'ä', '__proto__'), { maxLength: 30 })
  const anyBody = fc.oneof(
    fields.map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ minLength: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const [status, answer] = await posted(port, headersOf(body.length), body)
      if (status === 200) for (const value of Object.values(answer ?? {})) expect(value).toEqual(Texts)
      else expect([status, answer.type]).toEqual([400, expect.stringMatching(/^(form|parameters)\./)])
    }),
    { numRuns: 150 },
  )
})

test.each([
  ['before its form', ''],
  ['in the middle of its form', 'username=a'],
])('a client that disconnects %s is one aborted request', async (_case, part) => {
  const { port, faults } = await startReader()
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headersOf(50)}\r\n\r\n${part}`, () => socket.destroy())
  await once(socket, 'close')
  await expect.poll(() => faults).toEqual(['request.aborted'])
})
