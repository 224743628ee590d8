import type { Request, Response } from 'express'

/** Sends `{"error", "error_description"}`; the description also goes to the request log, unless that has one. */
export function sendJsonError(res: Response, status: number, error: string, description: string): void {
  res.locals.explanation ??= description
  res.status(status).json({ error, error_description: description })
}

/** Sends the body of a 405, for `onlyMethods()`. */
export function sendWrongMethod(_req: Request, res: Response, description: string): void {
  sendJsonError(res, 405, 'invalid_request', description)
}
