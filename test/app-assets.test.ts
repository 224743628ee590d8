import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { readAssets, serveAssets } from '../src/login/screens/assets.ts'
import { expectRefused } from './login/refused-answer.ts'
import { startLoginApp } from './login/start-login-app.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

const PUBLIC = fileURLToPath(new URL('../public', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const SCREEN_STYLES = ['login.css', 'controls.css', 'sizes.css', 'small-players.css', 'script.css']

function contentOf(name: string): string {
  const names = name === 'screen.css' ? SCREEN_STYLES : [name]
  return names.map((part) => readFileSync(`${PUBLIC}/${part}`, 'utf8')).join('')
}

/** The address in the screens. */
function addressOf(name: string): string {
  const digest = createHash('sha256').update(contentOf(name))
  return `/assets/${name}?v=${digest.digest('base64url').slice(0, 10)}`
}

const NAMES = ['screen.css', ...readdirSync(PUBLIC)]

test.each(NAMES)('the asset %s is served with its type, cached for a year', async (name) => {
  const app = await startLoginApp()
  const answer = await app.get(addressOf(name))
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(contentOf(name))
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(answer.headers['content-type']).toBe(TYPES[extname(name)])
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
  expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin')
  expect(answer.headers['x-powered-by']).toBeUndefined()
  expect(answer.headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains')
})

test('a screen loads one style sheet and one script', async () => {
  const app = await startLoginApp()
  const { text } = await app.get('/')
  expect(
    [...text.matchAll(/<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g)].map(([, path]) => path),
  ).toEqual([addressOf('screen.css'), addressOf('login.js')])
})

test.each([
  '/assets/screen.css',
  '/assets/screen.css?v=',
  '/assets/screen.css?v=ANYTHING',
  `${addressOf('screen.css')}&x=1`,
  `${addressOf('screen.css')}&v=ANYTHING`,
  `${addressOf('screen.css')}x`,
  addressOf('icon.svg').replace('icon.svg', 'screen.css'),
])('a cache keeps no content of an asset at the address %s without asking', async (address) => {
  const app = await startLoginApp()
  const answer = await app.get(address)
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-cache')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
})

test('a browser that has the content of an asset does not load it again', async () => {
  const app = await startLoginApp()
  const { headers } = await app.get('/assets/icon.svg')
  const answer = await app.get('/assets/icon.svg', { 'If-None-Match': headers.etag ?? '' })
  expect(answer.status).toBe(304)
  expect((await app.get('/assets/login.js')).headers.etag).not.toBe(headers.etag)
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
  '/assets/screen.css%00.svg',
  '/assets/screen.css/',
  '/assets/SCREEN.CSS',
  '/assets/screen%2ecss',
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

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('assets refuse the method %s', async (method) => {
  const app = await startLoginApp()
  const answer = await app.send(method, '/assets/screen.css?v=1')
  expectRefused(answer, 405)
  expect(answer.headers.allow).toBe('GET, HEAD')
  for (const path of ['/assets', '/assets/', '/assets/nowhere.css', '/assets/screen.css/']) {
    expectRefused(await app.send(method, path), 404)
  }
  expect(app.lines).toEqual([])
})

test.each([
  ['logo@2x.png', 'image/png', '/assets/logo@2x.png'],
  ['Our logo ö.PNG', 'image/png', '/assets/Our%20logo%20%C3%B6.PNG'],
  ['fonts/brand.woff2', 'font/woff2', '/assets/fonts/brand.woff2'],
  ['LICENSE', 'application/octet-stream', '/assets/LICENSE'],
])('a fork may add the file %s to public', async (name, type, path) => {
  const assets = [...readAssets(publicWith(name), 'screen.css', ['login.css']).values()]
  const app = express().use(
    '/assets',
    serveAssets(assets, {}, (_req, res) => void res.sendStatus(405)),
  )
  const answer = await request(app).get(path)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe(type)
})

test.each(['.DS_Store', '.git/config', 'fonts/.DS_Store'])('the hidden file %s in public is not served', (name) => {
  expect(new Set(readAssets(publicWith(name), 'screen.css', ['login.css']).keys())).toEqual(new Set(NAMES))
})

/** Returns a copy of `public` with one more file. */
function publicWith(name: string): string {
  const folder = temporaryFolder()
  cpSync(PUBLIC, folder, { recursive: true })
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), 'content')
  return folder
}
