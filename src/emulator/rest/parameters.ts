import { isUtf8 } from 'node:buffer'
import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { formTextOf, readParameters } from '../http/form.ts'

export type ParameterReading =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /** The end of a sentence that begins "The body". */
  | { readonly ok: false; readonly status: 400 | 415; readonly reason: string }

const LARGEST_BODY_BYTES = 16_384
const Json = z.record(z.string(), z.union([z.string(), z.null()]))

/** Text that XML, a header of a page and a terminal can hold: no control characters, nothing that is not UTF-8. */
export const PlainText = z.string().regex(/^[^\p{Cc}\p{Cs}\ufffd-\uffff]*$/u)

/** What is larger becomes an error of 413, what is compressed one of 415. */
export const anyBody: RequestHandler = express.raw({ type: () => true, limit: LARGEST_BODY_BYTES, inflate: false })

/**
 * The parameters of a body that `anyBody` has read. The documents do not say how they are encoded, so both a form and a
 * JSON object of texts are read. An empty or null value counts as none; one that is there twice is refused.
 */
export function bodyParameters(req: Request): ParameterReading {
  if (!Buffer.isBuffer(req.body) || req.body.length === 0) return { ok: true, values: {} }
  if (req.is('application/json') !== false) return readJson(req.body)
  if (req.is('application/x-www-form-urlencoded') === false) {
    return { ok: false, status: 415, reason: 'is neither a form nor JSON, by its Content-Type' }
  }
  const form = readParameters(formTextOf(req.body))
  return form.ok ? { ok: true, values: form.fields } : { ok: false, status: 400, reason: form.reason }
}

function readJson(bytes: Buffer): ParameterReading {
  if (!isUtf8(bytes)) return { ok: false, status: 400, reason: 'is not UTF-8' }
  const text = bytes.toString('utf8')
  const parsed = Json.safeParse(parseJson(text))
  if (!parsed.success) return { ok: false, status: 400, reason: 'is not a JSON object whose values are texts' }
  const names = Object.keys(parsed.data)
  // The parser keeps the last of two values of one name. In an object of texts every string before a colon is a name.
  const written = text.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/gs)?.filter((part) => part.endsWith(':')).length
  if (written !== names.length) return { ok: false, status: 400, reason: 'repeats a parameter' }
  const given = Object.entries(parsed.data).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return { ok: true, values: Object.fromEntries(given) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
