import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UpstreamError } from '../../../src/errors.ts'
import type { HttpStoreSettings } from '../../../src/users/http/settings.ts'
import { openHttpStore } from '../../../src/users/http/store.ts'
import { createRemoteGuard } from '../../../src/users/remote/guard.ts'
import type { UserStore } from '../../../src/users/user-store.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { type Fault, type LoginService, startLoginService } from '../../servers/login-service.ts'
import { contractViewers, userStoreContract } from '../user-store-contract.ts'

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

/** A store whose circuit opens after three failures, for a tenth of a second, and whose questions have 600 ms. */
function openStore(more: Partial<HttpStoreSettings> = {}, service = plain): UserStore {
  const guard = createRemoteGuard({ timeoutMs: TIMEOUT_MS, failures: 3, pauseMs: 100 })
  const store = openHttpStore(settingsFor(service, { timeoutMs: TIMEOUT_MS, ...more }), { guard })
  onTestFinished(() => store.close())
  return store
}

const signIn = (store: UserStore) => store.authenticate(ada.username, ada.password)

/** How long it took until the store said that it cannot be reached. */
async function msUntilAway(asked: Promise<unknown>): Promise<number> {
  const before = performance.now()
  await expect(asked).rejects.toThrow(UpstreamError)
  return performance.now() - before
}

userStoreContract('http on loopback, with a look-up', true, () => Promise.resolve(openHttpStore(settingsFor(plain))))
userStoreContract('https, without a look-up', false, () =>
  Promise.resolve(openHttpStore(settingsFor(secure, { findUrl: null }))),
)

