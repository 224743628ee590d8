import { XMLParser } from 'fast-xml-parser'
import type { RoomApp } from '../oauth/room-app.ts'

export type RestResponse = Awaited<ReturnType<typeof call>>

export interface RestRequest {
  readonly token?: string
  readonly form?: Record<string, string> | string
  readonly json?: unknown
  readonly headers?: Record<string, string>
}

const parser = new XMLParser({ parseTagValue: false, ignoreDeclaration: true })

export async function call(
  app: Pick<RoomApp, 'url'>,
  method: string,
  path: string,
  { token, form, json, headers = {} }: RestRequest = {},
) {
  const type = form !== undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  const encodedForm = typeof form === 'object' ? new URLSearchParams(form).toString() : form
  const body = encodedForm ?? (json === undefined ? null : JSON.stringify(json))
  const response = await fetch(app.url + path, {
    method,
    body,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === null ? {} : { 'content-type': type }),
      ...headers,
    },
  })
  const text = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (contentType.startsWith('application/json') ? JSON.parse(text) : undefined) as unknown,
    /** Every value is a string. */
    xml: (contentType.startsWith('application/xml') ? parser.parse(text) : undefined) as unknown,
  }
}
