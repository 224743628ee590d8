import type { IncomingMessage } from 'node:http'
import express, { type RequestHandler } from 'express'
import { orUndefined } from '../../errors.ts'

/** Parses posts of forms only: no JSON. No field can be an object. Our own forms are far below 8 kB. */
export const formBody: RequestHandler = express.urlencoded({
  extended: false,
  limit: 8192,
  parameterLimit: 20,
  inflate: false,
  verify: refuseUnlessUtf8,
})

/** True if the request has a body of any type. `curl -X POST` sends neither body nor type. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** An error type, in the style of body-parser. */
export const UNREADABLE_FORM = 'form.unreadable'

/**
 * Refuses a form that is not UTF-8. Browsers send our form in UTF-8, the charset of its page. body-parser does not
 * decode invalid percent-encoded bytes: the byte FF and the characters "%FF" would be the same password.
 */
function refuseUnlessUtf8(_req: unknown, _res: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw faultOfType('charset.unsupported')
  if (orUndefined(() => decodeURIComponent(body.toString('latin1'))) === undefined) throw faultOfType(UNREADABLE_FORM)
}

function faultOfType(type: string): Error {
  return Object.assign(new Error('The form cannot be read'), { type })
}
