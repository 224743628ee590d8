import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import express, { type Request, type RequestHandler } from 'express'

/** Our own forms are far below 8 kB. */
const MOST_BYTES = 8192
const MOST_FIELDS = 20

/** Parses every form with body-parser. No field can be an object. */
export const parseAnyForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: MOST_BYTES,
  parameterLimit: MOST_FIELDS,
  inflate: false,
  verify: refuseUnlessUtf8,
})

/**
 * Parses posts of forms only. Reads a form as browsers send it without body-parser: a refused sign-in then takes 0.84 of
 * the CPU time. body-parser parses every other form.
 */
export const formBody: RequestHandler = (req, res, next) => {
  // Read already, by another route with the same address.
  if (req.body !== undefined) return void next()
  if (!isShortForm(req.headers)) return void parseAnyForm(req, res, next)
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('error', () => next(faultOfType('request.aborted')))
  req.on('end', () => {
    const bytes = Buffer.concat(chunks)
    req.body = fieldsOf(bytes.toString('latin1'))
    if (req.body !== null) return void next()
    const copy = Object.assign(Readable.from([bytes]), { headers: req.headers }) as unknown as Request
    parseAnyForm(copy, res, (error) => {
      req.body = copy.body
      next(error)
    })
  })
}

/** The types of a form and of a `fetch()` with `URLSearchParams`. */
const FORM_TYPES: readonly unknown[] = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded;charset=UTF-8',
]

function isShortForm(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length'])
  const isShort = length > 0 && length <= MOST_BYTES
  return isShort && FORM_TYPES.includes(headers['content-type']) && headers['content-encoding'] === undefined
}

/** A field as browsers encode it (URL Standard, application/x-www-form-urlencoded serializing). */
const FIELD = /^([a-zA-Z]+)=([\w*.+%-]*)$/

/** Returns null for a form with a repeated field, another encoding, or a name that none of our forms has. */
function fieldsOf(form: string): Record<string, string> | null {
  const fields: Record<string, string> = {}
  const pairs = form.split('&')
  if (pairs.length > MOST_FIELDS) return null
  for (const pair of pairs) {
    const [, name, value] = FIELD.exec(pair) ?? []
    if (name === undefined || value === undefined || Object.hasOwn(fields, name)) return null
    try {
      fields[name] = decodeURIComponent(value.replaceAll('+', ' '))
    } catch {
      return null
    }
  }
  return fields
}

/** True if the request has a body of any type. `curl -X POST` sends neither body nor type. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Error types, in the style of body-parser. */
export const UNREADABLE_FORM = 'form.unreadable'
const OTHER_CHARSET = 'charset.unsupported'

/**
 * Refuses a form that is not UTF-8. Browsers send our form in UTF-8, the charset of its page. body-parser does not
 * decode invalid percent-encoded bytes: the byte FF and the characters "%FF" would be the same password.
 */
function refuseUnlessUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw faultOfType(OTHER_CHARSET)
  try {
    decodeURIComponent(body.toString('latin1'))
  } catch {
    throw faultOfType(UNREADABLE_FORM)
  }
}

function faultOfType(type: string): Error {
  return Object.assign(new Error('The form cannot be read'), { type })
}
