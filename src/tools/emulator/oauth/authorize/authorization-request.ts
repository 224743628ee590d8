import type { DatabaseSync } from 'node:sqlite'
import { type RefusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'
import { readParameters } from '../../http/form.ts'
import { type Client, findClient } from '../tokens/client-authentication.ts'
import { challengeOf } from '../tokens/code-store.ts'
import { DeviceName, readTerms } from '../tokens/token-request.ts'
import type { TokenKind } from '../tokens/token-store.ts'
import { appendQuery, matchRedirectUri } from './redirect-address.ts'

/** A valid request of a client for access. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly responseType: 'code' | 'token'
  readonly kind: TokenKind
  /** Names with spaces between them. */
  readonly scope: string
  readonly deviceName: string | null
  readonly lang: string | null
  /** The challenge of PKCE in the form S256; null without one. */
  readonly challenge: string | null
  /** Null when none was sent. */
  readonly state: string | null
  /** The same request as a query, for forms and links during the sign-in. */
  readonly query: string
}

export type AuthorizationReading =
  | { readonly ok: true; readonly request: AuthorizationRequest }
  /** Client or redirect_uri cannot be trusted: show a page, never redirect. */
  | {
      readonly ok: false
      readonly problem: 'unknown-client' | 'foreign-address'
      readonly reason: string
      readonly lang: string | null
    }
  | { readonly ok: false; readonly problem: null; readonly location: string; readonly reason: string }

type AuthorizationError = 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied'

const PARAMETERS =
  'response_type client_id redirect_uri scope state token_type device_name lang code_challenge code_challenge_method'.split(
    ' ',
  )
/** The form of a challenge and of a verifier (RFC 7636 4.1). */
const CHALLENGE = /^[\w.~-]{43,128}$/
/** The code flow issues no MAC tokens. */
const KINDS: Record<AuthorizationRequest['responseType'], readonly TokenKind[]> = {
  code: ['bearer'],
  token: ['bearer', 'mac'],
}

/**
 * Reads the parameters of the authorization endpoint. Checks client and redirect_uri first, because other errors
 * redirect to that address. Then checks repeated parameters, response_type, token_type, scope and device_name. Accepts
 * any `lang`.
 * @param text the query or the form.
 */
export function readAuthorizationRequest(
  database: DatabaseSync,
  text: string,
  refusesBeyond: RefusesBeyond,
): AuthorizationReading {
  const all = new URLSearchParams(text)
  const lang = all.get('lang')
  const client = all.getAll('client_id').length === 1 ? findClient(database, all.get('client_id') ?? '') : null
  if (client === null) {
    return { ok: false, problem: 'unknown-client', reason: 'client_id is missing, repeated or unknown', lang }
  }
  const redirectUris = all.getAll('redirect_uri')
  const redirectUri = redirectUris[0] ?? ''
  if (redirectUris.length !== 1 || redirectUri === '') {
    return { ok: false, problem: 'foreign-address', reason: 'redirect_uri is missing or repeated', lang }
  }
  const address = matchRedirectUri(redirectUri, client.redirectUriPrefixes)
  if (!address.ok) return { ok: false, problem: 'foreign-address', reason: `redirect_uri ${address.reason}`, lang }
  const unlike = 'a redirect_uri that does not start with a registered prefix, character by character'
  if (!address.isLiteral && refusesBeyond(unlike)) {
    return { ok: false, problem: 'foreign-address', reason: strictRefusal(unlike), lang }
  }
  const [state, ...others] = all.getAll('state')
  const answer = { redirectUri, state: (others.length === 0 && state) || null }
  const refused = (error: AuthorizationError, reason: string): AuthorizationReading => {
    return { ok: false, problem: null, location: errorLocation(answer, error), reason }
  }
  const form = readParameters(text)
  if (!form.ok) return refused('invalid_request', `The request ${form.reason}`)
  const { response_type: responseType } = form.fields
  if (responseType === undefined) return refused('invalid_request', 'response_type is missing')
  if (responseType !== 'code' && responseType !== 'token') {
    return refused('unsupported_response_type', 'response_type must be "code" or "token"')
  }
  const terms = readTerms(form.fields, KINDS[responseType], refusesBeyond)
  if (!terms.ok) return refused(terms.error, terms.reason)
  const deviceName = DeviceName.nullable().safeParse(form.fields.device_name ?? null)
  if (!deviceName.success) return refused('invalid_request', 'device_name is too long or has control characters')
  const { code_challenge: sent, code_challenge_method: method = 'plain' } = form.fields
  if (sent !== undefined && refusesBeyond('PKCE')) return refused('invalid_request', strictRefusal('PKCE'))
  if (sent !== undefined && !(CHALLENGE.test(sent) && ['plain', 'S256'].includes(method))) {
    return refused('invalid_request', 'code_challenge or code_challenge_method is malformed')
  }
  const challenge = sent === undefined ? null : method === 'S256' ? sent : challengeOf(sent)
  return {
    ok: true,
    request: {
      client,
      ...answer,
      responseType,
      kind: terms.kind,
      scope: terms.scope,
      deviceName: deviceName.data,
      lang,
      challenge,
      query: queryOf(form.fields),
    },
  }
}

/** Returns the redirect address for an error. */
export function errorLocation(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  error: AuthorizationError,
): string {
  return resultLocation({ redirectUri, state }, { error })
}

/** Appends the result and the unchanged state to the client's address. */
export function resultLocation(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  result: Readonly<Record<string, string | number>>,
): string {
  const pairs = Object.entries({ ...result, ...(state !== null && { state }) })
  return appendQuery(redirectUri, pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'))
}

function queryOf(fields: Readonly<Record<string, string>>): string {
  const given = PARAMETERS.flatMap((name): [string, string][] =>
    fields[name] === undefined ? [] : [[name, fields[name]]],
  )
  return new URLSearchParams(given).toString()
}
