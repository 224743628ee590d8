import { z } from 'zod'
import type { MacKey } from './mac-signature.ts'
import { UnexpectedAnswer } from './service-errors.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readJson, type Transport } from './transport.ts'

/** An access token. Its end is computed from the time of the request. */
export type AccessToken =
  | {
      readonly type: 'bearer' | 'jwt'
      readonly value: string
      /** Only of an authorization code or another refresh token. */
      readonly refreshToken?: string | undefined
      readonly expiresAtSeconds: number
    }
  | {
      readonly type: 'mac'
      readonly mac: MacKey
      /** UNIX time in seconds. The broadcasting library calls this value macIssueTime. */
      readonly createdAtSeconds: number
      readonly expiresAtSeconds: number
    }

export interface TokenDeps {
  readonly settings: Pick<ServiceSettings, 'oauthUrl' | 'clientId' | 'clientSecret' | 'basicForm'>
  readonly send: Transport
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

export type TokenQuestion =
  | { readonly grant: 'client_credentials'; readonly type: AccessToken['type'] }
  | {
      readonly grant: 'password'
      readonly type: AccessToken['type']
      readonly username: string
      readonly password: string
    }
  | {
      readonly grant: 'authorization_code'
      readonly code: string
      readonly redirectUri: string
      /** The verifier of PKCE (RFC 7636), if the authorization page got its challenge. Newer than the two documents. */
      readonly codeVerifier?: string | undefined
    }
  /** Newer than the two documents. The answer has a new refresh token, and the old one may be used up. */
  | { readonly grant: 'refresh_token'; readonly refreshToken: string }

export interface TokenOptions {
  /** Names with spaces between them; `broadcaster` only with a MAC token. Other names are newer than the two documents. */
  readonly scope?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** True if the scope, which may have several names, allows broadcasting. */
export function hasBroadcaster(scope = ''): boolean {
  return scope.split(' ').includes('broadcaster')
}

/** The redirect of the implicit flow has `expires_in` as text. At most a hundred years. */
const Seconds = z.coerce.number().int().positive().max(3_155_760_000)
const Hash = z.string().regex(/^[0-9a-f]{40}$/i)
const Mac = z.object({
  token_type: z.literal('mac'),
  access_token: Hash,
  expires_in: Seconds,
  mac_key: Hash,
  created_at: z.coerce.number().int(),
  mac_algorithm: z.literal('hmac-sha-1'),
})
/** A JWT is not a hexadecimal hash, so any printable text is accepted. */
const Printable = z.string().regex(/^[\x21-\x7e]{1,8192}$/)
const Plain = z.object({
  token_type: z.enum(['bearer', 'jwt']),
  access_token: Printable,
  refresh_token: Printable.optional(),
  expires_in: Seconds,
})
/** The answer of the token endpoint, and the query of the redirect in the implicit flow. */
export const TokenAnswer = z.preprocess(withTypeInLowerCase, z.discriminatedUnion('token_type', [Mac, Plain]))

/**
 * Requests an access token from the token endpoint.
 *
 * @throws RangeError for the scope `broadcaster` without a MAC token: the service does not offer this.
 * @throws UnexpectedAnswer for a MAC token when another type was requested, and the other way round.
 * @throws ServiceRefusal with `invalid_client`, `invalid_grant` and so on; other errors as Transport.
 */
export async function requestToken(
  { settings, send, nowSeconds }: TokenDeps,
  question: TokenQuestion,
  { scope, signal }: TokenOptions = {},
): Promise<AccessToken> {
  const type = 'type' in question ? question.type : 'bearer'
  if (hasBroadcaster(scope) && type !== 'mac') {
    throw new RangeError('The scope broadcaster needs a MAC token. Use the token type mac')
  }
  const askedAtSeconds = nowSeconds()
  const answer = await send({
    method: 'POST',
    url: new URL(`${settings.oauthUrl}/oauth2/token`),
    headers: { Authorization: `Basic ${basicCredential(settings)}` },
    form: {
      grant_type: question.grant,
      client_id: settings.clientId,
      ...fieldsOf(question, settings.clientSecret),
      scope,
    },
    signal,
  })
  const token = tokenOf(readJson(TokenAnswer, answer, 'the token'), askedAtSeconds)
  // The documentation does not say how the answer names a JWT. Only a MAC token is used in a different way.
  if ((type === 'mac') === (token.type === 'mac')) return token
  throw new UnexpectedAnswer(`The service sent a token of type ${token.type} instead of ${type}`)
}

/**
 * Ends an access token or a refresh token (RFC 7009). Newer than the two documents.
 * @throws as Transport. An unknown token is not an error.
 */
export async function revokeToken({ settings, send }: TokenDeps, token: string, signal?: AbortSignal): Promise<void> {
  await send({
    method: 'POST',
    url: new URL(`${settings.oauthUrl}/oauth2/token/revoke`),
    headers: { Authorization: `Basic ${basicCredential(settings)}` },
    form: { token, client_id: settings.clientId },
    signal,
  })
}

/** The case of `token_type` does not matter (RFC 6749, 5.1). */
function withTypeInLowerCase(answer: unknown): unknown {
  const isTyped = typeof answer === 'object' && answer !== null && 'token_type' in answer
  return isTyped && typeof answer.token_type === 'string'
    ? { ...answer, token_type: answer.token_type.toLowerCase() }
    : answer
}

/**
 * Converts a token answer.
 * @param askedAtSeconds time of the request, so that the token ends too early rather than too late.
 */
export function tokenOf(answer: z.output<typeof TokenAnswer>, askedAtSeconds: number): AccessToken {
  const expiresAtSeconds = Math.floor(askedAtSeconds) + answer.expires_in
  if (answer.token_type !== 'mac') {
    const { token_type: type, access_token: value, refresh_token: refreshToken } = answer
    return { type, value, refreshToken, expiresAtSeconds }
  }
  const mac = { id: answer.access_token, key: answer.mac_key }
  return { type: 'mac', mac, createdAtSeconds: answer.created_at, expiresAtSeconds }
}

/** A token is not used in its last minute, because it must outlive the request. */
const SPARE_SECONDS = 60

/**
 * Keeps the token of a client until shortly before its end, or until the service refuses it. Concurrent callers share
 * one request.
 */
export function createTokenCache(
  obtain: (signal?: AbortSignal) => Promise<AccessToken>,
  nowSeconds: () => number,
): (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken> {
  let current: AccessToken | null = null
  let request: Promise<AccessToken> | null = null
  return async function cachedToken(signal, refused) {
    const isUsable = current !== refused && (current?.expiresAtSeconds ?? 0) - SPARE_SECONDS > nowSeconds()
    if (current !== null && isUsable) return current
    request ??= obtain(signal).finally(() => {
      request = null
    })
    current = await request
    return current
  }
}

function fieldsOf(question: TokenQuestion, clientSecret: string): Record<string, string | undefined> {
  const token_type = 'type' in question && question.type !== 'bearer' ? question.type : undefined
  switch (question.grant) {
    case 'client_credentials':
      return { token_type }
    case 'password':
      return { client_secret: clientSecret, username: question.username, password: question.password, token_type }
    case 'authorization_code':
      return { code: question.code, redirect_uri: question.redirectUri, code_verifier: question.codeVerifier }
    case 'refresh_token':
      return { refresh_token: question.refreshToken }
  }
}

function basicCredential({ clientId, clientSecret, basicForm }: TokenDeps['settings']): string {
  return basicForm === 'bare' ? clientSecret : Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
}
