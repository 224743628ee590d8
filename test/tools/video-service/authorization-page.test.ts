import { describe, expect, test } from 'vitest'
import {
  authorizationAddress,
  readCode,
  readImplicitToken,
} from '../../../src/tools/video-service/authorization-page.ts'
import { AuthorizationFailed, UnexpectedAnswer } from '../../../src/tools/video-service/service-errors.ts'

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
    })
    expect(Object.fromEntries(new URL(address).searchParams)).toEqual({
      response_type: 'token',
      client_id: HASH,
      redirect_uri: question.redirectUri,
      state: 's&t=1',
      token_type: 'mac',
      scope: 'broadcaster',
    })
  })

  test.each([
    [{ responseType: 'code', tokenType: 'mac' }],
    [{ responseType: 'token', tokenType: 'bearer', scope: 'broadcaster' }],
    [{ responseType: 'token', tokenType: 'bearer', scope: 'reports broadcaster' }],
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
