import express, { type Request, type RequestHandler } from 'express'
import type { Upload } from './route.ts'

const MOST_FORM_BYTES = 65_536
const MOST_FIELDS = 500
/** A sheet of 50,000 viewers has 3 MB. */
const MOST_UPLOAD_BYTES = 8_000_000

/** Parses a form without a file. No field can be an object. */
export const formBody: RequestHandler = express.urlencoded({
  extended: false,
  limit: MOST_FORM_BYTES,
  parameterLimit: MOST_FIELDS,
  inflate: false,
})

/** Reads a form with a file into memory. */
export const uploadBody: RequestHandler = express.raw({
  type: 'multipart/form-data',
  limit: MOST_UPLOAD_BYTES,
  inflate: false,
})

export interface Form {
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly upload: Upload | null
}

/** Returns the fields of a parsed form, and its file. A form of another type has no fields. */
export async function formOf(req: Request): Promise<Form> {
  if (Buffer.isBuffer(req.body)) return await multipartForm(req.body, req.headers['content-type'] ?? '')
  return { values: valuesOf(typeof req.body === 'object' && req.body !== null ? req.body : {}), upload: null }
}

/** Returns the values of a parsed query or form. */
export function valuesOf(parsed: object): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(parsed).map(([name, value]) => [
      name,
      [value].flat().filter((one): one is string => typeof one === 'string'),
    ]),
  )
}

async function multipartForm(body: Buffer, type: string): Promise<Form> {
  const values = new Map<string, string[]>()
  let upload: Upload | null = null
  // The parser of Node's fetch. It throws for a body that is not a form.
  const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => null)
  for (const [name, value] of form ?? []) {
    if (typeof value === 'string') values.set(name, [...(values.get(name) ?? []), value])
    else if (upload === null && value.size > 0)
      upload = { name: value.name, content: Buffer.from(await value.arrayBuffer()) }
  }
  return { values, upload }
}
