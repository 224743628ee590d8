import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { UpstreamError } from '../../../src/errors.ts'
import { openHttpStore } from '../../../src/users/http/store.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { startExampleService } from './example-service.ts'

const FILE = fileURLToPath(new URL('../../../src/users/http/openapi.yaml', import.meta.url))
const JsonSchema = z.looseObject({ examples: z.array(z.unknown()).optional() })
const Content = z.object({ 'application/json': z.object({ schema: JsonSchema }) })
const Operation = z.object({
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ content: Content.optional(), headers: z.record(z.string(), z.unknown()).optional() }),
  ),
})
const Path = z.object({ post: Operation, head: Operation })
const Description = z.object({ paths: z.object({ '/sign-in': Path, '/find': Path }) })

/** Most statuses that a server sends. */
const STATUSES = [...range(200, 206), ...range(300, 308), ...range(400, 431), ...range(500, 511)]

const validator = new Validator()
const validation = await validator.validate(readFileSync(FILE, 'utf8'))
const { paths } = Description.parse(validator.resolveRefs())

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Returns the schema of a body. */
const schemaOf = (body: { content?: z.infer<typeof Content> | undefined } | undefined) =>
  body?.content?.['application/json'].schema ?? expect.unreachable()
/** True if the schema accepts the value. */
const accepts = (schema: z.infer<typeof JsonSchema>, value: unknown) =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success

/** The name that the store keeps from an example of a refusal. */
const storedNameOf = (example: unknown) => {
  const { username } = z.object({ username: z.string().optional() }).parse(example)
  return username === undefined ? {} : { storedName: username }
}

interface Answer {
  status: number
  body: string
  headers: Record<string, string>
}
type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }

/** Opens a store on a service that gives every request the same answer, which a test may change. */
async function openStore() {
  const answer: Answer = { status: 401, body: '{}', headers: {} }
  const seen: Seen[] = []
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const body = Buffer.concat(await req.toArray()).toString()
    seen.push({ method: req.method, url: req.url, headers: req.headers, body })
    res.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers }).end(answer.body)
  }
  const server = createServer((req, res) => void handle(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const addresses = { url: `${origin}/sign-in`, findUrl: `${origin}/find` }
  const store = openHttpStore({ kind: 'http', ...addresses, token: 'x', timeoutMs: 5_000, ca: null })
  onTestFinished(async () => {
    await store.close()
    server.closeAllConnections()
    server.close()
  })
  return { store, answer, seen }
}

const signIn = (store: UserStore) => store.authenticate('ada@example.com', 'seven quiet herons')
const find = (store: UserStore) => store.find?.('ada@example.com')

test('openapi.yaml is valid OpenAPI 3.1', () => {
  expect(validation).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every request of the HTTP store is in openapi.yaml', async () => {
  const { store, seen } = await openStore()
  await signIn(store)
  await store.authenticate('  Ömil 😀 ', 'x'.repeat(8192))
  await store.authenticate('Ömil 😀', 'x'.repeat(8192))
  await store.authenticate('a'.repeat(256), 'x')
  await store.authenticate('ada@example.com', '')
  await store.authenticate('ada@example.com', 'x'.repeat(8193))
  await find(store)?.catch(() => {})
  await store.findByAddress?.('mail', 'ada@example.com').catch(() => {})
  await store.checkHealth()
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /sign-in',
    'POST /sign-in',
    'POST /find',
    'POST /find',
    'HEAD /find',
  ])
  for (const { method, url, headers, body } of seen) {
    expect(headers).toMatchObject({ authorization: 'Bearer x', accept: 'application/json' })
    if (method !== 'POST') continue
    expect(headers['content-type']).toBe('application/json')
    expect(accepts(schemaOf(paths[url as keyof typeof paths].post.requestBody), JSON.parse(body))).toBe(true)
  }
})

test('the HTTP store understands every answer in openapi.yaml, and takes any other for a fault', async () => {
  const { store, answer } = await openStore()
  const meanings = {
    '/sign-in': { call: signIn, '401': 'wrong-credentials', '403': 'disabled' } as Record<string, unknown>,
    '/find': { call: find, '403': null, '404': null } as Record<string, unknown>,
  }
  for (const [path, { post }] of Object.entries(paths)) {
    const meaning = meanings[path as keyof typeof meanings]
    for (const status of STATUSES) {
      answer.status = status
      const got: unknown = await (meaning.call as typeof signIn)(store).then(
        (result) => (result && 'reason' in result ? result.reason : result),
        (error: unknown) => error,
      )
      const isGateway = status >= 502 && status <= 504
      expect([path, status, status in post.responses]).toEqual([
        path,
        status,
        isGateway || status === 200 || (path === '/find' && [401, 409].includes(status)) || String(status) in meaning,
      ])
      if (String(status) in meaning) expect([status, got]).toEqual([status, meaning[String(status)]])
      else expect([status, got]).toEqual([status, expect.any(UpstreamError)])
    }
  }
})

test('409 answers an address of several viewers', async () => {
  const { store, answer } = await openStore()
  answer.status = 409
  expect(await store.findByAddress?.('mail', 'ada@example.com')).toBe('several')
})

