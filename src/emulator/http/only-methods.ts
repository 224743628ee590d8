import type { RequestHandler } from 'express'

/**
 * The last handler of a path: any other method than those served before it is 405.
 * @param allowed as the header `Allow` wants it: "GET, HEAD".
 */
export function onlyMethods(allowed: string): RequestHandler {
  return (req, res) => {
    res.locals.explanation = `${req.method} is not one of ${allowed}`
    const description = `${req.method} is not possible here, only ${allowed}.`
    res.status(405).set('Allow', allowed).json({ error: 'invalid_request', error_description: description })
  }
}
