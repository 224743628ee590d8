import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The website of a client, with a callback that redirects to another origin. */
export type ClientSite = Awaited<ReturnType<typeof startClientSite>>

export async function startClientSite() {
  const pages = new Map<string, string>()
  const results: URLSearchParams[] = []
  const final = await listen(
    createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(page('Arrived'))),
  )
  const finalUrl = `http://localhost:${portOf(final)}/arrived`
  const site = await listen(
    createServer((req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'http://site')
      if (pathname === '/callback') {
        results.push(searchParams)
        res.writeHead(302, { location: finalUrl }).end()
        return
      }
      const html = pages.get(pathname)
      res.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html)
    }),
  )
  return {
    url: `http://127.0.0.1:${portOf(site)}`,
    finalUrl,
    results,
    /** Serves a page at a path. */
    serve: (path: string, html: string) => void pages.set(path, page(html)),
    async close() {
      for (const server of [site, final]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function page(html: string): string {
  return `<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,"><body>${html}`
}
