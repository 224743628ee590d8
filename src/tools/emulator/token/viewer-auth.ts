import { type Request, type Response, Router } from 'express'
import { parseContentPublicKey } from '../../../features/token/viewer-token/content-key.ts'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import { routesOf } from '../http/methods.ts'
import { sendError, sendWrongMethod } from '../rest/answer.ts'
import { CONTENT_NAME, onOwn, tokenRequired } from '../rest/guard.ts'
import { isEntryPoint } from '../rest/lock-settings.ts'
import { anyBody, bodyParameters } from '../rest/parameters.ts'
import type { ServiceDeps } from '../service-deps.ts'

const JSON_BODY = 'a JSON body in place of a form'
const PKCS1_KEY = 'a public_key in PKCS#1 form'

/** Routes for the second version of viewer authentication, of channels and of videos. GET is refused. */
export function viewerAuthRoutes(deps: ServiceDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const token = tokenRequired(deps)
  const save = deps.database.prepare('INSERT OR REPLACE INTO viewer_auth VALUES (?, ?, ?, ?)')
  const remove = deps.database.prepare('DELETE FROM viewer_auth WHERE content_type = ? AND content_id = ?')
  for (const type of ['live', 'recorded'] as const) {
    const set = onOwn(deps.database, type, (req, res, id) => {
      const reading = readBody(req, res)
      if (!reading.ok) return sendError(res, reading.status, 'invalid_request', reading.description)
      save.run(type, id, reading.authUrl, reading.publicKey)
      return res.status(204).end()
    })
    const end = onOwn(deps.database, type, (_req, res, id) => {
      if (remove.run(type, id).changes === 1) res.status(204).end()
      else sendError(res, 404, 'not_found', `The ${CONTENT_NAME[type]} has no own viewer authentication`)
    })
    const path = `/${CONTENT_NAME[type]}s/:id/viewer-auth.json`
    routesOf(router, sendWrongMethod)(path, { put: [token, anyBody, set], delete: [token, end] })
  }
  return router
}

type Reading =
  /** The key is in PEM form, as received. */
  | { readonly ok: true; readonly authUrl: string; readonly publicKey: string }
  | { readonly ok: false; readonly status: 400 | 415; readonly description: string }

/** Reads `auth_url` and `public_key`, both required. */
function readBody(req: Request, res: Response): Reading {
  const refused = (description: string) => ({ ok: false, status: 400, description }) as const
  const parameters = bodyParameters(req)
  if (!parameters.ok) return { ok: false, status: parameters.status, description: `The body ${parameters.reason}` }
  const { auth_url: authUrl, public_key: publicKey } = parameters.values
  if (authUrl === undefined || publicKey === undefined) {
    const missing = [authUrl === undefined && 'auth_url', publicKey === undefined && 'public_key'].filter(Boolean)
    return refused(`Required parameters are missing: ${missing.join(' and ')}`)
  }
  if (!isEntryPoint(authUrl)) return refused('auth_url must be an absolute http or https address')
  const fault = faultInPublicKey(publicKey)
  if (fault !== null) return refused(`public_key ${fault}`)
  const beyond = []
  if (req.is('application/json')) beyond.push(JSON_BODY)
  if (publicKey.includes('BEGIN RSA PUBLIC KEY')) beyond.push(PKCS1_KEY)
  const [strict] = beyond.filter((what) => refusesBeyond(res, what))
  return strict === undefined ? { ok: true, authUrl, publicKey } : refused(strictRefusal(strict))
}

/** Returns why a text is not a public key of a channel or video, as the end of a sentence; null if it is one. */
export function faultInPublicKey(pem: string): string | null {
  try {
    parseContentPublicKey(pem)
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}
