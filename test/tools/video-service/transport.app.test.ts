import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  ServiceRefusal,
  ServiceUnreachable,
  UnexpectedAnswer,
} from '../../../src/tools/video-service/service-errors.ts'
import { createTransport, readJson } from '../../../src/tools/video-service/transport.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { closedAddress, startService } from './test-service.ts'

const send = createTransport({ firstWaitMs: 1 })
const SECRET = 'Bearer 0123456789012345678901234567890123456789'

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function failure(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error)) throw new Error('The work succeeded')
  expect(error.message).not.toContain(SECRET)
  return error
}

describe('a retry', () => {
  test('a request is sent up to three times while the service answers server_error', async () => {
    let asked = 0
    const url = await startService((_req, res) => {
      asked += 1
      json(res, asked < 3 ? 503 : 200, asked < 3 ? { error: 'server_error' } : { ok: true })
    })
    expect(await send({ method: 'POST', url, form: { a: 'b' } })).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(asked).toBe(3)
    const always = await startService((_req, res) => {
      asked += 1
      json(res, 503, { error: 'server_error' })
    })
    expect(await failure(send({ method: 'GET', url: always }))).toMatchObject({ error: 'server_error', status: 503 })
    expect(asked).toBe(6)
  })

  test.each([
    ['status 429 with Retry-After', (res: ServerResponse) => res.writeHead(429, { 'retry-after': '0' }).end()],
    ['status 500', (res: ServerResponse) => json(res, 500, { errors: [{ detail: 'later' }] })],
    ['status 502 of a proxy', (res: ServerResponse) => res.writeHead(502, { 'content-type': 'text/html' }).end('<p>')],
    ['a lost connection', (res: ServerResponse) => res.destroy()],
    [
      'half an answer',
      (res: ServerResponse) => res.writeHead(200, { 'content-length': '100' }).write('{', () => res.destroy()),
    ],
  ])('a question is sent again up to five times after %s', async (_what, fail) => {
    let asked = 0
    const url = await startService((_req, res) => {
      asked += 1
      if (asked < 6) fail(res)
      else json(res, 200, { ok: true })
    })
    expect(await send({ method: 'GET', url, isQuestion: true })).toMatchObject({ status: 200 })
    asked = -1_000
    await failure(send({ method: 'GET', url, isQuestion: true }))
    expect(asked).toBe(-994)
    await failure(send({ method: 'GET', url }))
    expect(asked).toBe(-993)
  })

  test.each([
    { 'retry-after': '61' },
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 120) },
  ])('a question does not wait longer than a minute: %j', async (headers) => {
    let asked = 0
    const url = await startService((_req, res) => {
      asked += 1
      res.writeHead(429, headers).end()
    })
    expect(await failure(send({ method: 'GET', url, isQuestion: true }))).toMatchObject({ status: 429 })
    expect(asked).toBe(1)
  })

  test('an error shows its detail and the pointer to its source', async () => {
    const errors = [
      { status: '400', title: 'Invalid', detail: 'is too long', source: { pointer: '/query/date_time_to' } },
    ]
    const url = await startService((_req, res) => json(res, 400, { errors }))
    expect(await failure(send({ method: 'GET', url }))).toMatchObject({
      description: '/query/date_time_to: is too long',
    })
  })

  test('a request is sent again when its connection was refused', async () => {
    const url = await closedAddress()
    const fetch = vi.fn(globalThis.fetch)
    const error = await failure(createTransport({ fetch, firstWaitMs: 1 })({ method: 'POST', url }))
    expect(error).toBeInstanceOf(ServiceUnreachable)
    expect(error).toMatchObject({ reason: 'connection', message: expect.stringContaining('ECONNREFUSED') })
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  test.each([
    ['a connection that broke off after sending', (res: ServerResponse) => res.destroy()],
    ['a 503 of another kind', (res: ServerResponse) => json(res, 503, { error: 'maintenance' })],
    ['a refusal', (res: ServerResponse) => json(res, 400, { error: 'invalid_request' })],
    ['a wrong credential', (res: ServerResponse) => res.writeHead(401).end()],
  ])('a request is not sent again after %s', async (_case, answer) => {
    let asked = 0
    const url = await startService((_req, res) => {
      asked += 1
      answer(res)
    })
    await failure(send({ method: 'PUT', url, form: { secret: 'x' } }))
    expect(asked).toBe(1)
  })
})

