import { isUtf8 } from 'node:buffer'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

export type FormReading =
  | { readonly ok: true; readonly fields: Readonly<Record<string, string>> }
  /** A phrase that follows "The request" or "The body". */
  | { readonly ok: false; readonly reason: string }

const FORM_TYPE = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 16_384
const MAX_PARAMETERS = 50

/** Reads the bytes of a form. A larger body becomes an error of 413, a compressed one of 415. */
export const formBody: RequestHandler = express.raw({ type: FORM_TYPE, limit: MAX_FORM_BYTES, inflate: false })

/**
 * Parses parameters. Refuses repeated names, because two readers could pick different values. Parameters without a
 * value count as omitted (RFC 6749 3.1, 3.2). Refuses bytes that are not UTF-8: all of them would become the same
 * character, so that two passwords could match.
 * @param text a query or a form, percent-encoded.
 */
export function readParameters(text: string): FormReading {
  if (!isUtf8(percentDecode(text))) return { ok: false, reason: 'is not UTF-8' }
  const pairs = [...new URLSearchParams(text)]
  if (pairs.length > MAX_PARAMETERS) return { ok: false, reason: `has more than ${MAX_PARAMETERS} parameters` }
  const names = pairs.map(([name]) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    return { ok: false, reason: `repeats a parameter: ${JSON.stringify(repeated.slice(0, 40))}` }
  return { ok: true, fields: Object.fromEntries(pairs.filter(([, value]) => value !== '')) }
}

/** Returns the form that `formBody` read, percent-encoded; null if the body has another content type. */
export function formText(req: Request): string | null {
  if (Buffer.isBuffer(req.body)) return formTextOf(req.body)
  if (req.headers['content-length'] === '0') return ''
  return req.is(FORM_TYPE) === false ? null : ''
}

/** Percent-encodes every byte beyond ASCII, so that a form or query can be parsed without losing a byte. */
export function formTextOf(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, encodeByte)
}

/** Returns the query as received, percent-encoded. */
export function queryText(req: Request): string {
  const at = req.originalUrl.indexOf('?')
  return at === -1 ? '' : formTextOf(Buffer.from(req.originalUrl.slice(at + 1), 'latin1'))
}

/** Decodes a percent-encoded text to bytes. */
export function percentDecode(text: string): Buffer {
  const bytes = text.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1')
}

/** Percent-encodes all but the unreserved characters (RFC 3986 2.3). */
export function percentEncode(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\w.~-]/g, encodeByte)
}

function encodeByte(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
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
