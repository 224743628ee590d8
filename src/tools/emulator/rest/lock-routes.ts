import type { DatabaseSync } from 'node:sqlite'
import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import type { AccessDeps } from '../oauth/tokens/access.ts'
import { sendError, sendRecord, sendWrongMethod } from './answer.ts'
import { tokenRequired } from './guard.ts'
import {
  type ContentType,
  findLock,
  type LockSettings,
  readLockSettings,
  removeLock,
  setLock,
} from './lock-settings.ts'
import { CONTENT_NAME, onOwn } from './own-content.ts'
import { anyBody, bodyParameters } from './parameters.ts'

/** The documents show both sizes as text, and name no default. */
const DEFAULT_POPUP_WIDTH = '640'
const DEFAULT_POPUP_HEIGHT = '480'

/** The documents show these settings in responses, but not as parameters. */
const RESPONSE_ONLY = ['message', 'button_caption', 'popup_width', 'popup_height']

/** Routes for the viewer authentication of channels, in JSON and XML. */
export function channelLockRoutes(deps: AccessDeps): Router {
  const { database } = deps
  const router = Router({ caseSensitive: true, strict: true })
  const token = tokenRequired(deps)
  const set = onOwn(database, 'live', (req, res, id) => {
    const isNew = save(database, 'live', req, res, id)
    if (isNew === true) sendChannelLock(res, 201, findLock(database, 'live', id))
    else if (isNew === false) res.status(204).end()
  })
  const read = onOwn(database, 'live', (_req, res, id) => sendChannelLock(res, 200, findLock(database, 'live', id)))
  const remove = onOwn(database, 'live', (_req, res, id) => {
    if (removeLock(database, 'live', id)) sendRecord(res, 200, 'hashlock', {})
    else sendNoLock(res, 'live')
  })
  router
    .route('/channels/:id/locks/hash/advanced.:format')
    .put(token, anyBody, set)
    .all(onlyMethods('PUT', sendWrongMethod))
  router
    .route('/channels/:id/locks/hash.:format')
    .get(token, read)
    .delete(token, remove)
    .all(onlyMethods('GET, HEAD, DELETE', sendWrongMethod))
  return router
}

/** Routes for the viewer authentication of videos, in JSON. */
export function videoLockRoutes(deps: AccessDeps): Router {
  const { database } = deps
  const router = Router({ caseSensitive: true, strict: true })
  const token = tokenRequired(deps)
  const set = onOwn(database, 'recorded', (req, res, id) => {
    if (save(database, 'recorded', req, res, id) !== null) res.status(204).end()
  })
  const read = onOwn(database, 'recorded', (_req, res, id) => {
    const lock = findLock(database, 'recorded', id)
    if (lock === null) sendNoLock(res, 'recorded')
    else sendRecord(res, 200, 'hashlock', { url: lock.url, secret: lock.secret })
  })
  const remove = onOwn(database, 'recorded', (_req, res, id) => {
    if (removeLock(database, 'recorded', id)) res.status(204).end()
    else sendNoLock(res, 'recorded')
  })
  router
    .route('/videos/:id/locks/hash.json')
    .put(token, anyBody, set)
    .get(token, read)
    .delete(token, remove)
    .all(onlyMethods('GET, HEAD, PUT, DELETE', sendWrongMethod))
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

function sendChannelLock(res: Response, status: number, lock: LockSettings | null): void {
  if (lock === null) {
    sendNoLock(res, 'live')
    return
  }
  sendRecord(res, status, 'hashlock', {
    type: 'advanced',
    url: lock.url,
    message: lock.message,
    button_caption: lock.buttonCaption,
    popup_width: lock.popupWidth ?? DEFAULT_POPUP_WIDTH,
    popup_height: lock.popupHeight ?? DEFAULT_POPUP_HEIGHT,
  })
}

function sendNoLock(res: Response, type: ContentType): void {
  sendError(res, 404, 'not_found', `The ${CONTENT_NAME[type]} has no own viewer authentication settings`)
}
