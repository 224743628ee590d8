import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { errorText } from '../src/languages/languages.ts'
import { alertOf, expectRefused } from './login/refused-answer.ts'
import { startLoginApp } from './login/start-login-app.ts'

const PUBLIC = fileURLToPath(new URL('../public', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The address in the screens. */
function addressOf(name: string): string {
  const digest = createHash('sha256').update(readFileSync(`${PUBLIC}/${name}`))
  return `/assets/${name}?v=${digest.digest('base64url').slice(0, 10)}`
}

test.each(readdirSync(PUBLIC))('the asset %s is served with its type, cached for a year', async (name) => {
  const app = await startLoginApp()
  const answer = await app.get(addressOf(name))
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(readFileSync(`${PUBLIC}/${name}`, 'utf8'))
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(answer.headers['content-type']).toBe(TYPES[extname(name)])
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
  expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin')
  expect(answer.headers['x-powered-by']).toBeUndefined()
  expect(answer.headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains')
})

test('the address of an asset changes with its content', async () => {
  const app = await startLoginApp()
  const { text } = await app.get('/')
  expect(text).toContain(`${addressOf('login.css')}"`)
})

test.each([
  '/assets/login.css',
  '/assets/login.css?v=',
  '/assets/login.css?v=ANYTHING',
  `${addressOf('login.css')}&x=1`,
  `${addressOf('login.css')}&v=ANYTHING`,
  `${addressOf('login.css')}x`,
  addressOf('login.css').replace('login.css', 'login%2ecss'),
  addressOf('icon.svg').replace('icon.svg', 'login.css'),
])('a cache keeps no content of an asset at the address %s without asking', async (address) => {
  const app = await startLoginApp()
  const answer = await app.get(address)
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-cache')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
})

test('a cached asset is answered with 304 and the same security headers', async () => {
  const app = await startLoginApp()
  const { etag = '' } = (await app.get('/assets/login.css')).headers
  const answer = await app.get('/assets/login.css', { 'If-None-Match': etag })
  expect(answer).toMatchObject({ status: 304, text: '' })
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

test.each([
  '/assets',
  '/assets/',
  '/assets/..',
  '/assets/../package.json',
  '/assets/%2e%2e/package.json',
  '/assets/..%2fpackage.json',
  '/assets/..%5cpackage.json',
  '/assets/....//package.json',
  '/assets/%252e%252e/package.json',
  '/assets//etc/passwd',
  '/assets/%00',
  '/assets/login.css%00.svg',
  '/assets/login.css/',
  '/assets/LOGIN.CSS',
  '/assets/.env',
  '/assets/.git/config',
  '/assets/%ff',
  '/assets/%',
  '/ASSETS/login.css',
  '/public/login.css',
  '/views/sign-in.ejs',
  '/package.json',
  '/.env',
  '/.git/config',
  '/data/viewers.db',
  '//evil.example/',
  '/%2f%2fevil.example',
  '/login/..',
  '/%',
  '/%ff',
  '/metrics',
  '/favicon.ico',
  `/${'x'.repeat(8000)}`,
])('the path %s gives a 404 screen', async (path) => {
  const app = await startLoginApp()
  const answer = await app.get(path)
  expectRefused(answer, 404)
  expect(app.lines).toEqual([])
})

test.each([
  [{ Range: 'bytes=999999-' }, 416],
  [{ Range: 'bytes=2-1' }, 416],
  [{ 'If-Match': '"other"' }, 412],
  [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 412],
])('an asset requested with %j is refused without a line in the log', async (headers, status) => {
  const app = await startLoginApp()
  const answer = await app.get('/assets/login.css', headers)
  expectRefused(answer, status)
  expect(alertOf(answer)).toBe(errorText('en', 'notAsRequested'))
  expect(app.lines).toEqual([])
})

test('a valid range of an asset is answered with 206', async () => {
  const app = await startLoginApp()
  expect((await app.get('/assets/login.css', { Range: 'bytes=0-1' })).status).toBe(206)
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('assets refuse the method %s', async (method) => {
  const app = await startLoginApp()
  const answer = await app.send(method, '/assets/login.css?v=1')
  expectRefused(answer, 405)
  expect(answer.headers.allow).toBe('GET, HEAD')
  for (const path of ['/assets', '/assets/', '/assets/nowhere.css', '/assets/login.css/']) {
    expectRefused(await app.send(method, path), 404)
  }
  expect(app.lines).toEqual([])
})
