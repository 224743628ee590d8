import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import type { AccessDeps } from '../oauth/tokens/access.ts'
import { sendError, sendWrongMethod } from '../rest/answer.ts'
import { tokenRequired } from '../rest/guard.ts'
import { CONTENT_NAME, onOwn } from '../rest/own-content.ts'
import { anyBody, bodyParameters } from '../rest/parameters.ts'
import { readViewerAuth, removeViewerAuth, setViewerAuth, type ViewerAuthSettings } from './viewer-auth-settings.ts'

const JSON_BODY = 'a JSON body in place of a form'
const PKCS1_KEY = 'a public_key in PKCS#1 form'

/** Routes for the second version of viewer authentication, of channels and of videos. GET is refused. */
export function viewerAuthRoutes(deps: AccessDeps): Router {
  const { database } = deps
  const router = Router({ caseSensitive: true, strict: true })
  const token = tokenRequired(deps)
  for (const type of ['live', 'recorded'] as const) {
    const set = onOwn(database, type, (req, res, id) => {
      const reading = readBody(req, res)
      if (!reading.ok) return sendError(res, reading.status, 'invalid_request', reading.description)
      setViewerAuth(database, type, id, reading.settings)
      return res.status(204).end()
    })
    const remove = onOwn(database, type, (_req, res, id) => {
      if (removeViewerAuth(database, type, id)) res.status(204).end()
      else sendError(res, 404, 'not_found', `The ${CONTENT_NAME[type]} has no own viewer authentication`)
    })
    router
      .route(`/${CONTENT_NAME[type]}s/:id/viewer-auth.json`)
      .put(token, anyBody, set)
      .delete(token, remove)
      .all(onlyMethods('PUT, DELETE', sendWrongMethod))
  }
  return router
}

type Reading =
  | { readonly ok: true; readonly settings: ViewerAuthSettings }
  | { readonly ok: false; readonly status: 400 | 415; readonly description: string }

function readBody(req: Request, res: Response): Reading {
  const parameters = bodyParameters(req)
  if (!parameters.ok) return { ok: false, status: parameters.status, description: `The body ${parameters.reason}` }
  const reading = readViewerAuth(parameters.values)
  if (!reading.ok) return { ok: false, status: 400, description: reading.description }
  const beyond = [...(req.is('application/json') ? [JSON_BODY] : []), ...(reading.isPkcs1 ? [PKCS1_KEY] : [])]
  const refused = beyond.filter((what) => refusesBeyond(res, what))[0]
  return refused === undefined ? reading : { ok: false, status: 400, description: strictRefusal(refused) }
}
