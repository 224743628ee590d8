import type { Request, RequestHandler, Response } from 'express'

/**
 * Returns the last handler of a path, which answers every other method with status 405.
 * @param allowed the value of the header `Allow`, such as "GET, HEAD".
 * @param sendBody sends the body, in the same form as other errors.
 */
export function onlyMethods(
  allowed: string,
  sendBody: (req: Request, res: Response, description: string) => void,
): RequestHandler {
  return (req, res) => {
    res.status(405).setHeader('Allow', allowed)
    sendBody(req, res, `Method ${req.method} is not allowed here. Allowed: ${allowed}.`)
  }
}
