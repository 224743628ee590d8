import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { UpstreamError } from '../../../errors.ts'
import type { ProviderAnswer } from './claims.ts'

/** Errors of openid-client that say nothing about the viewer: the provider is away, or answers with something else. */
const PROVIDER_FAULTS: readonly (string | undefined)[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
]

const ENCRYPTED = 'the ID token is encrypted: turn this off at the provider'
/** Errors of the authorization endpoint that say nothing about the viewer (RFC 6749, section 4.1.2.1). */
const PROVIDER_ERRORS = ['server_error', 'temporarily_unavailable']

/**
 * Turns an error of the callback into a refusal of the viewer.
 * @throws UpstreamError if the provider is at fault, or refuses this app. Its message is safe to log.
 */
export function refusalOfError(error: unknown): ProviderAnswer {
  if (error instanceof AuthorizationResponseError && !PROVIDER_ERRORS.includes(error.error)) {
    return { ok: false, reason: 'provider-refused', detail: codeOf(error.error) }
  }
  // The code was used, has expired, or belongs to another sign-in.
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return { ok: false, reason: 'invalid-response', detail: 'invalid_grant' }
  }
  if (error instanceof ClientError && !PROVIDER_FAULTS.includes(error.code)) {
    const isEncrypted = error.cause instanceof Error && error.cause.message.startsWith('JWE')
    return { ok: false, reason: 'invalid-response', detail: isEncrypted ? ENCRYPTED : describeFault(error) }
  }
  throw new UpstreamError('sso-provider', `The identity provider did not answer as it must: ${describeFault(error)}`)
}

/** Describes an error without anything that the provider or the viewer sent, except short codes and names of claims. */
export function describeFault(error: unknown): string {
  if (error instanceof UpstreamError) return error.message
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return codeOf(error.error)
  // The usual answer to a wrong client secret.
  if (error instanceof WWWAuthenticateChallengeError) {
    return codeOf(error.cause.find(({ parameters }) => parameters.error)?.parameters.error ?? error.code)
  }
  if (!(error instanceof Error)) return 'unknown'
  const { code, cause } = error as Error & { code?: unknown; cause?: { cause?: { claim?: unknown }; code?: unknown } }
  const claim = cause?.cause?.claim
  const details = [code, cause?.code, claim].filter((part) => typeof part === 'string').map(codeOf)
  return details.length === 0 ? codeOf(error.name) : [...new Set(details)].join(' ')
}

function codeOf(text: unknown): string {
  return String(text)
    .replace(/[^A-Za-z0-9_.-]/g, '')
    .slice(0, 60)
}
