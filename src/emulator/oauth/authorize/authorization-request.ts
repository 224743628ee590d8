import type { DatabaseSync } from 'node:sqlite'
import { percentDecode, percentEncode, readParameters } from '../../http/form.ts'
import { type Client, findClient } from '../tokens/client-authentication.ts'
import { DeviceName, readTerms } from '../tokens/token-request.ts'
import type { TokenKind } from '../tokens/token-store.ts'
import { appendQuery, checkRedirectUri } from './redirect-address.ts'

/** What a client asks of a user, checked. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  /** Where the answer to the page's form may lead, for its `form-action`. */
  readonly formActionSources: readonly string[]
  readonly responseType: 'code' | 'token'
  readonly kind: TokenKind
  readonly scope: '' | 'broadcaster'
  readonly deviceName: string | null
  readonly lang: string | null
  /** Percent-encoded; null when none was sent. */
  readonly state: string | null
  /** The same request again, as a query: what a form or a link carries through a sign-in. */
  readonly query: string
}

export type AuthorizationReading =
  | { readonly ok: true; readonly request: AuthorizationRequest }
  /** Nobody we know asks, or for an address that is not theirs: the user sees a page, nothing is redirected. */
  | {
      readonly ok: false
      readonly problem: 'unknown-client' | 'foreign-address' | 'too-long'
      readonly reason: string
      readonly lang: string | null
    }
  | { readonly ok: false; readonly problem: null; readonly location: string; readonly reason: string }

type AuthorizationError = 'invalid_request' | 'unsupported_response_type' | 'invalid_scope' | 'access_denied'

const LONGEST_REQUEST = 8_192
const PARAMETERS = ['response_type', 'client_id', 'redirect_uri', 'scope', 'token_type', 'device_name', 'lang'] as const
/** MAC tokens are not to be had with a code. */
const KINDS: Record<AuthorizationRequest['responseType'], readonly TokenKind[]> = {
  code: ['bearer'],
  token: ['bearer', 'mac'],
}

/**
 * Reads the parameters of the authorization endpoint. The order of the checks is fixed: the client and its redirect_uri
 * first, since only then is there somewhere to redirect to; repeated parameters; response_type; token_type and scope;
 * device_name. An unknown `lang` is no mistake: the page is then in another language.
 * @param text percent-encoded, of the query or of the form.
 */
export function readAuthorizationRequest(database: DatabaseSync, text: string): AuthorizationReading {
  if (text.length > LONGEST_REQUEST) {
    const reason = `The request is longer than ${LONGEST_REQUEST} characters`
    return { ok: false, problem: 'too-long', reason, lang: null }
  }
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
  const address = checkRedirectUri(redirectUri, client.redirectUriPrefix)
  if (!address.ok) return { ok: false, problem: 'foreign-address', reason: `redirect_uri ${address.reason}`, lang }
  const { state, isRepeated, others } = takeState(text)
  const refused = (error: AuthorizationError, reason: string): AuthorizationReading => {
    return { ok: false, problem: null, location: errorLocation({ redirectUri, state }, error), reason }
  }
  const form = readParameters(others)
  if (isRepeated) return refused('invalid_request', 'The request repeats a parameter: "state"')
  if (!form.ok) return refused('invalid_request', `The request ${form.reason}`)
  const { response_type: responseType } = form.fields
  if (responseType === undefined) return refused('invalid_request', 'response_type is missing')
  if (responseType !== 'code' && responseType !== 'token') {
    return refused('unsupported_response_type', 'response_type is neither "code" nor "token"')
  }
  const terms = readTerms(form.fields, KINDS[responseType])
  if (!terms.ok) return refused(terms.error, terms.reason)
  const deviceName = DeviceName.nullable().safeParse(form.fields.device_name ?? null)
  if (!deviceName.success) return refused('invalid_request', 'device_name is too long or holds control characters')
  const query = queryOf(form.fields, state)
  const { formActionSources } = address
  const { kind, scope } = terms
  return {
    ok: true,
    request: {
      ...{ client, redirectUri, formActionSources, responseType, kind, scope },
      ...{ deviceName: deviceName.data, lang, state, query },
    },
  }
}

/** Where a refusal sends the browser, with what the documents say belongs there. */
export function errorLocation(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  error: AuthorizationError,
): string {
  return resultLocation({ redirectUri, state }, { error })
}

/** The client's address with the result appended, and its state as it was sent. */
export function resultLocation(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  result: Readonly<Record<string, string | number>>,
): string {
  const pairs = Object.entries(result).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return appendQuery(redirectUri, [...pairs, ...(state === null ? [] : [`state=${state}`])].join('&'))
}

/**
 * The client's state, in percent-encoding, apart from the other parameters. Its bytes are kept one by one: they need not
 * be text in UTF-8, and reading them as such would lose those that are not. Without a value it counts as not sent; sent
 * twice, neither is believed.
 */
function takeState(text: string): { state: string | null; isRepeated: boolean; others: string } {
  const pairs = text.split('&')
  const isState = (pair: string) => percentDecode(pair.split('=', 1)[0] ?? '').equals(Buffer.from('state'))
  const states = pairs.filter(isState)
  const value = states[0]?.slice(states[0].indexOf('=') + 1) ?? ''
  const isKept = states.length === 1 && value !== '' && states[0]?.includes('=')
  return {
    state: isKept ? percentEncode(percentDecode(value)) : null,
    isRepeated: states.length > 1,
    others: pairs.filter((pair) => !isState(pair)).join('&'),
  }
}

function queryOf(fields: Readonly<Record<string, string>>, state: string | null): string {
  const pairs = PARAMETERS.flatMap((name) => {
    const value = fields[name]
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`]
  })
  return [...pairs, ...(state === null ? [] : [`state=${state}`])].join('&')
}
