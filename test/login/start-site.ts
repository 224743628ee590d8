import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Serves the page of each address of a new site until the test ends, and returns the origin.
 * @param host another address of this machine is another site.
 */
export async function startSite(
  page: (address: string) => string,
  headers: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
): Promise<string> {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page(request.url ?? '/'))
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/**
 * Serves a player until the test ends, and returns its origin. The frame is at `/` alone: in the page to which the login
 * app returns, it would sign in again, and the app would take it for a loop.
 */
export function startPlayerSite(frame: () => string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return startSite((address) => `<!doctype html><title>Player</title>${address === '/' ? frame() : ''}`, headers)
}
