import type { Request, RequestHandler, Response } from 'express'

/**
 * Last handler of a path: answers every other method with status 405 and the header `Allow`.
 * @param allowed the value of `Allow`: "GET, HEAD".
 * @param sendBody sends the body, in the form of the room's other errors.
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
