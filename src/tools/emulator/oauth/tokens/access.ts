import type { ServiceDeps } from '../../service-deps.ts'
import { isSignedBy, type MacCredentials, readMacHeader } from './mac-signature.ts'
import { findToken } from './token-store.ts'

export type AccessCheck =
  | { readonly ok: true; readonly userId: number }
  | {
      readonly ok: false
      readonly error: 'unauthorized' | 'invalid_token'
      /** A sentence for the developer, without any part of the token. */
      readonly description: string
    }

/** The parts of a request that access depends on. */
export interface AccessRequest {
  readonly method: string
  readonly requestUri: string
  readonly authorizationHeader: string | undefined
  readonly hostHeader: string | undefined
}

const BEARER = /^Bearer\s+([\w.~+/-]+=*)$/i

/** Checks the token of a request to the REST API: `Bearer`, or a signature with a MAC token. */
export function checkAccess(deps: ServiceDeps, request: AccessRequest): AccessCheck {
  const header = request.authorizationHeader?.trim() ?? ''
  if (header === '') return { ok: false, error: 'unauthorized', description: 'No access token was sent' }
  const bearer = BEARER.exec(header)?.[1]
  if (bearer !== undefined) return checkBearer(deps, bearer)
  const credentials = readMacHeader(header)
  if (credentials !== null) return checkMac(deps, request, credentials)
  return refused('The Authorization header must be "Bearer" with a token, or "MAC" with a complete signature')
}

function checkBearer({ database, nowSeconds }: ServiceDeps, accessToken: string): AccessCheck {
  const found = findToken(database, accessToken, nowSeconds())
  if (!found.ok) return refused(`The access token ${found.reason}`)
  if (found.token.kind === 'mac') return refused('This is a MAC token. Sign requests with it')
  if (found.token.kind === 'jwt') return refused('This is a JWT, which opens only the analytics API')
  return { ok: true, userId: found.token.userId }
}

function checkMac(deps: ServiceDeps, request: AccessRequest, credentials: MacCredentials): AccessCheck {
  const found = findToken(deps.database, credentials.id, deps.nowSeconds())
  if (!found.ok) return refused(`The access token ${found.reason}`)
  const { macKey, userId } = found.token
  if (macKey === null) return refused('This token cannot sign requests. Get one with token_type=mac')
  const { method, requestUri, hostHeader = '' } = request
  const [, host = '', port = '80'] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(hostHeader.toLowerCase()) ?? []
  const isRight = isSignedBy(credentials, { method, requestUri, host, port: Number(port) }, macKey)
  return isRight ? { ok: true, userId } : refused('The signature does not match the request')
}

function refused(description: string): AccessCheck {
  return { ok: false, error: 'invalid_token', description }
}
