import { describe, expect, test, vi } from 'vitest'
import { type AccessToken, createTokenCache, requestToken } from '../../src/video-service/access-token.ts'
import type { ServiceRequest } from '../../src/video-service/service-request.ts'

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

describe('a token', () => {
  test('ends when it says, reckoned from when it was asked for', async () => {
    const token = await requestToken(answering(BEARER), { grant: 'client_credentials', type: 'bearer' })
    expect(token).toEqual({ type: 'bearer', value: BEARER.access_token, expiresAtSeconds: 4_600 })
  })

  test.each([
    ['standard', Buffer.from(`${settings.clientId}:${settings.clientSecret}`).toString('base64')],
    ['bare', settings.clientSecret],
  ] as const)('is asked for with the %s credential', async (basicForm, credential) => {
    const deps = answering(BEARER)
    const question = { grant: 'client_credentials', type: 'bearer' } as const
    await requestToken({ ...deps, settings: { ...settings, basicForm } }, question, { deviceName: 'Check' })
    const [request] = deps.send.mock.calls[0] ?? []
    expect(request?.headers).toEqual({ Authorization: `Basic ${credential}` })
    expect(request?.form).toEqual({
      grant_type: 'client_credentials',
      client_id: settings.clientId,
      device_name: 'Check',
    })
  })

  test('of another form than documented is refused, and is in no message', async () => {
    const deps = answering({ ...BEARER, token_type: 'mac' })
    const failed = requestToken(deps, { grant: 'client_credentials', type: 'mac' })
    await expect(failed).rejects.toThrow(/not as documented: see mac_key, created_at, mac_algorithm$/)
  })

  test.each([
    ['Bearer', 'bearer'],
    ['JWT', 'jwt'],
  ])('whose type is written %s is one of the type %s', async (token_type, type) => {
    const token = await requestToken(answering({ ...BEARER, token_type }), { grant: 'client_credentials', type: 'jwt' })
    expect(token).toMatchObject({ type, value: BEARER.access_token })
  })

  const MAC = { mac_key: 'ab'.repeat(20), created_at: 5, mac_algorithm: 'hmac-sha-1' }
  test.each([
    ['mac', BEARER, /a token of the type bearer where mac was asked for/],
    ['bearer', { ...BEARER, ...MAC, token_type: 'mac' }, /a token of the type mac where bearer was asked for/],
    ['bearer', { ...BEARER, token_type: 'dpop' }, /not as documented: see token_type$/],
    ['bearer', { ...BEARER, expires_in: 9e15 }, /not as documented: see expires_in$/],
  ] as const)('%s that is used in another way, or has no end, is refused', async (type, body, said) => {
    const failed = requestToken(answering(body), { grant: 'client_credentials', type })
    await expect(failed).rejects.toThrow(said)
  })

  test('with the scope broadcaster can only be a MAC token', async () => {
    const deps = answering(BEARER)
    const failed = requestToken(deps, { grant: 'client_credentials', type: 'jwt' }, { scope: 'broadcaster' })
    await expect(failed).rejects.toThrow(RangeError)
    expect(deps.send).not.toHaveBeenCalled()
  })
})

describe('the cache of tokens', () => {
  const token = (expiresAtSeconds: number): AccessToken => ({ type: 'bearer', value: 'x', expiresAtSeconds })

  test('asks once for simultaneous callers, and again shortly before the end', async () => {
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

  test('asks anew for one that the service refused, once for all who had it', async () => {
    const obtain = vi.fn(() => Promise.resolve(token(1_000)))
    const cached = createTokenCache(obtain, () => 0)
    const refused = await cached()
    const [first, second] = await Promise.all([cached(undefined, refused), cached(undefined, refused)])
    expect(first).not.toBe(refused)
    expect(second).toBe(first)
    expect(obtain).toHaveBeenCalledTimes(2)
  })

  test('keeps no failure', async () => {
    const obtain = vi.fn(() => Promise.resolve(token(1_000))).mockRejectedValueOnce(new Error('down'))
    const cached = createTokenCache(obtain, () => 0)
    await expect(cached()).rejects.toThrow('down')
    await expect(cached()).resolves.toMatchObject({ type: 'bearer' })
  })
})
