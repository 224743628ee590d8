import type { ServerResponse } from 'node:http'
import type { Answer } from './connection.ts'

/** Node sets these headers itself. */
const HEADERS_OF_NODE = ['date', 'connection', 'keep-alive']

/** Returns a function that sends a recorded answer of the login app. */
export function recordedAnswer({ status, headers, body }: Answer): (res: ServerResponse) => void {
  const sent = headers.filter(([name]) => !HEADERS_OF_NODE.includes(name.toLowerCase())).flat()
  const bytes = Buffer.from(body)
  return (res) => void res.writeHead(status, sent).end(bytes)
}
