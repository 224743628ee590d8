import { createHash, randomBytes } from 'node:crypto'
import { type AccessToken, hasBroadcaster, TokenAnswer, tokenOf } from './access-token.ts'
import { AuthorizationFailed, UnexpectedAnswer } from './service-errors.ts'
import { givenFields } from './service-request.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface AuthorizationQuestion {
  readonly responseType: 'code' | 'token'
  readonly redirectUri: string
  /** The redirect repeats this value, which proves that it belongs to this request. */
  readonly state: string
  readonly tokenType?: 'bearer' | 'mac' | undefined
  /** Names with spaces between them; other names than `broadcaster` are newer than the two documents. */
  readonly scope?: string | undefined
  /** The challenge of PKCE by S256 (RFC 7636). Newer than the two documents. */
  readonly codeChallenge?: string | undefined
}

/**
 * Builds the address of the page where the user allows or denies access.
 * @throws RangeError for what the service does not offer: MAC in the code flow, and `broadcaster` without MAC.
 */
export function authorizationAddress(
  { authUrl, clientId }: Pick<ServiceSettings, 'authUrl' | 'clientId'>,
  question: AuthorizationQuestion,
): string {
  const { responseType, tokenType, scope } = question
  if (responseType === 'code' && tokenType === 'mac') throw new RangeError('The code flow has only bearer tokens')
  if (hasBroadcaster(scope) && tokenType !== 'mac') throw new RangeError('The scope broadcaster needs a MAC token')
  const parameters = givenFields({
    response_type: responseType,
    client_id: clientId,
    redirect_uri: question.redirectUri,
    state: question.state,
    token_type: tokenType,
    scope,
    code_challenge: question.codeChallenge,
    code_challenge_method: question.codeChallenge && 'S256',
  })
  return `${authUrl}/authorize?${new URLSearchParams(parameters)}`
}

/** Returns a new verifier of PKCE and its challenge by S256 (RFC 7636, 4.1 and 4.2). */
export function newProofKey(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns 128 random bits in hexadecimal. */
export function newState(): string {
  return randomBytes(16).toString('hex')
}

/**
 * Reads the code from the redirect of the code flow.
 * @throws AuthorizationFailed after Deny, and for another state.
 * @throws UnexpectedAnswer for a redirect without a code.
 */
export function readCode(redirect: URL, state: string): string {
  assertOurs(redirect, state)
  const code = redirect.searchParams.get('code')
  if (code !== null && /^[0-9a-f]{40}$/i.test(code)) return code
  throw new UnexpectedAnswer('The redirect has no authorization code of 40 hexadecimal digits')
}

/**
 * Reads the token from the redirect of the implicit flow.
 * @param nowSeconds UNIX time in seconds.
 * @throws AuthorizationFailed after Deny, and for another state.
 * @throws UnexpectedAnswer for a redirect without a complete token.
 */
export function readImplicitToken(redirect: URL, state: string, nowSeconds: number): AccessToken {
  assertOurs(redirect, state)
  const parsed = TokenAnswer.safeParse(Object.fromEntries(redirect.searchParams))
  if (parsed.success) return tokenOf(parsed.data, nowSeconds)
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new UnexpectedAnswer(`The redirect has no complete token. Unexpected or missing: ${fields}`)
}

function assertOurs(redirect: URL, state: string): void {
  if (redirect.searchParams.get('state') !== state) {
    throw new AuthorizationFailed('This redirect belongs to another request (wrong state). Start again')
  }
  const error = redirect.searchParams.get('error')
  if (error === 'access_denied') throw new AuthorizationFailed('Access was denied on the authorization page')
  if (error !== null) throw new AuthorizationFailed(`The authorization page answered ${error.replace(/[^\w.-]/g, '')}`)
}