describe('a missing answer', () => {
  test('a request without an answer fails after the timeout, which the message names', async () => {
    const url = await startService(() => {})
    const error = await failure(send({ method: 'GET', url, timeoutMs: 60 }))
    expect(error).toMatchObject({ reason: 'timeout', message: `${url.origin} did not answer within 0.06 s` })
  })

  test('a request whose answer stops half way fails after the timeout', async () => {
    const url = await startService((_req, res) => void res.writeHead(200, { 'content-length': '100' }).write('{"a":'))
    expect(await failure(send({ method: 'GET', url, timeoutMs: 200 }))).toMatchObject({ reason: 'timeout' })
  })

  test('an answer that is too long is refused before its end', async () => {
    const url = await startService((_req, res) => {
      const more = () => {
        while (res.write('x'.repeat(65_536)));
        res.once('drain', more)
      }
      res.writeHead(200)
      more()
    })
    const error = await failure(send({ method: 'GET', url }))
    expect(error).toBeInstanceOf(UnexpectedAnswer)
    expect(error.message).toContain('more than 8 MiB')
    const exact = await startService((_req, res) => void res.end('x'.repeat(1_000)))
    expect((await send({ method: 'GET', url: exact, mostBytes: 1_000 })).body).toHaveLength(1_000)
    expect(await failure(send({ method: 'GET', url: exact, mostBytes: 999 }))).toBeInstanceOf(UnexpectedAnswer)
  })

  test('an abort ends a request, and the wait before a retry', async () => {
    const url = await startService((_req, res) => json(res, 503, { error: 'server_error' }))
    const hanging = await startService(() => {})
    for (const address of [url, hanging]) {
      const stop = new AbortController()
      const sent = createTransport({ firstWaitMs: 60_000 })({ method: 'GET', url: address, signal: stop.signal })
      setTimeout(() => stop.abort(), 100)
      expect((await failure(sent)).name).toBe('AbortError')
    }
  })

  test('an untrusted certificate fails with advice', async () => {
    const folder = temporaryFolder()
    const key = join(folder, 'key.pem')
    const cert = join(folder, 'cert.pem')
    const subject = ['-subj', '/CN=service.example', '-days', '2', '-keyout', key, '-out', cert]
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject]
    execFileSync('openssl', args, { stdio: 'ignore' })
    const tls = { key: readFileSync(key), cert: readFileSync(cert) }
    const url = await startService((_req, res) => res.end('{}'), tls)
    const error = await failure(send({ method: 'GET', url, headers: { Authorization: SECRET } }))
    expect(error).toMatchObject({ reason: 'certificate' })
    expect(error.message).toMatch(/^The certificate of https:\/\/127\.0\.0\.1:\d+ .*NODE_EXTRA_CA_CERTS$/)
  })
})

