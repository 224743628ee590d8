import type { RequestHandler } from 'express'
import { isLoopbackHost } from '../settings.ts'

/**
 * A page anywhere can point a name of its own at 127.0.0.1 and then read us as its own origin (DNS rebinding): so only
 * the names of this machine are answered.
 */
export const loopbackHostsOnly: RequestHandler = (req, res, next) => {
  const host = req.headers.host ?? ''
  const hostname = /^(\[[^\]]*\]|[^:]*)(:\d+)?$/.exec(host)?.[1] ?? ''
  if (isLoopbackHost(hostname)) return next()
  const sentence =
    'The emulator answers only to the names of this machine: localhost, *.localhost, 127.0.0.1 and [::1].'
  res.locals.explanation = `Host was ${JSON.stringify(host)}`
  res.status(421).type('text').send(`${sentence}\n`)
}

/**
 * For what changes the emulator itself: programs and our own pages may, other sites' pages may not. Browsers attach
 * Sec-Fetch-Site, or at least Origin, to every request of a page that can change something.
 */
export const ownPagesAndPrograms: RequestHandler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  const site = req.headers['sec-fetch-site']
  const origin = req.headers.origin
  const ownOrigin = `${req.protocol}://${req.headers.host}`
  const isOwn = site !== undefined ? site === 'same-origin' : origin === undefined || origin === ownOrigin
  if (isOwn) return next()
  res.locals.explanation = 'The request came from a page of another site'
  res.status(403).json({ error: 'forbidden', error_description: 'Other sites may not change the emulator.' })
}
