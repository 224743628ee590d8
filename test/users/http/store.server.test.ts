import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { HttpStoreSettings } from '../../../src/users/http/settings.ts'
import { openHttpStore } from '../../../src/users/http/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { contractViewers, userStoreContract } from '../user-store-contract.ts'
import { type Fault, type LoginService, startLoginService } from './login-service.ts'

const [ada] = contractViewers
const right = { ok: true, viewer: { username: ada.username, groups: ada.groups, attributes: ada.attributes } }
const wrong = { ok: false, reason: 'wrong-credentials' }
const TIMEOUT_MS = 600

let certificate: Certificate
let plain: LoginService
let secure: LoginService
beforeAll(async () => {
  certificate = await makeCertificate()
  plain = await startLoginService(contractViewers)
  secure = await startLoginService(contractViewers, certificate)
})
afterEach(async () => {
  await plain.misbehave({})
  await secure.misbehave({})
})
afterAll(async () => {
  await plain.halt()
  await secure.halt()
})

function settingsFor(service: LoginService, more: Partial<HttpStoreSettings> = {}): HttpStoreSettings {
  const ca = service === secure ? certificate.certificate : null
  const { token } = service
  return { kind: 'http', url: service.url(), findUrl: service.url('/find'), token, timeoutMs: 5_000, ca, ...more }
}

/** Opens a store with a timeout of 600 ms, whose circuit breaker opens for 100 ms after three failures. */
function openStore(more: Partial<HttpStoreSettings> = {}, service = plain): UserStore {
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS, failures: 3, pauseMs: 100 })
  const store = openHttpStore(settingsFor(service, { timeoutMs: TIMEOUT_MS, ...more }), { guard })
  onTestFinished(() => store.close())
  return store
}

const signIn = (store: UserStore) => store.authenticate(ada.username, ada.password)

/** Returns the time until the sign-in failed with an UpstreamError. */
async function msUntilAway(asked: Promise<unknown>): Promise<number> {
  const before = performance.now()
  await expect(asked).rejects.toThrow(UpstreamError)
  return performance.now() - before
}

userStoreContract('http on loopback, with a look-up', { finds: true, hashes: false }, () =>
  Promise.resolve(openHttpStore(settingsFor(plain))),
)
userStoreContract('https, without a look-up', { finds: false, hashes: false }, () =>
  Promise.resolve(openHttpStore(settingsFor(secure, { findUrl: null }))),
)

