import type { RequestHandler } from 'express'

/**
 * Refuses requests for another host. A page of another site whose name suddenly leads to this program (DNS rebinding) has
 * the same origin as this page for the browser, and still gets nothing.
 * @param url the address of the page. A proxy in front passes on the header Host.
 */
export function ownHost({ host }: URL): RequestHandler {
  return (req, res, next) => {
    if (req.headers.host?.toLowerCase() === host) return next()
    res.status(421).type('text').send('This is not the address of this page. A proxy must pass on the header Host.\n')
  }
}
