import type { RequestHandler } from 'express'
import helmet from 'helmet'

const TWO_YEARS_SECONDS = 63_072_000

/** Sets the headers of every answer: no frame, no code and no style inside a page, no cache. */
export function securityHeaders(url: URL): RequestHandler[] {
  const isTls = url.protocol === 'https:'
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        connectSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isTls ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    xFrameOptions: { action: 'deny' },
    // With no-referrer, a browser would post `Origin: null`.
    referrerPolicy: { policy: 'same-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    strictTransportSecurity: isTls ? { maxAge: TWO_YEARS_SECONDS, includeSubDomains: true } : false,
  })
  const noStore: RequestHandler = (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=()')
    next()
  }
  return [headers, noStore]
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
