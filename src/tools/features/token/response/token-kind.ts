import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { isTokenEntryPoint } from '../../../../features/token/fields.ts'
import type { ResponseKind } from '../../../cli/response/response-command.ts'
import { buildToken, checkToken, tokenIn } from './token-response.ts'

/** Responses that are viewer tokens. */
export const tokenKind: ResponseKind = {
  parameter: 'vt',
  buildExample: 'viewer-auth response build sub=ada@example.com   # a token, with VIEWER_AUTH=token',
  buildNote: 'For an entry point with VIEWER_AUTH=token, builds a token. Its one parameter is sub.',
  checkNote:
    'Also accepts a token, or an address or query that contains it as vt=. Only the service can read a token: this command checks its outer part and the key of the service.',
  build: (io, entryPoint, parameters, hasLifetime) =>
    isTokenEntryPoint(entryPoint) ? buildToken(io, entryPoint, parameters, hasLifetime) : null,
  noteOnHash({ entryPoints }, entryPoint, parameters) {
    const isLikeToken =
      parameters.some(([name]) => name === 'sub') && entryPoint.parameters.every(({ name }) => name !== 'sub')
    if (!isLikeToken || !entryPoints.some(isTokenEntryPoint)) return null
    return `Note: entry point ${entryPoint.name} has VIEWER_AUTH=hash, so this is not a token. For a token, use --entry-point.\n`
  },
  check(io, entryPoints, text) {
    const token = tokenIn(text, !entryPoints.some(isHashEntryPoint))
    return token === null ? null : checkToken(io, entryPoints, token)
  },
}
