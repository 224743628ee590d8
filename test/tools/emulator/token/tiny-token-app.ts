import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encrypt, sign } from '../../../features/token/viewer-token/jose-tokens.ts'

/** A small login app for viewer tokens, without cookies and without the code of `src`. */
export type TinyTokenApp = Awaited<ReturnType<typeof startTinyTokenApp>>

export async function startTinyTokenApp() {
  const server = createServer((req, res) => {
    handle(app, req, res).catch((error: unknown) => res.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const app = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    /** The values of `ref`, one for each visit. */
    refs: [] as string[],
    /** Without a slash at the end. Set it before the first visit. */
    serviceUrl: '',
    async makeToken(): Promise<string> {
      const answer = await fetch(`${app.serviceUrl}/viewer-auth-public-key.json`)
      const { keys } = (await answer.json()) as { keys: [JsonWebKey & { kid: string }] }
      const [{ kid, kty, n, e }] = keys
      const key = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' })
      const signed = await sign(JSON.stringify({ sub: 'ada@example.com', iat: Math.floor(Date.now() / 1000) - 5 }))
      return encrypt(signed, { alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid }, key)
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return app
}

async function handle(app: TinyTokenApp, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', app.url)
  if (pathname === '/favicon.ico') {
    res.writeHead(204).end()
    return
  }
  const ref = searchParams.get('ref') ?? ''
  if (req.method === 'GET') app.refs.push(ref)
  if (req.method === 'POST') {
    const separator = ref.includes('?') ? '&' : '?'
    res.writeHead(303, { Location: `${ref}${separator}vt=${await app.makeToken()}` }).end()
    return
  }
  res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
  res.end(`<!doctype html><html lang="en"><title>Tiny login app</title><h1>Tiny login app</h1>
    <form method="post" action="/?ref=${encodeURIComponent(ref)}"><button id="sign-in">Sign in</button></form></html>`)
}
