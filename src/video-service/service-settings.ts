import { z } from 'zod'
import { isLoopbackName } from '../settings/fields.ts'

/** Addresses of the service, without a trailing slash, and our credentials. */
export interface ServiceSettings {
  /** `{auth_url}` of the documentation: the authorization page is at `/authorize` below it. */
  readonly authUrl: string
  /** `{oauth_url}`: the token endpoint is at `/oauth2/token` below it. */
  readonly oauthUrl: string
  /** `{base_url}` of the REST API. */
  readonly baseUrl: string
  /** `{analytics_base_url}`, which ends in `/v1`. */
  readonly analyticsUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /**
   * Content of `Authorization: Basic`, which the documentation leaves open. `standard` is
   * base64(client_id:client_secret) as in RFC 7617; `bare` is the client secret alone.
   */
  readonly basicForm: 'standard' | 'bare'
}

const Address = z
  .string('is required')
  .refine(isSafeAddress, 'must be an https address without query or fragment; plain http only on a loopback address')
  .transform((text) => text.replace(/\/+$/, ''))
const Identifier = z.string('is required').regex(/^[0-9a-f]{40}$/i, 'must be 40 hexadecimal digits')

/** The settings `SERVICE_…` of the environment. */
export const ServiceEnvironment = z
  .object({
    SERVICE_AUTH_URL: Address,
    SERVICE_OAUTH_URL: Address,
    SERVICE_BASE_URL: Address,
    SERVICE_ANALYTICS_URL: Address,
    SERVICE_CLIENT_ID: Identifier,
    SERVICE_CLIENT_SECRET: Identifier,
    SERVICE_BASIC_FORM: z.enum(['standard', 'bare'], 'must be standard or bare').default('standard'),
  })
  .transform(
    (environment): ServiceSettings => ({
      authUrl: environment.SERVICE_AUTH_URL,
      oauthUrl: environment.SERVICE_OAUTH_URL,
      baseUrl: environment.SERVICE_BASE_URL,
      analyticsUrl: environment.SERVICE_ANALYTICS_URL,
      clientId: environment.SERVICE_CLIENT_ID,
      clientSecret: environment.SERVICE_CLIENT_SECRET,
      basicForm: environment.SERVICE_BASIC_FORM,
    }),
  )

/** True for an address that may receive credentials: https, or plain http on a loopback address. */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash, username, password } = new URL(text)
  if (search !== '' || hash !== '' || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}