describe('an error answer', () => {
  const ERRORS: [string, number, string, object][] = [
    [
      '{"error":"invalid_type","error_description":"not\\u001b[2J an address"}',
      400,
      'a token or REST error',
      { error: 'invalid_type', description: 'not [2J an address' },
    ],
    [
      '{"errors":[{"parameter":"_limit","message":"is too large"},{"code":7}]}',
      400,
      'a report error',
      { error: 'bad_request', description: '_limit: is too large; {"code":7}' },
    ],
    ['{"errors":[{"message":"The token has expired"}]}', 401, 'a report error', { error: 'unauthorized' }],
    ['<response><error>lack_of_ownership</error></response>', 403, 'an XML error', { error: 'lack_of_ownership' }],
    ['', 401, 'no body', { error: 'unauthorized' }],
    ['<h1>Slow down</h1>', 429, 'a web page of a gateway', { error: 'too_many_requests' }],
    ['{"errors":[{"message":"Slow down"}]}', 429, 'a report error', { error: 'too_many_requests' }],
  ]
  test.each(ERRORS)('%s (%i): %s becomes a refusal with its error value', async (body, status, _what, expected) => {
    const url = await startService((_req, res) => res.writeHead(status).end(body))
    const error = await failure(send({ method: 'GET', url, headers: { Authorization: SECRET } }))
    expect(error).toBeInstanceOf(ServiceRefusal)
    expect(error).toMatchObject({ status, ...expected })
  })

  test('an error that is nested too deeply becomes a refusal as well', async () => {
    const deep = `{"errors":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`
    const url = await startService((_req, res) => res.writeHead(400).end(deep))
    expect(await failure(send({ method: 'GET', url }))).toMatchObject({ description: 'an unreadable error' })
  })

  test('an error message shows no secret that the service repeats', async () => {
    const url = await startService(async (req, res) => {
      const body = Buffer.concat(await req.toArray()).toString()
      const [, basic = ''] = (req.headers.authorization ?? '').split(' ')
      const words = `wrong: ${req.headers.authorization}; ${Buffer.from(basic, 'base64')}; ${body}`
      json(res, 400, { error: basic, error_description: words })
    })
    const credential = Buffer.from('client:quiet-heron').toString('base64')
    const form = {
      client_secret: 'loud-heron',
      password: 'a heron & more',
      secret: 'third-heron',
      code: 'fourth-heron',
    }
    const error = await failure(send({ method: 'POST', url, headers: { Authorization: `Basic ${credential}` }, form }))
    expect(error).toMatchObject({ error: '…', description: expect.stringContaining('client_secret=…&') })
    expect(error.message).not.toMatch(/heron/)
    expect(error.message).not.toContain(credential)
  })

  test('an error answer of an unknown format is reported with its address, without the query', async () => {
    const url = await startService((_req, res) => res.writeHead(502).end('<h1>Bad gateway</h1>'))
    const error = await failure(send({ method: 'GET', url: new URL('/v1/views?viewer_identifier=ada', url) }))
    expect(error).toBeInstanceOf(UnexpectedAnswer)
    expect(error.message).toContain(`${url.origin} answered /v1/views with status 502`)
    expect(error.message).not.toContain('ada')
  })

  test('a redirect is not followed, so that the credentials go nowhere else', async () => {
    let asked = 0
    const other = await startService((_req, res) => {
      asked += 1
      res.end('{}')
    })
    const url = await startService((_req, res) => res.writeHead(307, { location: other.href }).end())
    const error = await failure(send({ method: 'POST', url, headers: { Authorization: SECRET }, form: { a: 'b' } }))
    expect(error).toBeInstanceOf(UnexpectedAnswer)
    expect(error.message).toContain('307')
    expect(asked).toBe(0)
  })
})

describe('reading JSON', () => {
  const Schema = z.object({ lock: z.object({ url: z.string() }) })
  test.each([
    ['a web page', 'text/html; charset=utf-8', '<!doctype html>', 'a web page instead of the lock'],
    ['JSON cut short', 'application/json', '{"lock":{"url":"ht', 'instead of the lock'],
    ['another form', 'application/json', '{"lock":{"uri":1}}', 'lock.url'],
    ['no object at all', 'application/json', '[]', 'the whole answer'],
  ])('%s is refused with a message', (_case, contentType, body, said) => {
    const read = () => readJson(Schema, { status: 200, contentType, body }, 'the lock')
    expect(read).toThrow(UnexpectedAnswer)
    expect(read).toThrow(said)
  })
})
