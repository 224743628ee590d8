import { describe, expect, test } from 'vitest'
import {
  authorizationAddress,
  faultInRedirectUri,
  listenOnLoopback,
  newState,
  readCode,
  readImplicitToken,
} from '../../src/video-service/authorization-page.ts'
import { AuthorizationFailed, UnexpectedAnswer } from '../../src/video-service/service-errors.ts'
import { closedAddress, startService } from './test-service.ts'

const HASH = 'ab'.repeat(20)
const client = { authUrl: 'https://auth.service.example', clientId: HASH }
const question = { redirectUri: 'http://127.0.0.1:5000/callback', state: 's&t=1' }
const redirect = (query: Record<string, string>) => new URL(`${question.redirectUri}?${new URLSearchParams(query)}`)

describe('the address of the authorization page', () => {
  test('the address of the authorization page has all parameters, encoded', () => {
    const address = authorizationAddress(client, {
      ...question,
      responseType: 'token',
      tokenType: 'mac',
      scope: 'broadcaster',
      deviceName: 'Broadcast & more',
      language: 'de_DE',
    })
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      response_type: 'token',
      client_id: HASH,
      redirect_uri: question.redirectUri,
      state: 's&t=1',
      token_type: 'mac',
      scope: 'broadcaster',
      device_name: 'Broadcast & more',
      lang: 'de_DE',
    })
  })

  test.each([
    [{ responseType: 'code', tokenType: 'mac' }],
    [{ responseType: 'token', tokenType: 'bearer', scope: 'broadcaster' }],
  ] as const)('an address is not built for an unsupported combination: %j', (asked) => {
    expect(() => authorizationAddress(client, { ...question, ...asked })).toThrow(RangeError)
  })
})

describe('the redirect', () => {
  test('the code is read from the redirect', () =>
    expect(readCode(redirect({ code: HASH, state: 's' }), 's')).toBe(HASH))

  test('the token of the implicit flow is read from the redirect', () => {
    const mac = { mac_key: HASH, created_at: '900', mac_algorithm: 'hmac-sha-1' }
    const query = { access_token: HASH, expires_in: '60', token_type: 'mac', ...mac, state: 's' }
    expect(readImplicitToken(redirect(query), 's', 1_000)).toEqual({
      type: 'mac',
      mac: { id: HASH, key: HASH },
      createdAtSeconds: 900,
      expiresAtSeconds: 1_060,
    })
  })

  test.each([
    ['another state', { code: HASH, state: 'S' }, AuthorizationFailed, 'wrong state'],
    ['no state', { code: HASH }, AuthorizationFailed, 'wrong state'],
    ['a denial', { error: 'access_denied', state: 's' }, AuthorizationFailed, 'Access was denied'],
    ['another error', { error: 'odd\u001b[2J', state: 's' }, AuthorizationFailed, 'answered odd2J'],
    ['no code', { code: 'short', state: 's' }, UnexpectedAnswer, 'no authorization code'],
  ])('a redirect with %s is refused', (_case, query, kind, said) => {
    const read = () => readCode(redirect(query as Record<string, string>), 's')
    expect(read).toThrow(kind)
    expect(read).toThrow(said)
  })

  test('the error for an incomplete token in the redirect names its fields', () => {
    const query = { access_token: HASH, expires_in: 'soon', token_type: 'bearer', state: 's' }
    expect(() => readImplicitToken(redirect(query), 's', 0)).toThrow('expires_in')
  })
})

test.each([
  ['https://www.example.com/signed-in?a=1', true],
  ['http://localhost:8080/cb', true],
  ['http://[::1]:0/', true],
  ['com.example.app:/cb', true],
  ['http://www.example.com/cb', false],
  ['https://user@www.example.com/', false],
  ['https://www.example.com/#a', false],
  ['javascript:alert(1)', false],
  ['/callback', false],
  ['https://www.example.com/a b', false],
])('%s can be a redirect address: %s', (address, isAccepted) => {
  expect(faultInRedirectUri(address) === null).toBe(isAccepted)
})

describe('the listener on the loopback interface', () => {
  test('the listener accepts the redirect with our state, and answers 404 to everything else', async () => {
    const listener = await listenOnLoopback()
    try {
      const state = newState()
      expect(listener.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
      const redirected = listener.redirected(state, AbortSignal.timeout(10_000))
      const status = async (url: string, method = 'GET') => (await fetch(url, { method })).status
      expect(await status(`${listener.redirectUri}?code=${HASH}&state=${newState()}`)).toBe(404)
      expect(await status(`${listener.redirectUri}?code=${HASH}&state=${state}`, 'POST')).toBe(404)
      expect(await status(new URL('/favicon.ico', listener.redirectUri).href)).toBe(404)
      expect(await status(`${listener.redirectUri}?code=${HASH}&state=${state}`)).toBe(200)
      expect(readCode(await redirected, state)).toBe(HASH)
    } finally {
      listener.close()
    }
  })

  test('the listener receives a redirect on the path, host and port of the address', async () => {
    const { port } = await closedAddress()
    for (const address of [`http://localhost:${port}/cb?a=1`, 'http://[::1]:0/cb']) {
      const listener = await listenOnLoopback(address)
      const { redirectUri } = listener
      expect(redirectUri).toMatch(address.endsWith(':0/cb') ? /^http:\/\/\[::1\]:[1-9]\d+\/cb$/ : address)
      const redirected = listener.redirected('s', AbortSignal.timeout(10_000))
      const get = async (url: string) => (await fetch(url)).status
      expect(await get(`${new URL(redirectUri).origin}/cb/more?state=s`)).toBe(404)
      const separator = redirectUri.includes('?') ? '&' : '?'
      expect(await get(`${redirectUri}${separator}code=${HASH}&state=s`)).toBe(200)
      expect(readCode(await redirected, 's')).toBe(HASH)
      listener.close()
    }
  })

  test('a port that is in use is reported', async () => {
    const { origin } = await startService((_req, res) => res.end())
    await expect(listenOnLoopback(`${origin}/cb`)).rejects.toThrow(AuthorizationFailed)
  })

  test('the listener stops waiting when it is aborted', async () => {
    const listener = await listenOnLoopback()
    const stop = new AbortController()
    const redirected = listener.redirected('s', stop.signal)
    stop.abort(new Error('enough'))
    await expect(redirected).rejects.toThrow('enough')
    listener.close()
  })
})
