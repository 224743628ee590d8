import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

export type FormReading =
  | { readonly ok: true; readonly fields: Readonly<Record<string, string>> }
  /** A phrase that follows "The request" or "The body". */
  | { readonly ok: false; readonly reason: string }

const FORM_TYPE = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 16_384

/** Reads the bytes of a form. A larger body becomes an error of 413, a compressed one of 415. */
export const formBody: RequestHandler = express.raw({ type: FORM_TYPE, limit: MAX_FORM_BYTES, inflate: false })

/**
 * Parses a query or a form. Refuses repeated names, because two readers could pick different values. Parameters without
 * a value count as omitted (RFC 6749 3.1, 3.2).
 */
export function readParameters(text: string): FormReading {
  const pairs = [...new URLSearchParams(text)]
  const names = pairs.map(([name]) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    return { ok: false, reason: `repeats a parameter: ${JSON.stringify(repeated.slice(0, 40))}` }
  return { ok: true, fields: Object.fromEntries(pairs.filter(([, value]) => value !== '')) }
}

/** Returns the form that `formBody` read; null if the body has another content type. */
export function formText(req: Request): string | null {
  if (Buffer.isBuffer(req.body)) return req.body.toString()
  if (req.headers['content-length'] === '0') return ''
  return req.is(FORM_TYPE) === false ? null : ''
}

/** Returns the 4xx status of an error that a body parser or the router threw; null for an internal error. */
function clientErrorStatus(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? error.status : null
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

/**
 * Handles errors that a room's routes threw.
 * @param sendError sends them in the room's own form; the status is null for an internal error.
 */
export function errorHandler(
  sendError: (res: Parameters<ErrorRequestHandler>[2], status: number | null, error: unknown) => void,
): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    res.locals.explanation ??= error instanceof Error ? error.message : String(error)
    sendError(res, clientErrorStatus(error), error)
  }
}
