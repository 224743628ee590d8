import { createPublicKey } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoggedRequest } from '../../../src/tools/emulator/developer/request-log.ts'
import { type Service, startService } from './player/service.ts'
import { PUBLIC_KEY } from './token/token-service.ts'

let lenient: Service
let strict: Service

beforeAll(async () => {
  lenient = await startService()
  strict = await startService({ isStrict: true })
})
afterAll(async () => {
  await lenient.close()
  await strict.close()
})

interface Sent {
  readonly path: string
  readonly init?: RequestInit
}
type Prepare = (service: Service) => Sent | Promise<Sent>

const RANGE = 'date_time_from=2026-01-01T00:00:00%2B00:00&date_time_to=2026-01-02T00:00:00%2B00:00'

function firstClient({ emulator }: Service) {
  const [client] = emulator.seed.clients
  if (client === undefined) throw new Error('The seed has no client')
  return client
}

function tokenRequest(service: Service, credential: string, fields: Record<string, string> = {}): Sent {
  const { client_id } = firstClient(service)
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, ...fields })
  return { path: '/oauth2/token', init: { method: 'POST', body, headers: { Authorization: `Basic ${credential}` } } }
}

function standardCredential(service: Service): string {
  const { client_id, client_secret } = firstClient(service)
  return Buffer.from(`${client_id}:${client_secret}`).toString('base64')
}

async function tokenOf(service: Service, type: 'bearer' | 'jwt'): Promise<string> {
  const { path, init = {} } = tokenRequest(service, standardCredential(service), { token_type: type })
  const answer = (await (await service.request(path, init)).json()) as { access_token: string }
  return answer.access_token
}

function credential(form: (secret: string, standard: string) => string): Prepare {
  return (service) => tokenRequest(service, form(firstClient(service).client_secret, standardCredential(service)))
}

function rest(method: string, path: string, { form, json }: { form?: Record<string, string>; json?: object }): Prepare {
  return async (service) => {
    const headers = { Authorization: `Bearer ${await tokenOf(service, 'bearer')}` }
    if (json === undefined) {
      return { path, init: { method, headers, ...(form !== undefined && { body: new URLSearchParams(form) }) } }
    }
    const type = { 'Content-Type': 'application/json' }
    return { path, init: { method, headers: { ...headers, ...type }, body: JSON.stringify(json) } }
  }
}

function report(path: string): Prepare {
  return async (service) => ({ path, init: { headers: { Authorization: await tokenOf(service, 'jwt') } } })
}

function authorization(redirectUri: string): Prepare {
  return (service) => {
    const { client_id } = firstClient(service)
    const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: redirectUri })
    return { path: `/authorize?${query}` }
  }
}

async function send(service: Service, prepare: Prepare) {
  const { path, init = {} } = await prepare(service)
  const answer = await service.request(path, init)
  const text = await answer.text()
  const logged = await service.request('/emulator/requests')
  const { requests } = (await logged.json()) as { requests: LoggedRequest[] }
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return { status: answer.status, body: isJson ? JSON.parse(text) : null, logged: requests[0] }
}

const VIEWER_AUTH = { auth_url: 'https://login.example/', public_key: PUBLIC_KEY }
const PKCS1_KEY = createPublicKey(PUBLIC_KEY).export({ type: 'pkcs1', format: 'pem' }).toString()
const lock = { url: 'https://login.example/', secret: 'a secret of ours' }
const LOCK = '/videos/2003/locks/hash.json'
const WITH_Z = `/v1/views?${RANGE.replaceAll('%2B00:00', 'Z')}`
const BLANK = '/v1/viewers?date_time_from=2026-01-01T00:00:00+00:00'
const inBase64 = (text: string) => Buffer.from(text).toString('base64')

const time = (parameter: string, value?: string) => ({ errors: [{ parameter, ...(value && { value }) }] })
const asJson = (path: string, json: object) => rest(path.startsWith('/users') ? 'POST' : 'PUT', path, { json })
const pkcs1 = { form: { ...VIEWER_AUTH, public_key: PKCS1_KEY } }

