import type { RequestHandler } from 'express'
import { unframedHeaders } from '../../../login/screens/headers.ts'

/** Sets the headers of every answer: those of the login app, without frames, and closed to other sites. */
export function securityHeaders(url: URL): RequestHandler {
  const { 'Content-Security-Policy': policy, 'Cross-Origin-Embedder-Policy': _, ...shared } = unframedHeaders(url, true)
  const headers = new Map(Object.entries(shared))
    .set('Content-Security-Policy', `${policy};connect-src 'self'`)
    .set('X-Frame-Options', 'DENY')
    .set('Cross-Origin-Opener-Policy', 'same-origin')
    .set('Cross-Origin-Resource-Policy', 'same-origin')
    .set('Permissions-Policy', 'camera=(), geolocation=(), microphone=()')
  return (_req, res, next) => {
    res.setHeaders(headers)
    next()
  }
}

/**
 * Refuses requests for another host, against DNS rebinding: another site changes the address of its name to that of this
 * program. The browser then lets pages of this site read the answers.
 * @param url the address of the page. A proxy in front passes on the header Host.
 */
export function ownHost({ host }: URL): RequestHandler {
  return (req, res, next) => {
    if (req.headers.host?.toLowerCase() === host) return next()
    res.status(421).type('text').send('This is not the address of this page. A proxy must pass on the header Host.\n')
  }
}
