import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../../../browser/launch.ts'
import type { OpenPage } from '../../../browser/open-page.ts'
import { press } from '../../../browser/press-and-type.ts'
import { encrypt, sign } from '../../../features/token/viewer-token/jose-tokens.ts'
import { type Service, startService } from '../player/service.ts'
import { waitUntilPlaying } from '../player/viewer.ts'
import { OTHER_KEY_PEM, PUBLIC_KEY } from './token-service.ts'

/** A small login app for viewer tokens, without cookies and without the code of `src`. */
type TinyTokenApp = Awaited<ReturnType<typeof startTinyTokenApp>>

async function startTinyTokenApp() {
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

let service: Service
let login: TinyTokenApp
let browser: LaunchedBrowser
let opened: OpenPage

beforeAll(async () => {
  login = await startTinyTokenApp()
  service = await startService()
  login.serviceUrl = service.emulator.url
  browser = await launchBrowser('chromium')
})
beforeEach(async () => {
  service.clear()
  lock(PUBLIC_KEY)
  login.refs.length = 0
  opened = await browser.openPage()
})
afterEach(async () => {
  expect(opened.complaints).toEqual([])
  await opened.page.close()
})
afterAll(async () => {
  await browser.close()
  await service.close()
  await login.close()
})

function lock(publicKey: string): void {
  const statement = service.database.prepare(`INSERT OR REPLACE INTO viewer_auth VALUES ('live', 1001, ?, ?)`)
  statement.run(login.url, publicKey)
}

test('the frame of the player goes to the login app and back, and each reload asks for a new token', async () => {
  const { page, waitForFrame } = opened
  const { url, port } = service.emulator
  await page.goto(`http://page.localhost:${port}/channel/1001`)
  await press(await waitForFrame(`${login.url}?ref=`), '#sign-in')
  const player = await waitForFrame(`${url}/embed/1001?vt=`)
  await waitUntilPlaying(player)
  expect(await player.$eval('[data-status]', (status) => status.textContent)).toContain('ada@example.com')
  expect(page.frames()).toHaveLength(2)

  await page.reload()
  await waitForFrame(`${login.url}?ref=`)
  expect(login.refs).toEqual([`${url}/embed/1001`, `${url}/embed/1001`])
})

test('an embed with a token in its address shows player and chat without a login, until the key changes', async () => {
  const { page, waitForFrame } = opened
  const { url } = service.emulator
  await page.goto(`${url}/combined/1001?vt=${await login.makeToken()}`)
  await waitUntilPlaying(page.mainFrame())
  expect(await page.$eval('[data-viewer]', (name) => name.textContent)).toBe('as ada@example.com')
  expect(login.refs).toEqual([])
  lock(OTHER_KEY_PEM)
  await page.evaluate(`document.querySelector('video').src += '&again'`)
  await waitForFrame(`${login.url}?ref=`)
  expect(login.refs).toEqual([`${url}/combined/1001`])
})
