import { z } from 'zod'
import type { MacKey } from './mac-signature.ts'
import { UnexpectedAnswer } from './service-errors.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readJson, type Transport } from './transport.ts'

/** A token as the service gave it, with the moment of its end reckoned from when it was asked for. */
export type AccessToken =
  | { readonly type: 'bearer'; readonly value: string; readonly expiresAtSeconds: number }
  | { readonly type: 'jwt'; readonly value: string; readonly expiresAtSeconds: number }
  | {
      readonly type: 'mac'
      readonly mac: MacKey
      /** UNIX time in seconds, UTC: what the broadcasting library calls macIssueTime. */
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
      readonly type: 'bearer' | 'mac'
      readonly username: string
      readonly password: string
    }
  | { readonly grant: 'authorization_code'; readonly code: string; readonly redirectUri: string }

export interface TokenOptions {
  /** Shown to the user in the list of connected clients. */
  readonly deviceName?: string
  /** Only with a MAC token (specification: Limits 3). */
  readonly scope?: 'broadcaster'
  readonly signal?: AbortSignal | undefined
}

/** In the redirect of the implicit flow it is a text. A hundred years is as long as for ever. */
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
/** A JWT has dots, so it is no hexadecimal hash; it is handed back as it is. */
const Plain = z.object({
  token_type: z.enum(['bearer', 'jwt']),
  access_token: z.string().regex(/^[\x21-\x7e]{1,8192}$/),
  expires_in: Seconds,
})
/** The form of a token answer, from the token endpoint or, in the implicit flow, in the redirect. */
export const TokenAnswer = z.preprocess(withTypeInLowerCase, z.discriminatedUnion('token_type', [Mac, Plain]))

/**
 * Asks the token endpoint for an access token (specification: "Token endpoint").
 *
 * @throws RangeError for a combination that the service does not have: `broadcaster` without MAC.
 * @throws UnexpectedAnswer for a MAC token that was not asked for, and for another where one was.
 * @throws ServiceRefusal with `invalid_client`, `invalid_grant` and so on; the others as Transport.
 */
export async function requestToken(
  { settings, send, nowSeconds }: TokenDeps,
  question: TokenQuestion,
  { deviceName, scope, signal }: TokenOptions = {},
): Promise<AccessToken> {
  if (scope !== undefined && (question.grant === 'authorization_code' || question.type !== 'mac')) {
    throw new RangeError('The scope broadcaster can be had with a MAC token only: ask for the token type mac')
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
      ...(deviceName === undefined || question.grant === 'authorization_code' ? {} : { device_name: deviceName }),
      ...(scope === undefined ? {} : { scope }),
    },
    signal,
  })
  const token = tokenOf(readJson(TokenAnswer, answer, 'the token'), askedAtSeconds)
  const wanted = question.grant === 'authorization_code' ? 'bearer' : question.type
  // What a JWT is called in the answer is not documented; a MAC token is used in another way than all others.
  if ((wanted === 'mac') === (token.type === 'mac')) return token
  throw new UnexpectedAnswer(`The service gave a token of the type ${token.type} where ${wanted} was asked for`)
}

/** RFC 6749, 5.1: its case does not matter. */
function withTypeInLowerCase(answer: unknown): unknown {
  const isTyped = typeof answer === 'object' && answer !== null && 'token_type' in answer
  return isTyped && typeof answer.token_type === 'string'
    ? { ...answer, token_type: answer.token_type.toLowerCase() }
    : answer
}

/** @param askedAtSeconds before the service's own clock started on `expires_in`: the token ends early rather than late. */
export function tokenOf(answer: z.output<typeof TokenAnswer>, askedAtSeconds: number): AccessToken {
  const expiresAtSeconds = Math.floor(askedAtSeconds) + answer.expires_in
  if (answer.token_type !== 'mac') return { type: answer.token_type, value: answer.access_token, expiresAtSeconds }
  const mac = { id: answer.access_token, key: answer.mac_key }
  return { type: 'mac', mac, createdAtSeconds: answer.created_at, expiresAtSeconds }
}

/** So long before its end a token is not used any more: it must outlive the request. */
const SPARE_SECONDS = 60

/**
 * Keeps the token of a client until shortly before its end, or until the service refuses it; simultaneous callers share
 * one request.
 * @param obtain asks for a new one; its failure is not kept.
 */
export function createTokenCache(
  obtain: (signal?: AbortSignal) => Promise<AccessToken>,
  nowSeconds: () => number,
): (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken> {
  let current: Promise<AccessToken> | null = null
  return async function cachedToken(signal, refused) {
    const waitedFor = current
    const known = await waitedFor?.catch(() => null)
    if (known && known !== refused && known.expiresAtSeconds - SPARE_SECONDS > nowSeconds()) return known
    // Another caller, who waited for the same, has asked already.
    if (current !== null && current !== waitedFor) return await current
    const asked = obtain(signal)
    current = asked
    asked.catch(() => {
      if (current === asked) current = null
    })
    return await asked
  }
}

function fieldsOf(question: TokenQuestion, clientSecret: string): Record<string, string> {
  switch (question.grant) {
    case 'client_credentials':
      return question.type === 'bearer' ? {} : { token_type: question.type }
    case 'password':
      return {
        client_secret: clientSecret,
        username: question.username,
        password: question.password,
        ...(question.type === 'bearer' ? {} : { token_type: question.type }),
      }
    case 'authorization_code':
      return { code: question.code, redirect_uri: question.redirectUri }
  }
}

function basicCredential({ clientId, clientSecret, basicForm }: TokenDeps['settings']): string {
  return basicForm === 'bare' ? clientSecret : Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
}
