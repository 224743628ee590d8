import { isUtf8 } from 'node:buffer'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

export type FormReading =
  | { readonly ok: true; readonly fields: Readonly<Record<string, string>> }
  /** The end of a sentence that begins "The request". */
  | { readonly ok: false; readonly reason: string }

const FORM_TYPE = 'application/x-www-form-urlencoded'
const LARGEST_FORM_BYTES = 16_384
const MOST_PARAMETERS = 50

/** Reads the bytes of a form. What is larger or compressed becomes an error of 4xx. */
export const formBody: RequestHandler = express.raw({ type: FORM_TYPE, limit: LARGEST_FORM_BYTES, inflate: false })

/**
 * Name and value of every parameter. Repeated ones are refused, because two readers might each believe another
 * (RFC 6749 3.1 and 3.2); those without a value count as omitted, as RFC 6749 says. Bytes that are not UTF-8 are refused,
 * since all of them would become one and the same character, in a password too.
 * @param text of a query or of a form, percent-encoded.
 */
export function readParameters(text: string): FormReading {
  if (!isUtf8(percentDecode(text))) return { ok: false, reason: 'is not UTF-8' }
  const pairs = [...new URLSearchParams(text)]
  if (pairs.length > MOST_PARAMETERS) return { ok: false, reason: `has more than ${MOST_PARAMETERS} parameters` }
  const names = pairs.map(([name]) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    return { ok: false, reason: `repeats a parameter: ${JSON.stringify(repeated.slice(0, 40))}` }
  return { ok: true, fields: Object.fromEntries(pairs.filter(([, value]) => value !== '')) }
}

/** The text of a form that `formBody` has read, percent-encoded; null when the body is of another type. */
export function formText(req: Request): string | null {
  if (Buffer.isBuffer(req.body)) return formTextOf(req.body)
  if (req.headers['content-length'] === '0') return ''
  return req.is(FORM_TYPE) === false ? null : ''
}

/** A form or query with every byte beyond ASCII percent-encoded: whoever sends one as it is means that byte. */
export function formTextOf(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, encodeByte)
}

/** The query as it came, percent-encoded, before anything decoded it. */
export function queryText(req: Request): string {
  const at = req.originalUrl.indexOf('?')
  return at === -1 ? '' : formTextOf(Buffer.from(req.originalUrl.slice(at + 1), 'latin1'))
}

/** The bytes behind a percent-encoded text. */
export function percentDecode(text: string): Buffer {
  const bytes = text.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1')
}

/** Everything that need not be encoded stays itself (RFC 3986 2.3). */
export function percentEncode(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\w.~-]/g, encodeByte)
}

function encodeByte(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** The status of what a body parser or the router threw, when it is the caller's mistake; else null. */
function callersFault(error: unknown): number | null {
  const status = error instanceof Error && 'status' in error ? error.status : null
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

/** Answers an error of the caller's or ours as this room's format wants it. */
export function answeringErrors(
  answer: (res: Parameters<ErrorRequestHandler>[2], status: number | null, error: unknown) => void,
): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    res.locals.explanation ??= error instanceof Error ? error.message : 'Something was thrown that is no error'
    answer(res, callersFault(error), error)
  }
}
