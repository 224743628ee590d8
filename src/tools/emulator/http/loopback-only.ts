import type { RequestHandler } from 'express'
import { isFromOwnPage } from '../../../server/same-origin.ts'
import { isLoopbackName } from '../../../settings/fields.ts'
import { sendJsonError } from './json-error.ts'

const LOOPBACK_NAMES = 'localhost, *.localhost, 127.0.0.1 and [::1]'

/**
 * Refuses every `Host` that is not a loopback name, with 421. Otherwise a page on the internet could point its own name
 * at 127.0.0.1 and read the emulator as its own origin (DNS rebinding).
 */
export const loopbackHostsOnly: RequestHandler = (req, res, next) => {
  const host = req.headers.host ?? ''
  const hostname = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host.toLowerCase())?.[1] ?? ''
  if (isLoopbackName(hostname)) return next()
  res.locals.explanation = `Host was ${JSON.stringify(host)}`
  res.status(421).type('text').send(`The emulator answers only to these hosts: ${LOOPBACK_NAMES}.\n`)
}

/**
 * Lets only our own pages and programs change the emulator. Refuses pages of other sites, with 403.
 */
export const ownPagesAndPrograms: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  if (isFromOwnPage(req.headers, `${req.protocol}://${req.headers.host}`)) return next()
  return sendJsonError(res, 403, 'forbidden', 'Pages of other sites cannot change the emulator.')
}