describe('a request to the login service', () => {
  test('a sign-in and a look-up post JSON with the token of this app', async () => {
    const store = openStore()
    await store.authenticate('E\u0301mil "the\\great" <x>', 'pass"wörd\n')
    await store.find?.('ada@example.com')
    const [signedIn, lookedUp] = (await plain.seen()).slice(-2)
    expect(signedIn).toMatchObject({ method: 'POST', path: '/sign-in' })
    expect(signedIn?.headers).toMatchObject({
      authorization: `Bearer ${plain.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    })
    expect(JSON.parse(signedIn?.body ?? '')).toEqual({ username: 'Émil "the\\great" <x>', password: 'pass"wörd\n' })
    expect(lookedUp).toMatchObject({ method: 'POST', path: '/find', body: '{"username":"ada@example.com"}' })
  })

  test('an impossible name or password is refused without a request', async () => {
    const store = openStore()
    const before = (await plain.seen()).length
    for (const password of ['', 'a\0b', '\uD800', 'x'.repeat(8193)]) {
      expect(await store.authenticate(ada.username, password)).toEqual(wrong)
    }
    for (const name of ['', 'a\r\nX-Admin: 1', 'a\0', 'x'.repeat(100_000)]) {
      expect(await store.authenticate(name, ada.password)).toEqual(wrong)
      expect(await store.find?.(name)).toBeNull()
    }
    expect(await plain.seen()).toHaveLength(before)
  })

  test('the health check sends a HEAD request without a viewer', async () => {
    await openStore().checkHealth()
    expect((await plain.seen()).at(-1)).toMatchObject({ method: 'HEAD', path: '/find', body: '' })
  })
})

describe('an answer of the login service', () => {
  test.each([
    ['another name than the viewer typed', '{"username":"4711"}', '4711', {}, []],
    [
      'a name in decomposed Unicode',
      '{"username":"E\u0301mil","groups":["Vide\u0301o","Vid\u00e9o"]}',
      'Émil',
      {},
      ['Vidéo'],
    ],
    [
      'attributes that no store can keep',
      '{"username":"a","attributes":{"__proto__":"x","username":"root","a=b":"x","line":"1\\n2","ok":"yes"}}',
      'a',
      { ok: 'yes' },
      [],
    ],
  ])('an answer with %s signs the viewer in', async (_what, body, username, attributes, groups) => {
    await plain.misbehave({ body })
    expect(await signIn(openStore())).toEqual({ ok: true, viewer: { username, groups, attributes } })
  })

  test('status 403 tells an expired password from a disabled viewer', async () => {
    await plain.misbehave({ status: 403, body: '{"reason":"expired-password"}' })
    expect(await signIn(openStore())).toEqual({ ok: false, reason: 'expired-password' })
    await plain.misbehave({ status: 403, body: 'Forbidden' })
    expect(await signIn(openStore())).toEqual({ ok: false, reason: 'disabled' })
  })

  const notAsAgreed: [what: string, fault: Fault][] = [
    ['200 with no JSON', { body: 'Hello' }],
    ['200 without a body', { body: '' }],
    ['200 with a nested viewer', { body: '{"user":{"username":"a"}}' }],
    ['200 without a user name', { body: '{"groups":[]}' }],
    ['200 with an empty user name', { body: '{"username":""}' }],
    ['200 with a user name that a response cannot carry', { body: '{"username":"a|b"}' }],
    ['200 with a lone surrogate in the user name', { body: '{"username":"\\ud800"}' }],
    ['200 with a number as user name', { body: '{"username":4711}' }],
    ['200 with an object as group', { body: '{"username":"a","groups":[{}]}' }],
    ['200 with a body over 256 KiB', { body: JSON.stringify({ username: 'a', filler: 'x'.repeat(300_000) }) }],
    ['201', { status: 201 }],
    ['204', { status: 204, body: '' }],
    ['301', { status: 301, headers: { Location: '/sign-in' } }],
    ['307, which would repeat the post', { status: 307, headers: { Location: '/sign-in' } }],
    ['400', { status: 400 }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['401 for a wrong token', { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } }],
    [
      '403 for a token with too few rights',
      { status: 403, headers: { 'WWW-Authenticate': 'bearer error=insufficient_scope' } },
    ],
  ]
  test.each(notAsAgreed)('status %s signs in no viewer and does not open the circuit breaker', async (_what, fault) => {
    const store = openStore()
    const before = (await plain.seen()).length
    await plain.misbehave(fault)
    for (let time = 0; time < 4; time += 1) await expect(signIn(store)).rejects.toThrow(UpstreamError)
    expect(await plain.seen()).toHaveLength(before + 4)
    await plain.misbehave({})
    expect(await signIn(store)).toEqual(right)
  })

  test('a look-up returns null when the answer names another viewer or none', async () => {
    const store = openStore()
    await plain.misbehave({ body: '{"username":"bob"}' })
    expect(await store.find?.('Ada@Example.com')).toBeNull()
    await plain.misbehave({ body: '{"username":"ADA@EXAMPLE.COM"}' })
    expect(await store.find?.('ada@example.com')).toMatchObject({ username: 'ADA@EXAMPLE.COM' })
    await plain.misbehave({ status: 403 })
    expect(await store.find?.('ada@example.com')).toBeNull()
    await plain.misbehave({ status: 401 })
    await expect(store.find?.('ada@example.com')).rejects.toThrow(UpstreamError)
  })

  test('a wrong token fails sign-ins and the health check instead of looking like a wrong password', async () => {
    const store = openStore({ token: 'of-another-app' })
    await expect(signIn(store)).rejects.toThrow('HTTP_STORE_TOKEN')
    await expect(store.checkHealth()).rejects.toThrow('HTTP_STORE_TOKEN')
  })
})

describe('a request without an answer', () => {
  // With TLS: a plain connection that is reset at once may look connected to the client.
  test('a request whose connection failed is retried once', async () => {
    const store = openStore({}, secure)
    await secure.misbehave({ cut: 'connection', times: 1 })
    expect(await signIn(store)).toEqual(right)
  })

  test('a request is sent twice at most', async () => {
    const store = openStore({}, secure)
    await secure.misbehave({ cut: 'connection', times: 2 })
    await expect(signIn(store)).rejects.toThrow(/cannot be reached: ECONNRESET$/)
    expect(await signIn(store)).toEqual(right)
  })

  test.each(['question', 'answer'] as const)(
    'a request on a new connection is not retried when the %s was cut off',
    async (cut) => {
      const store = openStore()
      const before = (await plain.seen()).length
      await plain.misbehave({ cut, times: 1 })
      await expect(signIn(store)).rejects.toThrow(UpstreamError)
      expect(await plain.seen()).toHaveLength(before + 1)
      expect(await signIn(store)).toEqual(right)
    },
  )

  test('a request on a stale connection is retried once', async () => {
    const store = openStore()
    expect(await signIn(store)).toEqual(right)
    await plain.misbehave({ cut: 'question', times: 1 })
    expect(await signIn(store)).toEqual(right)
  })
})

describe('an outage of the login service', () => {
  test('the store recovers from an outage without a restart, and no sign-in exceeds the timeout', async () => {
    const store = openStore()
    expect(await signIn(store)).toEqual(right)
    await plain.halt()
    for (let time = 0; time < 6; time += 1) expect(await msUntilAway(signIn(store))).toBeLessThan(TIMEOUT_MS)
    await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    await plain.restart()
    await expect.poll(() => signIn(store)).toEqual(right)
    await store.checkHealth()
  })

  test('status 503 of a proxy opens the circuit breaker', async () => {
    const store = openStore()
    await plain.misbehave({ status: 503 })
    for (let time = 0; time < 3; time += 1) await expect(signIn(store)).rejects.toThrow('status 503')
    await expect(signIn(store)).rejects.toThrow('several times in a row')
    await plain.misbehave({})
    await expect.poll(() => signIn(store)).toEqual(right)
  })

  test('a service that hangs delays the first sign-ins by the timeout, and later ones not at all', async () => {
    const store = openStore()
    plain.pause()
    try {
      const first = await Promise.all(Array.from({ length: 60 }, () => msUntilFailure(signIn(store))))
      expect(Math.max(...first)).toBeLessThan(2 * TIMEOUT_MS)
      // One of the three may be the trial.
      const next = await Promise.all([1, 2, 3].map(() => msUntilFailure(signIn(store))))
      expect(next.toSorted((a, b) => a - b)[1]).toBeLessThan(TIMEOUT_MS / 2)
      await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    } finally {
      plain.resume()
    }
    await expect.poll(() => signIn(store)).toEqual(right)
  })

  test('a slow service has as much time as the settings say', async () => {
    const store = openStore()
    await plain.misbehave({ delayMs: TIMEOUT_MS / 2 })
    expect(await signIn(store)).toEqual(right)
    await plain.misbehave({ delayMs: TIMEOUT_MS * 3, times: 1 })
    const waitedMs = await msUntilAway(signIn(store))
    expect(waitedMs).toBeGreaterThan(TIMEOUT_MS * 0.9)
    expect(waitedMs).toBeLessThan(TIMEOUT_MS * 2)
  })
})

describe('the certificate of the login service', () => {
  test('a certificate is accepted if the configured authority signed it', async () => {
    const authority = await makeCertificate(['DNS:authority.example'])
    const service = await startLoginService(contractViewers, await makeCertificate(['DNS:localhost'], authority))
    onTestFinished(() => service.halt())
    const settings = { url: service.url(), findUrl: service.url('/find') }
    const trusting = openStore({ ...settings, ca: authority.certificate }, service)
    expect(await signIn(trusting)).toEqual(right)
    expect(await trusting.find?.(ada.username)).toEqual(right.viewer)
    const before = (await service.seen()).length
    await expect(signIn(openStore({ ...settings, ca: null }, service))).rejects.toThrow(/UNABLE_TO.*HTTP_STORE_CA_FILE/)
    expect(await service.seen()).toHaveLength(before)
  })

  test.each([
    ['no configured authority', () => Promise.resolve(null)],
    ['another authority', async () => (await makeCertificate()).certificate],
  ])('a certificate is refused with %s, even if NODE_TLS_REJECT_UNAUTHORIZED is 0', async (_whose, ca) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const store = openStore({ ca: await ca() }, secure)
    const before = (await secure.seen()).length
    await expect(signIn(store)).rejects.toThrow(/cannot be reached: (DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO|CERT_/)
    expect(await secure.seen()).toHaveLength(before)
  })

  test('a certificate for another host name is refused', async () => {
    const other = await makeCertificate(['DNS:elsewhere.example'])
    const service = await startLoginService(contractViewers, other)
    onTestFinished(() => service.halt())
    const store = openStore({ url: service.url(), ca: other.certificate })
    await expect(signIn(store)).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID; .* HTTP_STORE_CA_FILE/)
    expect(await service.seen()).toEqual([])
  })
})

async function msUntilFailure(asked: Promise<unknown>): Promise<number> {
  const before = performance.now()
  await expect(asked).rejects.toThrow()
  return performance.now() - before
}
