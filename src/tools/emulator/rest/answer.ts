import type { Request, Response } from 'express'
import { XMLBuilder } from 'fast-xml-parser'

export type Format = 'json' | 'xml'

export type RestError =
  | 'invalid_request'
  | 'invalid_type'
  | 'lack_of_ownership'
  | 'not_found'
  | 'unauthorized'
  | 'invalid_token'
  | 'server_error'

/** Returns the format that the path ends in; JSON by default. */
export function formatOf(req: Request): Format {
  return req.path.endsWith('.xml') ? 'xml' : 'json'
}

/** Sends a record under its key: `{"KEY": {…}}`, or `<KEY>…</KEY>` with an empty element for null. */
export function sendRecord(
  res: Response,
  status: number,
  key: string,
  fields: Readonly<Record<string, string | null>>,
): void {
  if (formatOf(res.req) === 'xml') send(res, status, 'xml', xml(key, fields))
  else send(res, status, 'json', JSON.stringify({ [key]: fields }))
}

/** Sends JSON that no cache may store. */
export function sendJson(res: Response, status: number, body: Readonly<Record<string, unknown>>): void {
  send(res, status, 'json', JSON.stringify(body))
}

/**
 * Sends an error in the format of the path.
 * @param description a sentence for the developer; also goes to the request log.
 */
export function sendError(res: Response, status: number, error: RestError, description: string): void {
  res.locals.explanation ??= description
  const fields = { error, error_description: description }
  if (formatOf(res.req) === 'xml') send(res, status, 'xml', xml('response', fields))
  else send(res, status, 'json', JSON.stringify(fields))
}

/** Sends the body of a 405. */
export function sendWrongMethod(_req: Request, res: Response, description: string): void {
  sendError(res, 405, 'invalid_request', description)
}

function send(res: Response, status: number, format: Format, text: string): void {
  res.status(status).set('Cache-Control', 'no-store')
  res.type(`application/${format}`).send(text)
}

const builder = new XMLBuilder({ format: true, suppressEmptyNode: true })

function xml(root: string, fields: Readonly<Record<string, string | null>>): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ [root]: fields })}`
}
