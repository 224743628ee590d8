import { z } from 'zod'
import { isLoopbackName } from '../../settings/fields.ts'
import type { MacKey } from './mac-signature.ts'

/** The part of a token that signs a request to the REST API. */
export type ApiCredential =
  | { readonly type: 'bearer' | 'jwt'; readonly value: string }
  | { readonly type: 'mac'; readonly mac: MacKey }

/** The settings that may also be given as `NAME_FILE`. */
export const SERVICE_SECRETS = ['SERVICE_CLIENT_SECRET', 'SERVICE_ACCESS_TOKEN', 'SERVICE_MAC_KEY'] as const

const Address = z
  .string('is required')
  .refine(isSafeAddress, 'must be an https address without query or fragment; plain http only on a loopback address')
  .transform((text) => text.replace(/\/+$/, ''))
const Identifier = z.string('is required').regex(/^[0-9a-f]{40}$/i, 'must be 40 hexadecimal digits')
const Form = z.enum(['standard', 'bare'], 'must be standard or bare').default('standard')

/** The settings `SERVICE_…` of the environment. */
export const ServiceEnvironment = z
  .object({
    SERVICE_AUTH_URL: Address,
    SERVICE_OAUTH_URL: Address,
    SERVICE_BASE_URL: Address,
    SERVICE_ANALYTICS_URL: Address,
    SERVICE_CLIENT_ID: Identifier,
    SERVICE_CLIENT_SECRET: Identifier,
    SERVICE_BASIC_FORM: Form,
    SERVICE_BEARER_FORM: Form,
    SERVICE_ACCESS_TOKEN: Identifier.optional(),
    SERVICE_MAC_KEY: Identifier.optional(),
    SERVICE_LOGIN_FILE: z.string().min(1).optional(),
  })
  .refine(({ SERVICE_ACCESS_TOKEN: token, SERVICE_MAC_KEY: key }) => token !== undefined || key === undefined, {
    path: ['SERVICE_MAC_KEY'],
    message: 'needs SERVICE_ACCESS_TOKEN, the id of the MAC token',
  })
  .transform((environment) => ({
    /** `{auth_url}` of the documentation: the authorization page is at `/authorize` below it. */
    authUrl: environment.SERVICE_AUTH_URL,
    /** `{oauth_url}`: the token endpoint is at `/oauth2/token` below it. */
    oauthUrl: environment.SERVICE_OAUTH_URL,
    /** `{base_url}` of the REST API. */
    baseUrl: environment.SERVICE_BASE_URL,
    /** `{analytics_base_url}`, which ends in `/v1`. */
    analyticsUrl: environment.SERVICE_ANALYTICS_URL,
    clientId: environment.SERVICE_CLIENT_ID,
    clientSecret: environment.SERVICE_CLIENT_SECRET,
    /**
     * Content of `Authorization: Basic`, which the documentation leaves open. `standard` is
     * base64(client_id:client_secret) as in RFC 7617; `bare` is the client secret alone.
     */
    basicForm: environment.SERVICE_BASIC_FORM,
    /**
     * The `Authorization` header with a bearer token, which the documentation leaves open. `standard` is `Bearer TOKEN` as
     * in RFC 6750; `bare` is the token alone.
     */
    bearerForm: environment.SERVICE_BEARER_FORM,
    /** Path of the file that keeps the login of a user, for channels and locks without `accessToken`. Null: none. */
    loginFile: environment.SERVICE_LOGIN_FILE ?? null,
    /** A token that the user gives, for channels and locks. Null: the client requests one. */
    accessToken: credentialOf(environment.SERVICE_ACCESS_TOKEN, environment.SERVICE_MAC_KEY),
  }))

/** Addresses of the service, without a trailing slash, and our credentials. */
export type ServiceSettings = Readonly<z.output<typeof ServiceEnvironment>>

function credentialOf(token: string | undefined, macKey: string | undefined): ApiCredential | null {
  if (token === undefined) return null
  return macKey === undefined ? { type: 'bearer', value: token } : { type: 'mac', mac: { id: token, key: macKey } }
}

/** True for an address that may receive credentials: https, or plain http on a loopback address. */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash, username, password } = new URL(text)
  if (search !== '' || hash !== '' || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname))
}
