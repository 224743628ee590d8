import type { DatabaseSync } from 'node:sqlite'
import type { Request, RequestHandler, Response } from 'express'
import { checkAccess } from '../oauth/tokens/access.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { formatOf, sendError } from './answer.ts'
import type { ContentType } from './lock-settings.ts'

const REALM = 'realm="emulated video service"'

/** Refuses requests without a valid token, before their body is read. Later handlers call `userIdOf`. */
export function tokenRequired(deps: ServiceDeps): RequestHandler {
  return (req, res, next) => {
    const check = checkAccess(deps, {
      method: req.method,
      requestUri: req.originalUrl,
      authorizationHeader: req.headers.authorization,
      hostHeader: req.headers.host,
    })
    if (check.ok) {
      res.locals.userId = check.userId
      return next()
    }
    // RFC 6750 3.1: no error code if the request has no token. In the description, a quotation mark would end the text.
    const details =
      check.error === 'invalid_token'
        ? `, error="invalid_token", error_description="${check.description.replaceAll('"', "'")}"`
        : ''
    res.append('WWW-Authenticate', `Bearer ${REALM}${details}`)
    res.append('WWW-Authenticate', `MAC ${REALM}`)
    return sendError(res, 401, check.error, check.description)
  }
}

/** Returns the user of the token that `tokenRequired` accepted. */
export function userIdOf(res: Response): number {
  const userId: number | undefined = res.locals.userId
  if (userId === undefined) throw new Error('The route has no tokenRequired')
  return userId
}

/** The names of channels and videos in paths and messages. */
export const CONTENT_NAME: Record<ContentType, string> = { live: 'channel', recorded: 'video' }

/** Calls `work` if the channel or video exists (else 404) and belongs to the caller (else 403). */
export function onOwn(
  database: DatabaseSync,
  type: ContentType,
  work: (req: Request, res: Response, id: number) => void,
): RequestHandler {
  const find = database.prepare(`SELECT owner_id FROM ${CONTENT_NAME[type]}s WHERE id = ?`)
  return (req, res) => {
    const { id = '', format } = req.params as Record<string, string | undefined>
    if (format !== undefined && format !== formatOf(req)) {
      return sendError(res, 404, 'not_found', 'The format must be json or xml')
    }
    const row = /^[1-9]\d{0,14}$/.test(id) ? find.get(Number(id)) : undefined
    if (row === undefined) return sendError(res, 404, 'not_found', `No ${CONTENT_NAME[type]} has this id`)
    if (row.owner_id !== userIdOf(res)) {
      return sendError(res, 403, 'lack_of_ownership', `The user of this token cannot manage this ${CONTENT_NAME[type]}`)
    }
    return work(req, res, Number(id))
  }
}
