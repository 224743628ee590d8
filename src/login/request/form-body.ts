import type { IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'

/** A form of ours is far below 8 kB; only forms are parsed, flat, so that no field can be an object. */
export const formBody: RequestHandler = express.urlencoded({
  extended: false,
  limit: '8kb',
  parameterLimit: 20,
  inflate: false,
  verify: refuseUnlessUtf8,
})

/** Whether a body of any type is sent. What comes without one, as from `curl -X POST`, has no type either. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Types of the errors that are thrown below, in the manner of the parser's own. */
export const UNREADABLE_FORM = 'form.unreadable'
const OTHER_CHARSET = 'charset.unsupported'

/**
 * Browsers send our form in UTF-8, the charset of its page. The parser would leave percent-encoded bytes of another kind
 * as they are: the byte FF and the three characters "%FF" would then be one password.
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
  return Object.assign(new Error('The form is not in UTF-8'), { type })
}