test.each<[string, Prepare, RegExp, string | object | null, number?]>([
  ['the bare client secret as the Basic credential', credential((secret) => secret), /secret alone/, 'invalid_client'],
  ['the secret in base64 as the Basic credential', credential(inBase64), /secret alone/, 'invalid_client'],
  [
    'a redirect_uri with another port on loopback',
    authorization('http://127.0.0.1:5000/callback'),
    /redirect_uri/,
    null,
  ],
  [
    'a JSON body for a channel',
    asJson('/users/self/channels.json', { title: 'A title' }),
    /JSON body/,
    'invalid_request',
  ],
  ['channels', rest('GET', '/users/self/channels.json', {}), /list of channels/, 'invalid_request', 405],
  [
    'a message of a lock',
    rest('PUT', LOCK, { form: { ...lock, message: 'X' } }),
    /parameter message/,
    'invalid_request',
  ],
  ['viewer auth in JSON', asJson('/channels/1002/viewer-auth.json', VIEWER_AUTH), /JSON body/, 'invalid_request'],
  ['a key in PKCS#1 form', rest('PUT', '/videos/2003/viewer-auth.json', pkcs1), /PKCS#1/, 'invalid_request'],
  [
    'a time with Z',
    report(WITH_Z),
    /time with "Z"/,
    { errors: [{ parameter: 'date_time_from' }, { parameter: 'date_time_to' }] },
  ],
  [
    'a blank for the plus sign',
    report(BLANK),
    /blank in place of "\+"/,
    time('date_time_from', '2026-01-01T00:00:00 00:00'),
  ],
  ['peaks without granularity', report(`/v1/peak-viewer-numbers?${RANGE}`), /without granularity/, time('granularity')],
  [
    'two scopes',
    (service) => tokenRequest(service, standardCredential(service), { scope: 'broadcaster x', token_type: 'mac' }),
    /scope other than "broadcaster"/,
    'invalid_scope',
  ],
  [
    'the revocation of a token',
    (service) => {
      const { path, init } = tokenRequest(service, standardCredential(service), { token: 'x' })
      return { path: `${path}/revoke`, init: init ?? {} }
    },
    /revocation/,
    'not_found',
    404,
  ],
  ['ids without a type', report(`/v1/views?${RANGE}&content_id=1001`), /"content_id"/, time('content_id', '1001')],
])(
  '%s: accepted and named in the log, or refused by a strict emulator',
  async (_what, prepare, named, error, status) => {
    const beyond_documents = [expect.stringMatching(named)]
    const accepted = await send(lenient, prepare)
    expect(accepted.status).toBeLessThan(300)
    expect(accepted.logged).toMatchObject({ verdict: 'warning', beyond_documents })
    const refused = await send(strict, prepare)
    expect(refused.status).toBe(status ?? 400)
    if (error !== null) expect(refused.body).toMatchObject(typeof error === 'string' ? { error } : error)
    expect(refused.logged).toMatchObject({
      verdict: 'refused',
      beyond_documents,
      explanation: expect.stringMatching(/strict|Method/),
    })
  },
)

test.each<[string, Prepare]>([
  ['a Basic credential of id and secret', credential((_secret, standard) => standard)],
  ['a redirect_uri that starts with the prefix', authorization('http://127.0.0.1/callback/done')],
  ['a form for a new channel', rest('POST', '/users/self/channels.json', { form: { title: 'A title' } })],
  ['a lock as a form', rest('PUT', '/videos/2003/locks/hash.json', { form: lock })],
  ['a lock as JSON, because the documents leave it open', rest('PUT', '/videos/2003/locks/hash.json', { json: lock })],
  ['viewer auth as a form', rest('PUT', '/channels/1002/viewer-auth.json', { form: VIEWER_AUTH })],
  ['times with an offset', report(`/v1/views?${RANGE}&_limit=5`)],
  ['times without an offset', report('/v1/viewers?date_time_from=2026-01-01T00:00:00')],
  ['all parameters of peaks', report(`/v1/peak-viewer-numbers/live?${RANGE}&granularity=hour&content_id=1001`)],
])('%s: accepted by a strict emulator, with nothing in the log', async (_what, prepare) => {
  const accepted = await send(strict, prepare)
  expect(accepted.status).toBeLessThan(300)
  expect(accepted.logged).toMatchObject({ verdict: 'answered', beyond_documents: [] })
})

test('a strict emulator refuses refresh tokens and PKCE', async () => {
  const { client_id } = firstClient(strict)
  const fields = { grant_type: 'refresh_token', refresh_token: 'ab'.repeat(20) }
  const refused = await send(strict, (service) => tokenRequest(service, standardCredential(service), fields))
  expect([refused.status, refused.body]).toEqual([501, { error: 'unsupported_grant_type' }])
  const redirect_uri = 'http://127.0.0.1/callback'
  const code_challenge = 'c'.repeat(43)
  const query = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', code_challenge })
  const { headers } = await strict.request(`/authorize?${query}`)
  expect(headers.get('location')).toBe(`${redirect_uri}?error=invalid_request`)
})

test.each([
  ['lenient', 'bearer'],
  ['strict', 'jwt'],
])('a %s emulator names a JWT %s', async (which, name) => {
  const service = which === 'strict' ? strict : lenient
  const { body } = await send(service, () => tokenRequest(service, standardCredential(service), { token_type: 'jwt' }))
  expect(body.token_type).toBe(name)
})

test('a strict emulator does not redirect an error to an address unlike the registered prefix', async () => {
  const { client_id } = firstClient(strict)
  const query = new URLSearchParams({ client_id, redirect_uri: 'http://127.0.0.1:5000/callback', response_type: 'x' })
  expect((await lenient.request(`/authorize?${query}`.replace(client_id, firstClient(lenient).client_id))).status).toBe(
    303,
  )
  const refused = await strict.request(`/authorize?${query}`)
  expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
})

test('the page of the request log names what is beyond the documents', async () => {
  await send(lenient, report(WITH_Z))
  const page = await lenient.request('/emulator/requests', { headers: { Accept: 'text/html' } })
  expect(await page.text()).toContain('Beyond the documents: a time with &#34;Z&#34;')
})
