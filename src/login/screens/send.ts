import type { Response } from 'express'
import type { Headers } from './headers.ts'

/**
 * Redirects with 303, so that a GET follows a post (RFC 9110, 15.4.4).
 * @param location of a `PlayerAnswer`, or a path of this app.
 */
export function sendRedirect(res: Response, headers: Headers, location: string): void {
  res.writeHead(303, { ...headers, Location: location, 'Content-Length': '0' }).end()
}

/** Answers the script of the sign-in screen, which cannot see where a redirect leads. */
export function sendLocation(res: Response, headers: Headers, location: string): void {
  const json = JSON.stringify({ location })
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(json) }
  res.writeHead(200, { ...headers, ...type }).end(json)
}

/** Sends a string, which Node writes together with the headers. */
export function sendPage(
  res: Response,
  headers: Headers,
  page: string,
  refusal?: { readonly status: number; readonly retryAfterSeconds?: number },
): void {
  const { status = 200, retryAfterSeconds } = refusal ?? {}
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds }),
  })
  res.end(page)
}

/** Returns the path of the entry point, with the fields as its query. */
export function pathOf(basePath: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(fields).toString()
  return `${basePath === '' ? '/' : basePath}${query === '' ? '' : `?${query}`}`
}
