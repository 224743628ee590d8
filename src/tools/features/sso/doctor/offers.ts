import type { ServerMetadata } from 'openid-client'
import { algorithmsOf } from '../../../../features/sso/settings/client-key.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { type Finding, failure, ok, unknown } from '../../../cli/doctor/finding.ts'

/** The libraries of the app verify these with a public key of the provider. */
const VERIFIABLE = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519|ML-DSA-\d+)$/

/**
 * Compares what the discovery document lists with what the app needs.
 * @param needsGroups true if ALLOWED_GROUPS is set.
 */
export function* checkOffers(
  metadata: ServerMetadata,
  settings: SsoSettings,
  needsGroups: boolean,
): Generator<Finding> {
  const algorithms = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  if (!algorithms.some((algorithm) => VERIFIABLE.test(algorithm))) {
    yield failure(
      'sso-signing-algorithm',
      `The provider signs ID tokens only with ${algorithms.join(', ')}. The app needs a signature with a key pair. Choose RS256 at the provider.`,
    )
  }
  yield* checkKeyAlgorithm(metadata, settings)
  const modes = textsOf(metadata.response_modes_supported) ?? ['query']
  if (!modes.includes('query')) {
    yield failure(
      'sso-response-mode',
      `The provider offers only the response modes ${modes.join(', ')}. The app needs query. Allow it at the provider.`,
    )
  }
  const challenges = metadata.code_challenge_methods_supported
  if (challenges !== undefined && !challenges.includes('S256')) {
    yield failure(
      'sso-no-s256',
      `The provider offers PKCE only with ${challenges.join(', ')}. The app needs S256. Allow it at the provider.`,
    )
  }
  const pkce = challenges === undefined ? 'does not list PKCE' : 'offers PKCE with S256'
  const iss = metadata.authorization_response_iss_parameter_supported === true ? 'names itself' : 'does not name itself'
  yield ok(
    'sso-answers',
    `The provider ${pkce}, and ${iss} in its answer (iss). The nonce protects answers in any case.`,
  )
  yield listed('scope', settings.scopes.split(' '), metadata.scopes_supported)
  yield listed('claim', claimsOf(settings, needsGroups), textsOf(metadata.claims_supported))
}

function* checkKeyAlgorithm(metadata: ServerMetadata, { authentication }: SsoSettings): Generator<Finding> {
  if (authentication.kind === 'secret') return
  const { privateKey, algorithm = algorithmsOf(privateKey)[0] } = authentication
  const offered = textsOf(metadata.token_endpoint_auth_signing_alg_values_supported)
  if (algorithm === undefined || offered === undefined || offered.includes(algorithm)) return
  yield failure(
    'sso-client-algorithm',
    `The app signs with ${algorithm}, and the provider accepts only ${offered.join(', ')}. Set OIDC_CLIENT_KEY_ALGORITHM, or use another key in OIDC_CLIENT_KEY_FILE.`,
  )
}

function claimsOf({ usernameClaim, groupsClaim, attributes }: SsoSettings, needsGroups: boolean): string[] {
  return [...new Set([usernameClaim, ...(needsGroups ? [groupsClaim] : []), ...attributes.map(({ claim }) => claim)])]
}

/** A provider need not list everything that it offers. */
function listed(kind: 'scope' | 'claim', needed: readonly string[], offered: readonly string[] | undefined): Finding {
  const missing = offered === undefined ? needed : needed.filter((name) => !offered.includes(name))
  if (missing.length === 0) return ok(`sso-${kind}s`, `The provider offers each ${kind}: ${needed.join(', ')}.`)
  const field = `${kind}s_supported`
  const fact = offered === undefined ? `The provider has no list ${field}` : `${field} of the provider lacks`
  return unknown(
    `sso-${kind}s-unlisted`,
    `${fact}${offered === undefined ? ', so it may lack' : ''} ${missing.join(', ')}. Some providers list only a part. Look at the settings of the provider, and sign in once.`,
  )
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}
