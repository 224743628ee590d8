import type { RequestHandler } from 'express'

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
