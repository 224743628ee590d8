import { createHash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A small login app of a customer. It shares no code with `src`. */
export type TinyLoginApp = Awaited<ReturnType<typeof startTinyLoginApp>>

/** Hashes the values, the expiry and the secret, joined by "|", as documented. */
export function makeResponse(
  parameters: readonly (readonly [string, string])[],
  expiresAtSeconds: number | null,
  secret: string,
): string {
  const texts = parameters.map(([, value]) => value)
  const objects: Record<string, unknown>[] = parameters.map(([name, value]) => ({ [name]: value }))
  if (expiresAtSeconds !== null) {
    texts.push(`${expiresAtSeconds}`)
    objects.push({ hashExpire: expiresAtSeconds })
  }
  objects.push({
    hash: createHash('md5')
      .update([...texts, secret].join('|'))
      .digest('hex'),
  })
  return JSON.stringify(objects)
}

export function inOneHour(): number {
  return Math.floor(Date.now() / 1000) + 3600
}

export async function startTinyLoginApp(secret: string) {
  const events = new EventEmitter()
  const server = createServer((req, res) => {
    handle(app, req, res)
    events.emit('request')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const app = {
    /** On `localhost`, which is another site than the player on `127.0.0.1`. */
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    /** The queries of all visits to the entry point. */
    visits: [] as URLSearchParams[],
    async waitForVisit(count: number): Promise<void> {
      while (app.visits.length < count) await once(events, 'request')
    },
    /** The return address without `hashConsumer`. Set it before the first sign-in. */
    returnUrl: '',
    makeResponse: () => makeResponse([['user', 'ada@example.com']], inOneHour(), secret),
    /** True if the viewer is still signed in: the app redirects at once, without its form. */
    isRemembering: false,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return app
}

function handle(app: TinyLoginApp, req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(req.url ?? '/', app.url)
  if (pathname === '/favicon.ico') {
    res.writeHead(204).end()
    return
  }
  if (req.method === 'GET') app.visits.push(searchParams)
  const target = searchParams.get('hashConsumer') ?? app.returnUrl
  const answer = pathname === '/cancel' ? 'false' : app.makeResponse()
  if (req.method === 'POST' || app.isRemembering) {
    const separator = target.includes('?') ? '&' : '?'
    res.writeHead(303, { Location: `${target}${separator}hash=${encodeURIComponent(answer)}` }).end()
    return
  }
  const query = `?${searchParams}`.replaceAll('&', '&amp;')
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
  res.end(`<!doctype html><html lang="en"><title>Tiny login app</title><h1>Tiny login app</h1>
    <form method="post" action="/sign-in${query}"><button id="sign-in">Sign in</button></form>
    <form method="post" action="/cancel${query}"><button id="cancel">Cancel</button></form></html>`)
}
