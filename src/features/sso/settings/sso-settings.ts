import { hash, type KeyObject } from 'node:crypto'
import type { Logo } from '../../../brand/brand.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { AcceptsSession } from '../../../sessions/sessions.ts'
import type { KeyAlgorithm } from './client-key.ts'

/** The credentials of the app at the token endpoint of the provider. */
export type ClientAuthentication =
  | { readonly kind: 'secret'; readonly secret: string }
  | {
      readonly kind: 'key'
      readonly privateKey: KeyObject
      /** In DER form. Null if the file contains only the key. */
      readonly certificate: Buffer | null
      /** Default: the first that fits the key. */
      readonly algorithm?: KeyAlgorithm
    }

/** The identity provider of an entry point (OpenID Connect). */
export interface SsoSettings {
  /** Exactly as the provider writes it: a slash at the end counts. */
  readonly issuer: string
  readonly clientId: string
  readonly authentication: ClientAuthentication
  readonly scopes: string
  /** The name of the provider on the screens. */
  readonly label: string
  /** The icon of the provider on the button. Default: a person. */
  readonly icon?: Logo
  readonly usernameClaim: string
  readonly groupsClaim: string
  /** True if OIDC_GROUPS_CLAIM is set. ALLOWED_GROUPS needs the groups too. */
  readonly needsGroups: boolean
  readonly attributes: readonly { readonly name: string; readonly claim: string }[]
  /** The organizations whose viewers may sign in. Null accepts all that the issuer has. */
  readonly tenants: readonly string[] | null
  /** True if the entry point has no password form. */
  readonly isOnly: boolean
  /** The longest time until the provider is asked again. */
  readonly sessionSeconds: number
  /** True if a viewer may sign in on another device, and type a code. */
  readonly hasCode: boolean
}

/** Returns the settings of single sign-on at an entry point. Null if it is off there. */
export function ssoOf({ features }: Pick<EntryPoint, 'features'>): SsoSettings | null {
  return (features.sso as SsoSettings | undefined) ?? null
}

/**
 * Returns a digest of the settings that decide who a viewer is. A session counts only where they are the same: a viewer
 * of one provider must not pass as a viewer of another.
 */
export function providerIdOf(settings: SsoSettings): string {
  const { issuer, clientId, scopes, usernameClaim, groupsClaim, attributes, tenants } = settings
  const parts = [issuer, clientId, scopes, usernameClaim, groupsClaim, attributes, tenants]
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
}

/** Returns a digest of the provider and the credentials. Entry points with the same digest share a connection. */
export function connectionIdOf(settings: SsoSettings): string {
  const { authentication } = settings
  const credentials =
    authentication.kind === 'secret'
      ? [authentication.secret]
      : [
          authentication.privateKey.export({ type: 'pkcs8', format: 'pem' }),
          authentication.certificate?.toString('base64'),
          authentication.algorithm,
        ]
  return hash('sha256', JSON.stringify([providerIdOf(settings), authentication.kind, credentials]), 'base64url')
}

/** Accepts sessions of this provider. They may be from an entry point with a longer limit. */
export function acceptsSession(settings: SsoSettings): AcceptsSession {
  const providerId = providerIdOf(settings)
  return ({ identity, signedInAtSeconds }, nowSeconds) =>
    identity?.providerId === providerId && signedInAtSeconds + settings.sessionSeconds > nowSeconds
}
