import { describe, expect, test, vi } from 'vitest'
import { type AccessToken, createTokenCache, requestToken } from '../../../src/tools/video-service/access-token.ts'
import type { ServiceRequest } from '../../../src/tools/video-service/service-request.ts'

const settings = {
  oauthUrl: 'https://oauth.service.example',
  clientId: 'ab'.repeat(20),
  clientSecret: 'cd'.repeat(20),
  basicForm: 'standard',
} as const
const BEARER = { access_token: 'ef'.repeat(20), token_type: 'bearer', expires_in: '3600' }

function answering(body: object) {
  const send = vi.fn((_request: ServiceRequest) =>
    Promise.resolve({ status: 200, contentType: 'application/json', body: JSON.stringify(body) }),
  )
  return { settings, send, nowSeconds: () => 1_000.9 }
}

describe('requesting a token', () => {
  test('the end of a token is computed from the time of the request', async () => {
    const token = await requestToken(answering(BEARER), { grant: 'client_credentials', type: 'bearer' })
    expect(token).toEqual({ type: 'bearer', value: BEARER.access_token, expiresAtSeconds: 4_600 })
  })

  test.each([
    ['standard', Buffer.from(`${settings.clientId}:${settings.clientSecret}`).toString('base64')],
    ['bare', settings.clientSecret],
  ] as const)('a token is requested with the %s credential', async (basicForm, credential) => {
    const deps = answering(BEARER)
    const question = { grant: 'client_credentials', type: 'bearer' } as const
    await requestToken({ ...deps, settings: { ...settings, basicForm } }, question)
    const [request] = deps.send.mock.calls[0] ?? []
    expect(request?.headers).toEqual({ Authorization: `Basic ${credential}` })
    expect(request?.form).toEqual({ grant_type: 'client_credentials', client_id: settings.clientId })
  })

  test('a refresh token is kept, and a token without one has none', async () => {
    const question = { grant: 'authorization_code', code: 'ab'.repeat(20), redirectUri: 'https://a.example/' } as const
    const refresh_token = '12'.repeat(20)
    expect(await requestToken(answering({ ...BEARER, refresh_token }), question)).toMatchObject({
      refreshToken: refresh_token,
    })
    expect(await requestToken(answering(BEARER), question)).toMatchObject({ refreshToken: undefined })
  })

  test('a token of an unknown format is refused, and no message contains it', async () => {
    const deps = answering({ ...BEARER, token_type: 'mac' })
    const failed = requestToken(deps, { grant: 'client_credentials', type: 'mac' })
    await expect(failed).rejects.toThrow(/: mac_key, created_at, mac_algorithm$/)
  })

  test.each([
    ['Bearer', 'bearer'],
    ['JWT', 'jwt'],
  ])('a token answer with type %s gives a token of type %s', async (token_type, type) => {
    const token = await requestToken(answering({ ...BEARER, token_type }), { grant: 'client_credentials', type: 'jwt' })
    expect(token).toMatchObject({ type, value: BEARER.access_token })
  })

  const MAC = { mac_key: 'ab'.repeat(20), created_at: 5, mac_algorithm: 'hmac-sha-1' }
  test.each([
    ['mac', BEARER, /bearer instead of mac/],
    ['bearer', { ...BEARER, ...MAC, token_type: 'mac' }, /mac instead of bearer/],
    ['bearer', { ...BEARER, token_type: 'dpop' }, /: token_type$/],
    ['bearer', { ...BEARER, expires_in: 9e15 }, /: expires_in$/],
  ] as const)(
    'a request for a %s token refuses a token of another type or with a wrong lifetime',
    async (type, body, said) => {
      const failed = requestToken(answering(body), { grant: 'client_credentials', type })
      await expect(failed).rejects.toThrow(said)
    },
  )

  test('the scope broadcaster is refused without a MAC token', async () => {
    const deps = answering(BEARER)
    const failed = requestToken(deps, { grant: 'client_credentials', type: 'jwt' }, { scope: 'broadcaster' })
    await expect(failed).rejects.toThrow(RangeError)
    expect(deps.send).not.toHaveBeenCalled()
  })
})

describe('the token cache', () => {
  const token = (expiresAtSeconds: number): AccessToken => ({ type: 'bearer', value: 'x', expiresAtSeconds })

  test('the token cache sends one request for concurrent callers, and another shortly before the end', async () => {
    let now = 0
    const obtain = vi.fn(() => Promise.resolve(token(now + 1_000)))
    const cached = createTokenCache(obtain, () => now)
    await Promise.all([cached(), cached(), cached()])
    now = 939
    await cached()
    expect(obtain).toHaveBeenCalledTimes(1)
    now = 940
    await Promise.all([cached(), cached(), cached()])
    expect(obtain).toHaveBeenCalledTimes(2)
  })

  test('the token cache replaces a refused token once for all callers that had it', async () => {
    const obtain = vi.fn(() => Promise.resolve(token(1_000)))
    const cached = createTokenCache(obtain, () => 0)
    const refused = await cached()
    const [first, second] = await Promise.all([cached(undefined, refused), cached(undefined, refused)])
    expect(first).not.toBe(refused)
    expect(second).toBe(first)
    expect(obtain).toHaveBeenCalledTimes(2)
  })

  test('the token cache does not keep a failure', async () => {
    const obtain = vi.fn(() => Promise.resolve(token(1_000))).mockRejectedValueOnce(new Error('down'))
    const cached = createTokenCache(obtain, () => 0)
    await expect(cached()).rejects.toThrow('down')
    await expect(cached()).resolves.toMatchObject({ type: 'bearer' })
  })
})
