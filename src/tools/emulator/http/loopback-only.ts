import type { RequestHandler } from 'express'
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
 * Guards what changes the emulator: refuses the pages of other sites, with 403. Browsers send Sec-Fetch-Site, or at
 * least Origin, with every request that could change something; programs send neither.
 */
export const ownPagesAndPrograms: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  const site = req.headers['sec-fetch-site']
  const origin = req.headers.origin
  const ownOrigin = `${req.protocol}://${req.headers.host}`
  const isOwn = site !== undefined ? site === 'same-origin' : origin === undefined || origin === ownOrigin
  if (isOwn) return next()
  return sendJsonError(res, 403, 'forbidden', 'Pages of other sites cannot change the emulator.')
}
