import type { DatabaseSync } from 'node:sqlite'
import { type Request, type Response, Router } from 'express'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import { routesOf } from '../http/methods.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { sendError, sendRecord, sendWrongMethod } from './answer.ts'
import { CONTENT_NAME, onOwn, tokenRequired } from './guard.ts'
import {
  type ContentType,
  findLock,
  type LockSettings,
  readLockSettings,
  removeLock,
  setLock,
} from './lock-settings.ts'
import { anyBody, bodyParameters } from './parameters.ts'

/** The documents show both sizes as text, and name no default. */
const DEFAULT_POPUP_WIDTH = '640'
const DEFAULT_POPUP_HEIGHT = '480'

/** The documents show these settings in responses, but not as parameters. */
const RESPONSE_ONLY = ['message', 'button_caption', 'popup_width', 'popup_height']

/** Routes for the viewer authentication of channels, in JSON and XML, and of videos, in JSON. */
export function lockRoutes(deps: ServiceDeps): Router {
  const { database } = deps
  const token = tokenRequired(deps)
  const set = (type: ContentType) =>
    onOwn(database, type, (req, res, id) => {
      const isNew = save(database, type, req, res, id)
      if (isNew === true && type === 'live') sendLock(res, 201, type, findLock(database, type, id))
      else if (isNew !== null) res.status(204).end()
    })
  const read = (type: ContentType) =>
    onOwn(database, type, (_req, res, id) => sendLock(res, 200, type, findLock(database, type, id)))
  const remove = (type: ContentType) =>
    onOwn(database, type, (_req, res, id) => {
      if (!removeLock(database, type, id)) sendLock(res, 200, type, null)
      else if (type === 'live') sendRecord(res, 200, 'hashlock', {})
      else res.status(204).end()
    })
  const router = Router({ caseSensitive: true, strict: true })
  const add = routesOf(router, sendWrongMethod)
  add('/channels/:id/locks/hash/advanced.:format', { put: [token, anyBody, set('live')] })
  add('/channels/:id/locks/hash.:format', { get: [token, read('live')], delete: [token, remove('live')] })
  add('/videos/:id/locks/hash.json', {
    get: [token, read('recorded')],
    put: [token, anyBody, set('recorded')],
    delete: [token, remove('recorded')],
  })
  return router
}

/** Reads the body and sets the lock. @returns true if new, false if replaced, null if it sent an error. */
function save(database: DatabaseSync, type: ContentType, req: Request, res: Response, id: number): boolean | null {
  const parameters = bodyParameters(req)
  if (!parameters.ok) {
    sendError(res, parameters.status, 'invalid_request', `The body ${parameters.reason}`)
    return null
  }
  const reading = readLockSettings(parameters.values)
  if (!reading.ok) {
    sendError(res, 400, reading.error, reading.description)
    return null
  }
  const others = RESPONSE_ONLY.filter((name) => parameters.values[name] !== undefined)
  const what = `the ${others.length === 1 ? 'parameter' : 'parameters'} ${others.join(', ')} of a PUT`
  if (others.length > 0 && refusesBeyond(res, what)) {
    sendError(res, 400, 'invalid_request', strictRefusal(what))
    return null
  }
  return setLock(database, type, id, reading.settings)
}

function sendLock(res: Response, status: number, type: ContentType, lock: LockSettings | null): void {
  if (lock === null) {
    sendError(res, 404, 'not_found', `The ${CONTENT_NAME[type]} has no own viewer authentication settings`)
    return
  }
  const { url, secret, message, button_caption, popup_width, popup_height } = lock
  const ofVideo = { url, secret }
  const ofChannel = {
    type: 'advanced',
    url,
    message,
    button_caption,
    popup_width: popup_width ?? DEFAULT_POPUP_WIDTH,
    popup_height: popup_height ?? DEFAULT_POPUP_HEIGHT,
  }
  sendRecord(res, status, 'hashlock', type === 'live' ? ofChannel : ofVideo)
}
