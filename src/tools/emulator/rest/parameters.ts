import express, { type Request, type RequestHandler } from 'express'
import { z } from 'zod'
import { jsonIn } from '../../../json-text.ts'
import { readParameters } from '../http/form.ts'

export type ParameterReading =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  /** A phrase that follows "The body". */
  | { readonly ok: false; readonly status: 400 | 415; readonly reason: string }

const MAX_BODY_BYTES = 16_384
const Json = z.record(z.string(), z.union([z.string(), z.null()]))

/** Text that is safe in XML, in a page and in a terminal: UTF-8 without control characters. */
export const PlainText = z.string().regex(/^[^\p{Cc}\p{Cs}\ufffd-\uffff]*$/u)

/** Reads any body. A larger body becomes an error of 413, a compressed one of 415. */
export const anyBody: RequestHandler = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false })

/**
 * Reads the parameters from a body that `anyBody` read: a form, or a JSON object of strings, because the documents name
 * no encoding. An empty or null value counts as missing. Refuses repeated names in a form.
 */
export function bodyParameters(req: Request): ParameterReading {
  if (!Buffer.isBuffer(req.body) || req.body.length === 0) return { ok: true, values: {} }
  if (req.is('application/json') !== false) return readJson(req.body)
  if (req.is('application/x-www-form-urlencoded') === false) {
    return { ok: false, status: 415, reason: 'must be a form or JSON, by its Content-Type' }
  }
  const form = readParameters(req.body.toString())
  return form.ok ? { ok: true, values: form.fields } : { ok: false, status: 400, reason: form.reason }
}

function readJson(bytes: Buffer): ParameterReading {
  const parsed = Json.safeParse(jsonIn(bytes.toString()))
  if (!parsed.success) return { ok: false, status: 400, reason: 'is not a JSON object of strings' }
  const given = Object.entries(parsed.data).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  return { ok: true, values: Object.fromEntries(given) }
}
