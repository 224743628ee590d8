import type { Response } from 'express'

/** Sends `{"error", "error_description"}`; the description also goes to the request log, unless that has one. */
export function sendJsonError(res: Response, status: number, error: string, description: string): void {
  res.locals.explanation ??= description
  res.status(status).json({ error, error_description: description })
}