test('an answer with the header of a wrong token is a fault, not a wrong password', async () => {
  const { store, answer } = await openStore()
  Object.assign(answer.headers, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
  for (const status of [401, 403]) {
    answer.status = status
    expect(paths['/sign-in'].post.responses[status]?.headers).toHaveProperty('WWW-Authenticate')
    await expect(signIn(store)).rejects.toThrow(UpstreamError)
    await expect(find(store)).rejects.toThrow(UpstreamError)
  }
})

test.each([
  [{ username: 'ada' }, true],
  [{ username: 'ada', groups: ['a', 'b'], attributes: { seat: '12' }, id: 7 }, true],
  [{ username: 'a'.repeat(255) }, true],
  [{ username: 'a'.repeat(256) }, false],
  [{ username: '' }, false],
  [{ username: 12 }, false],
  [{ name: 'ada' }, false],
  [{ username: 'ada', groups: 'staff' }, false],
  [{ username: 'ada', groups: [1, true] }, true],
  [{ username: 'ada', groups: [['a']] }, false],
  [{ username: 'ada', groups: null, attributes: null }, true],
  [{ username: 'ada', attributes: [] }, true],
  [{ username: 'ada', attributes: ['12'] }, false],
  [{ username: 'ada', attributes: { seat: 12, isStaff: true, row: null } }, true],
  [{ username: 'ada', attributes: { seat: { row: 1 } } }, false],
  [[{ username: 'ada' }], false],
  ['ada', false],
])('openapi.yaml and the HTTP store agree about the viewer %j', async (viewer, isValid) => {
  const { store, answer } = await openStore()
  Object.assign(answer, { status: 200, body: JSON.stringify(viewer) })
  expect(accepts(schemaOf(paths['/sign-in'].post.responses[200]), viewer)).toBe(isValid)
  expect(
    await signIn(store).then(
      ({ ok }) => ok,
      () => false,
    ),
  ).toBe(isValid)
})

test('the examples in openapi.yaml are valid, and mean what they say', async () => {
  const { store, answer } = await openStore()
  const { responses } = paths['/sign-in'].post
  for (const example of schemaOf(responses[200]).examples ?? []) {
    Object.assign(answer, { status: 200, body: JSON.stringify(example) })
    expect(await signIn(store)).toMatchObject({ ok: true, viewer: { username: 'ada@example.com' } })
  }
  const refusals = schemaOf(responses[403]).examples ?? []
  const reasons = []
  for (const example of refusals) {
    Object.assign(answer, { status: 403, body: JSON.stringify(example) })
    expect(accepts(schemaOf(responses[403]), example)).toBe(true)
    reasons.push(await signIn(store))
  }
  for (const example of schemaOf(responses[401]).examples ?? []) {
    Object.assign(answer, { status: 401, body: JSON.stringify(example) })
    expect(accepts(schemaOf(responses[401]), example)).toBe(true)
    const named = await store.authenticate('4711', 'wrong')
    expect(named).toEqual({ ok: false, reason: 'wrong-credentials', ...storedNameOf(example) })
  }
  expect(reasons).toEqual([
    { ok: false, reason: 'expired-password' },
    { ok: false, reason: 'disabled' },
  ])
})

test('the example service gives the answers of openapi.yaml', async () => {
  const settings = await startExampleService()
  const store = openHttpStore(settings)
  onTestFinished(() => store.close())
  await store.checkHealth()
  expect(await store.authenticate('ADA@example.com', 'seven quiet herons')).toEqual({
    ok: true,
    viewer: { username: 'Ada@example.com', groups: ['staff'], attributes: { seat: '12' } },
  })
  expect(await store.find?.('ada@example.com')).toMatchObject({ groups: ['staff'] })
  const refused = { ok: false, reason: 'wrong-credentials' }
  expect(await store.authenticate('ada@example.com', 'wrong')).toEqual(refused)
  expect(await store.authenticate('__proto__', 'seven quiet herons')).toEqual(refused)
  expect(await store.authenticate('gone@example.com', 'wrong')).toEqual(refused)
  expect(await store.authenticate('gone@example.com', 'seven quiet herons')).toMatchObject({ reason: 'disabled' })
  expect(await store.find?.('gone@example.com')).toBeNull()
  const stranger = openHttpStore({ ...settings, token: 'guessed' })
  onTestFinished(() => stranger.close())
  await expect(signIn(stranger)).rejects.toThrow(UpstreamError)
  const headers = { Authorization: `Bearer ${settings.token}` }
  expect((await fetch(settings.url, { method: 'POST', headers, body: 'no JSON' })).status).toBe(400)
  expect((await fetch(settings.url, { headers })).status).toBe(405)
})

test.each([
  ['of a viewer, in another letter case', 'mail', 'grace@example.com', '4711'],
  ['that is only a user name', 'mail', 'ada@example.com', null],
  ['in another attribute', 'seat', 'grace@example.com', null],
  ['of several viewers', 'mail', 'desk@example.com', 'several'],
])('the example service looks up an address %s', async (_what, attribute, address, found) => {
  const store = openHttpStore(await startExampleService())
  onTestFinished(() => store.close())
  const owner = await store.findByAddress?.(attribute, address)
  expect(owner).toEqual(found === null || found === 'several' ? found : await store.find?.(found))
})

test.each([
  ['another name', '{"username":"4711"}', { storedName: '4711' }],
  ['the typed name', '{"username":"ADA@EXAMPLE.COM"}', {}],
  ['a name that is not allowed', '{"username":"a|b"}', {}],
  ['a number', '{"username":4711}', {}],
  ['no JSON', 'Unauthorized', {}],
])('a refusal with %s names the account only if it has another name', async (_what, body, named) => {
  const { store, answer } = await openStore()
  Object.assign(answer, { status: 401, body })
  expect(await signIn(store)).toEqual({ ok: false, reason: 'wrong-credentials', ...named })
  Object.assign(answer, { status: 403, body })
  expect(await signIn(store)).toEqual({ ok: false, reason: 'disabled', ...named })
})

test('a name of the wrong type does not hide the reason of a refusal', async () => {
  const { store, answer } = await openStore()
  Object.assign(answer, { status: 403, body: '{"reason":"expired-password","username":4711}' })
  expect(await signIn(store)).toEqual({ ok: false, reason: 'expired-password' })
})
