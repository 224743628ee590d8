/** Names and values as they are sent: percent-encoded, or wrongly so. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A request before it becomes bytes. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly query: Fields
  readonly headers: Fields
  /** Null for a request without a body. */
  readonly form: Fields | null
  /** Sent in place of the form. */
  readonly body?: Buffer
  readonly isChunked?: boolean
}

export const ORIGIN = 'http://localhost:3000'
export const FORM_TYPE = 'application/x-www-form-urlencoded'

export function get(path: string, query: Readonly<Record<string, string>> = {}, headers = {}): FuzzRequest {
  const all = { Host: 'localhost:3000', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe', ...headers }
  return { method: 'GET', path, query: encoded(query), headers: Object.entries(all), form: null }
}

/** A post of a form of our own page: in the frame, or at the top level. */
export function post(path: string, form: Readonly<Record<string, string>>, headers = {}): FuzzRequest {
  const own = { Host: 'localhost:3000', Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'iframe' }
  const all = { ...own, 'Content-Type': FORM_TYPE, ...headers }
  return { method: 'POST', path, query: [], headers: Object.entries(all), form: encoded(form) }
}

export const WINDOW = { 'Sec-Fetch-Dest': 'document' }

function encoded(fields: Readonly<Record<string, string>>): Fields {
  return Object.entries(fields).map(([name, value]) => [encodeURIComponent(name), encodeURIComponent(value)])
}

export const withHeader = (request: FuzzRequest, name: string, value: string): FuzzRequest => ({
  ...request,
  headers: [...request.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]],
})

const textOf = (fields: Fields) => fields.map(([name, value]) => `${name}=${value}`).join('&')

export function bodyOf({ form, body }: FuzzRequest): Buffer | null {
  if (body !== undefined) return body
  return form === null ? null : Buffer.from(textOf(form), 'latin1')
}

export function targetOf({ path, query }: FuzzRequest): string {
  return query.length === 0 ? path : `${path}?${textOf(query)}`
}

/** Returns the bytes on the wire. */
export function bytesOf(request: FuzzRequest): Buffer {
  const body = bodyOf(request)
  const length: Fields =
    body === null ? [] : [request.isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', `${body.length}`]]
  const lines = [...request.headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${request.method} ${targetOf(request)} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  if (body === null) return head
  if (!request.isChunked) return Buffer.concat([head, body])
  const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
  return Buffer.concat([head, ...chunk, Buffer.from('0\r\n\r\n')])
}

/** Returns a header as Node joins repeated ones; undefined if it is absent. */
export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  const values = headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(name === 'cookie' ? '; ' : ', ')
}
