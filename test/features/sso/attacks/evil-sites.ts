import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { startSite } from '../../../login/start-site.ts'

export type EvilSites = Awaited<ReturnType<typeof startEvilSites>>

/** Another site, or the site of the app at another port. */
export type Place = 'another site' | 'another port'

/** Starts the pages of an attacker until the test ends. */
export async function startEvilSites() {
  const { port } = new URL(await startSite(evilPage))
  const originOf = (place: Place) => `http://${place === 'another site' ? 'evil.localhost' : 'localhost'}:${port}`
  return {
    /** Returns a page that posts a form to an address, at the top level. */
    posting: (place: Place, address: string, fields: Readonly<Record<string, string>>) =>
      `${originOf(place)}/post?${new URLSearchParams({ address, fields: JSON.stringify(fields) })}`,
    framing: (place: Place, address: string) => `${originOf(place)}/frame?${new URLSearchParams({ address })}`,
  }
}

function evilPage(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://unused')
  const address = searchParams.get('address') ?? ''
  if (pathname === '/frame') return `<!doctype html><title>Evil</title><iframe src="${address}"></iframe>`
  const fields = JSON.parse(searchParams.get('fields') ?? '{}') as Record<string, string>
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
  return `<!doctype html><title>Evil</title><form method="post" action="${address}">${inputs.join('')}</form>
    <script>document.forms[0].submit()</script>`
}

export type EvilProvider = Awaited<ReturnType<typeof startEvilProvider>>

/** Starts a provider of an attacker until the test ends. It sends its victims on to the honest provider. */
export async function startEvilProvider() {
  const codes: string[] = []
  let target = ''
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://unused')
    if (pathname === '/auth') {
      const request = new URL(target)
      request.searchParams.set('state', searchParams.get('state') ?? '')
      return void res.writeHead(303, { Location: request.href }).end()
    }
    res.setHeader('Content-Type', 'application/json')
    if (pathname !== '/token') {
      const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }
      return void res.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/jwks` }))
    }
    let form = ''
    req.on('data', (chunk: Buffer) => {
      form += chunk
    })
    req.on('end', () => {
      codes.push(new URLSearchParams(form).get('code') ?? '')
      res.writeHead(400).end('{"error":"invalid_grant"}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    /** The codes that the app gave away. */
    codes,
    /** Takes the attacker's own request at the honest provider, into which victims are sent. */
    send(request: string) {
      target = request
    },
  }
}
