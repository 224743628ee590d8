import { z } from 'zod'
import { type RefusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'
import type { TokenKind } from './token-store.ts'

/** The documented errors of the token endpoint, and `invalid_scope` of RFC 6749. */
export type TokenError =
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'invalid_grant'
  | 'invalid_client'
  | 'invalid_scope'

const Text = z.string().min(1).max(2_048)
export const DeviceName = z
  .string()
  .max(255)
  // Refuses invisible characters, and characters that change the text direction of the page.
  .regex(/^[^\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]*$/u)

const Shared = z.object({
  client_id: Text,
  token_type: z.string().optional(),
  scope: z.string().optional(),
  device_name: DeviceName.optional(),
})
const TokenRequest = z.discriminatedUnion('grant_type', [
  Shared.extend({
    grant_type: z.literal('authorization_code'),
    code: Text,
    redirect_uri: Text,
    code_verifier: Text.optional(),
  }),
  Shared.extend({ grant_type: z.literal('refresh_token'), refresh_token: Text }),
  Shared.extend({ grant_type: z.literal('password'), client_secret: Text, username: Text, password: Text }),
  Shared.extend({ grant_type: z.literal('client_credentials') }),
])

export type TokenRequest = z.infer<typeof TokenRequest>

export type Terms =
  | { readonly ok: true; readonly kind: TokenKind; readonly scope: string }
  | { readonly ok: false; readonly error: 'invalid_request' | 'invalid_scope'; readonly reason: string }

/** Token types of each grant; the first is the default. */
const KINDS: Record<TokenRequest['grant_type'], readonly TokenKind[]> = {
  authorization_code: ['bearer'],
  refresh_token: ['bearer'],
  password: ['bearer', 'mac', 'jwt'],
  client_credentials: ['bearer', 'mac', 'jwt'],
}

/** Checks the grant type first, then its required parameters. */
export function readTokenRequest(fields: Readonly<Record<string, string>>) {
  if (fields.grant_type === undefined) {
    return { ok: false, error: 'invalid_request', reason: 'Required parameters are missing: grant_type' } as const
  }
  if (!Object.hasOwn(KINDS, fields.grant_type)) {
    return { ok: false, error: 'unsupported_grant_type', reason: 'Unknown grant_type' } as const
  }
  const parsed = TokenRequest.safeParse(fields)
  if (parsed.success) return { ok: true, request: parsed.data } as const
  const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].join(', ')
  return { ok: false, error: 'invalid_request', reason: `Parameters are missing or malformed: ${names}` } as const
}

/** A name of a scope (RFC 6749 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/
const MORE_SCOPES = 'a scope other than "broadcaster" alone'

/**
 * Checks token_type and scope, for both endpoints. The first allowed type is the default. Of the scope, each name is kept
 * once, with a space between them.
 */
export function readTerms(
  { token_type: kind, scope = '' }: { token_type?: string | undefined; scope?: string | undefined },
  allowedKinds: readonly TokenKind[],
  refusesBeyond: RefusesBeyond,
): Terms {
  const found = kind === undefined ? allowedKinds[0] : allowedKinds.find((allowed) => allowed === kind)
  if (found === undefined) {
    return { ok: false, error: 'invalid_request', reason: `token_type must be one of: ${allowedKinds.join(', ')}` }
  }
  const names = [...new Set(scope.split(' '))].filter((name) => name !== '')
  if (names.some((name) => !SCOPE.test(name))) {
    return { ok: false, error: 'invalid_scope', reason: 'scope must be names with spaces between them' }
  }
  if (!['', 'broadcaster'].includes(scope) && refusesBeyond(MORE_SCOPES)) {
    return { ok: false, error: 'invalid_scope', reason: strictRefusal(MORE_SCOPES) }
  }
  if (names.includes('broadcaster') && found !== 'mac') {
    return { ok: false, error: 'invalid_scope', reason: 'The scope "broadcaster" needs token_type=mac' }
  }
  return { ok: true, kind: found, scope: names.join(' ') }
}

/** Checks token_type and scope of a request to the token endpoint. */
export function termsOfGrant(request: TokenRequest, refusesBeyond: RefusesBeyond): Terms {
  return readTerms(request, KINDS[request.grant_type], refusesBeyond)
}
