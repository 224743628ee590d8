import { once } from 'node:events'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { text } from 'node:stream/consumers'

/** The host name in the examples of .github/deploy. */
export const HOST = 'login.example.com'

export interface VisitOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Posts this form, as a page of the app does. */
  readonly form?: Readonly<Record<string, string>>
  /** The address of the viewer, in 127.0.0.0/8. */
  readonly from?: string
  readonly host?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request over plain http to a port of 127.0.0.1, and follows no redirect. */
export function visitPlain(port: number, path: string, options: VisitOptions = {}): Promise<Answer> {
  return answerOf(plainRequest(requestOf(port, path, options)), options)
}

/** The same with TLS. @param ca the certificate that the server must have. */
export function visitWithTls(port: number, ca: string, path: string, options: VisitOptions = {}): Promise<Answer> {
  const { host = HOST } = options
  return answerOf(request({ ...requestOf(port, path, options), ca, servername: host }), options)
}

function requestOf(port: number, path: string, { form, headers, from, host = HOST }: VisitOptions): RequestOptions {
  const posted = { Origin: `https://${HOST}`, 'Content-Type': 'application/x-www-form-urlencoded' }
  return {
    host: '127.0.0.1',
    port,
    path,
    method: form ? 'POST' : 'GET',
    headers: { ...headers, Host: host, ...(form ? posted : {}) },
    localAddress: from ?? '127.0.0.2',
    agent: false,
  }
}

async function answerOf(sent: ClientRequest, { form }: VisitOptions): Promise<Answer> {
  sent.end(form ? new URLSearchParams(form).toString() : undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}
