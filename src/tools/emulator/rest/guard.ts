import type { RequestHandler, Response } from 'express'
import { type Access, type AccessDeps, checkAccess } from '../oauth/tokens/access.ts'
import { sendError } from './answer.ts'

const REALM = 'realm="emulated video service"'

/** Refuses requests without a valid token, before their body is read. Later handlers call `accessOf`. */
export function tokenRequired(deps: AccessDeps): RequestHandler {
  return (req, res, next) => {
    const check = checkAccess(deps, {
      method: req.method,
      requestUri: req.originalUrl,
      authorizationHeader: req.headers.authorization,
      hostHeader: req.headers.host,
      localAddress: req.socket.localAddress,
      isEncrypted: req.secure,
    })
    if (check.ok) {
      res.locals.access = check.access
      return next()
    }
    // RFC 6750 3.1: no error code if the request has no token.
    const details =
      check.error === 'invalid_token'
        ? `, error="invalid_token", error_description="${quotable(check.description)}"`
        : ''
    res.append('WWW-Authenticate', `Bearer ${REALM}${details}`)
    res.append('WWW-Authenticate', `MAC ${REALM}`)
    return sendError(res, 401, check.error, check.description)
  }
}

/** Returns the access that `tokenRequired` granted. */
export function accessOf(res: Response): Access {
  const access: Access | undefined = res.locals.access
  if (access === undefined) throw new Error('The route has no tokenRequired')
  return access
}

/** Removes the character that would end a quoted string in a header. */
function quotable(text: string): string {
  return text.replaceAll('"', "'")
}