describe('the login service is asked', () => {
  test('by a post of JSON with the credential of this app', async () => {
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

  test('not at all for what cannot be a name or a password', async () => {
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

  test('with no credentials of a viewer for readiness', async () => {
    await openStore().checkHealth()
    expect((await plain.seen()).at(-1)).toMatchObject({ method: 'HEAD', path: '/find', body: '' })
  })
})

describe('what the login service answers', () => {
  test.each([
    ['an id for whom they know by a mail address', '{"username":"4711"}', '4711', {}, []],
    ['a decomposed name', '{"username":"E\u0301mil","groups":["Vide\u0301o","Vid\u00e9o"]}', 'Émil', {}, ['Vidéo']],
    [
      'attributes that no store could keep',
      '{"username":"a","attributes":{"__proto__":"x","username":"root","a=b":"x","line":"1\\n2","ok":"yes"}}',
      'a',
      { ok: 'yes' },
      [],
    ],
  ])('may be %s', async (_what, body, username, attributes, groups) => {
    await plain.misbehave({ body })
    expect(await signIn(openStore())).toEqual({ ok: true, viewer: { username, groups, attributes } })
  })

  test('about an expired password reaches the viewer', async () => {
    await plain.misbehave({ status: 403, body: '{"reason":"expired-password"}' })
    expect(await signIn(openStore())).toEqual({ ok: false, reason: 'expired-password' })
    await plain.misbehave({ status: 403, body: 'Forbidden' })
    expect(await signIn(openStore())).toEqual({ ok: false, reason: 'disabled' })
  })

  const notAsAgreed: [what: string, fault: Fault][] = [
    ['200 with no JSON', { body: 'Hello' }],
    ['200 with nothing', { body: '' }],
    ['200 with another viewer inside', { body: '{"user":{"username":"a"}}' }],
    ['200 with no name', { body: '{"groups":[]}' }],
    ['200 with an empty name', { body: '{"username":""}' }],
    ['200 with a name that no response could carry', { body: '{"username":"a|b"}' }],
    ['200 with a name of half a character', { body: '{"username":"\\ud800"}' }],
    ['200 with a number for a name', { body: '{"username":4711}' }],
    ['200 with a group that is no text', { body: '{"username":"a","groups":[1]}' }],
    ['200 with more than a viewer can be', { body: JSON.stringify({ username: 'a', filler: 'x'.repeat(300_000) }) }],
    ['201', { status: 201 }],
    ['204', { status: 204, body: '' }],
    ['301', { status: 301, headers: { Location: '/sign-in' } }],
    ['307 to where the password would be posted again', { status: 307, headers: { Location: '/sign-in' } }],
    ['400', { status: 400 }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['401 for this app itself', { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } }],
    ['403 for this app itself', { status: 403, headers: { 'WWW-Authenticate': 'bearer error=insufficient_scope' } }],
  ]
  test.each(notAsAgreed)(
    'signs nobody in when it is %s, however often, and leaves the service in use',
    async (_what, fault) => {
      const store = openStore()
      const before = (await plain.seen()).length
      await plain.misbehave(fault)
      for (let time = 0; time < 4; time += 1) await expect(signIn(store)).rejects.toThrow(UpstreamError)
      expect(await plain.seen()).toHaveLength(before + 4)
      await plain.misbehave({})
      expect(await signIn(store)).toEqual(right)
    },
  )

  test('about somebody else than the one who was looked up is nobody', async () => {
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

  test('to a wrong credential of this app is no wrong password of a viewer, and readiness says so', async () => {
    const store = openStore({ token: 'of-somebody-else' })
    await expect(signIn(store)).rejects.toThrow('check HTTP_STORE_TOKEN')
    await expect(store.checkHealth()).rejects.toThrow('check HTTP_STORE_TOKEN')
  })
})

describe('a question that got no answer', () => {
  // With TLS, since of a plain connection that is cut at once the client may first see that it came about.
  test('is asked once more where the service cannot have begun to answer', async () => {
    const store = openStore({}, secure)
    await secure.misbehave({ cut: 'connection', times: 1 })
    expect(await signIn(store)).toEqual(right)
  })

  test('is asked twice at most', async () => {
    const store = openStore({}, secure)
    await secure.misbehave({ cut: 'connection', times: 2 })
    await expect(signIn(store)).rejects.toThrow(/cannot be reached: ECONNRESET$/)
    expect(await signIn(store)).toEqual(right)
  })

  test.each(['question', 'answer'] as const)('is not asked again when the %s may have been read', async (cut) => {
    const store = openStore()
    const before = (await plain.seen()).length
    await plain.misbehave({ cut, times: 1 })
    await expect(signIn(store)).rejects.toThrow(UpstreamError)
    expect(await plain.seen()).toHaveLength(before + 1)
    expect(await signIn(store)).toEqual(right)
  })

  test('is asked once more when a connection that was kept turns out to be closed', async () => {
    const store = openStore()
    expect(await signIn(store)).toEqual(right)
    await plain.misbehave({ cut: 'question', times: 1 })
    expect(await signIn(store)).toEqual(right)
  })
})

describe('a login service that is away', () => {
  test('is found back without a restart of this app, and nobody waits for long', async () => {
    const store = openStore()
    expect(await signIn(store)).toEqual(right)
    await plain.halt()
    for (let time = 0; time < 6; time += 1) expect(await msUntilAway(signIn(store))).toBeLessThan(TIMEOUT_MS)
    await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    await plain.restart()
    await vi.waitFor(async () => expect(await signIn(store)).toEqual(right), { timeout: 5_000 })
    await store.checkHealth()
  })

  test('for its proxy is away: 503 opens the circuit', async () => {
    const store = openStore()
    await plain.misbehave({ status: 503 })
    for (let time = 0; time < 3; time += 1) await expect(signIn(store)).rejects.toThrow('status 503')
    await expect(signIn(store)).rejects.toThrow('several times in a row')
    await plain.misbehave({})
    await vi.waitFor(async () => expect(await signIn(store)).toEqual(right), { timeout: 5_000 })
  })

  test('and hangs holds the first sign-ins for their time, and none of the next', async () => {
    const store = openStore()
    plain.pause()
    try {
      const first = await Promise.all(Array.from({ length: 60 }, () => msUntilFailure(signIn(store))))
      expect(Math.max(...first)).toBeLessThan(TIMEOUT_MS + 400)
      // One of them may be the trial.
      const next = await Promise.all([1, 2, 3].map(() => msUntilFailure(signIn(store))))
      expect(next.toSorted((a, b) => a - b)[1]).toBeLessThan(100)
      await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
    } finally {
      plain.resume()
    }
    await vi.waitFor(async () => expect(await signIn(store)).toEqual(right), { timeout: 5_000 })
  })

  test('for a moment in the middle of many sign-ins lets nobody in wrongly, and everybody in afterwards', async () => {
    const store = openStore()
    const outcomes: string[] = []
    const one = async (index: number) => {
      const password = index % 3 === 0 ? 'wrong' : ada.password
      const answer = await store.authenticate(ada.username, password).catch((error: unknown) => error)
      const isRight = JSON.stringify(answer) === JSON.stringify(index % 3 === 0 ? wrong : right)
      outcomes.push(answer instanceof UpstreamError ? 'away' : isRight ? 'as it should be' : String(answer))
    }
    for (let round = 0; round < 12; round += 1) {
      if (round === 4) await plain.halt()
      if (round === 8) await plain.restart()
      await Promise.all(Array.from({ length: 10 }, (_, index) => one(index)))
    }
    expect(new Set(outcomes)).toEqual(new Set(['as it should be', 'away']))
    await vi.waitFor(async () => expect(await signIn(store)).toEqual(right), { timeout: 5_000 })
  })

  test('and slow is waited for as long as the settings say', async () => {
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
  test.each([
    ['no authority that Node knows', () => Promise.resolve(null)],
    ["a stranger's authority", async () => (await makeCertificate()).certificate],
  ])('is refused with %s, also where certificates are not checked elsewhere', async (_whose, ca) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const store = openStore({ ca: await ca() }, secure)
    const before = (await secure.seen()).length
    await expect(signIn(store)).rejects.toThrow(/cannot be reached: (DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO|CERT_/)
    expect(await secure.seen()).toHaveLength(before)
  })

  test('is refused for another name', async () => {
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
