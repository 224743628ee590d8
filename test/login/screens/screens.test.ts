import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import { textsOf } from '../../../src/languages/languages.ts'
import { entryPointAt } from '../entry-point.ts'
import { expectRefused } from '../refused-answer.ts'
import { cookieIn } from '../signed-in.ts'
import { ADA, type Answer, type LoginApp, startLoginApp } from '../start-login-app.ts'
import { BRANDS, everyScreen, LANGUAGES, startAppWithEveryScreen } from './every-screen.ts'

const NAMES = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' autofocus onfocus='alert(1)`,
  '</title></head><body onload=alert(1)>',
  '&lt;script&gt;&amp;#60;',
  '<%= 7*7 %><%- include("x") %>',
  '{username}{count}$&',
  '--><svg/onload=alert(1)>',
  '`alert(1)`',
  '\u05d0<b>\u2028</b>',
]

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Returns the tags and attributes of a page, without its texts. */
function skeletonOf({ text }: Answer): string {
  return text.replace(/"[^"<>]*"/g, '""').replace(/>[^<>]*</g, '><')
}

async function screensNaming(app: LoginApp, name: string): Promise<Answer[]> {
  app.users.add(name, 'other')
  app.users.add('plain', 'pw', { username: name })
  const Cookie = cookieIn(await app.post('/e/open/sign-in', { username: 'plain', password: 'pw' }))
  const looping: Answer[] = []
  for (let visit = 0; visit < 3; visit += 1) looping.push(await app.get('/e/open', { Cookie }))
  return [
    await app.post('/e/open/sign-in', { username: name, password: 'wrong' }),
    await app.post('/e/closed/sign-in', { username: 'plain', password: 'pw' }),
    await app.post('/e/lacking/sign-in', { username: 'plain', password: 'pw' }),
    await app.get('/e/open?prompt=login', { Cookie }),
    looping.at(-1) ?? expect.unreachable(),
  ]
}

const entryPoints = [
  entryPointAt('open'),
  entryPointAt('closed', { allowedGroups: ['platinum'] }),
  entryPointAt('lacking', { parameters: [{ name: 'p', attribute: 'missing' }] }),
]

test.each(NAMES)('the name %j is shown as text on every screen', async (name) => {
  const app = await startLoginApp({ entryPoints })
  const plain = await screensNaming(app, 'plain name')
  app.clock.seconds += 60
  const marked = await screensNaming(app, name)
  expect(marked.map(({ status }) => status)).toEqual([401, 403, 403, 200, 409])
  for (const [index, answer] of marked.entries()) {
    expect(answer.text).toContain(escaped(name))
    expect(skeletonOf(answer)).toBe(skeletonOf(plain[index] ?? expect.unreachable()))
  }
})

test('every screen has one heading, a language, and no inline script or style', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  for (const { text } of [
    await app.get('/'),
    await app.get('/?prompt=login', { Cookie }),
    await app.get('/nowhere'),
    await app.post('/sign-in', { ...ADA, password: 'x' }),
    await app.get('/?hashConsumer=x'),
  ]) {
    expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/)
    expect(text.match(/<h1/g)).toHaveLength(1)
    const inline = text.replaceAll(/<script type="module" src="\/assets\/login\.js\?v=[\w-]+"><\/script>/g, '')
    expect(inline).not.toMatch(/<script|<style|style=|\son\w+=|javascript:/i)
    expect(text).not.toMatch(/undefined|\[object|NaN/)
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, id] of text.matchAll(/aria-describedby="([^"]*)"/g)) expect(ids).toContain(id)
    for (const [, id] of text.matchAll(/<label for="([^"]*)"/g)) expect(ids).toContain(id)
  }
})

test('in every language, the title begins with the word for an error exactly on the screens with an alert', async () => {
  const app = await startAppWithEveryScreen(UNBRANDED)
  for (const language of LANGUAGES) {
    const prefix = textsOf(language).titleWithError.replace('{title}', '').trimEnd()
    for (const { name, html } of await everyScreen(app, language)) {
      const title = /<title>(.*)<\/title>/.exec(html)?.[1] ?? ''
      expect([language, name, title.startsWith(prefix)]).toEqual([language, name, html.includes('role="alert"')])
      expect(html).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}" dir="(ltr|rtl)">`))
    }
  }
})

const FAULTS_OF_FIELDS = /wrong password|empty fields|invalid character/

test('only faults of the fields mark them as invalid, and every message belongs to the fields', async () => {
  const app = await startAppWithEveryScreen(UNBRANDED)
  const screens = (await everyScreen(app, 'en')).filter(({ html }) => /id="username".*aria-/.test(html))
  expect(screens.length).toBeGreaterThanOrEqual(11)
  for (const screen of screens) {
    const fields = screen.html.match(/<input id="(username|password)"[^>]*>/g) ?? []
    expect(fields).toHaveLength(2)
    for (const field of fields) {
      expect(field).toContain('aria-describedby="alert"')
      expect([screen.name, field.includes('aria-invalid="true"')]).toEqual([
        screen.name,
        FAULTS_OF_FIELDS.test(screen.name),
      ])
    }
  }
})

test('the sign-in screen and its style sheets have less than 12 kB, compressed', async () => {
  const app = await startAppWithEveryScreen(BRANDS['square logo'])
  const { text } = await app.get('/', { 'Accept-Language': 'ar' })
  const addresses = [...text.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, address = '']) => address)
  expect(addresses).toHaveLength(2)
  const pages = [text]
  for (const address of addresses) pages.push((await app.get(address)).text)
  expect(pages.reduce((sum, page) => sum + gzipSync(page).length, 0)).toBeLessThan(12_000)
})

test('the fields are marked for password managers', async () => {
  const app = await startLoginApp()
  const { text } = await app.get('/')
  expect(text).toMatch(/<input id="username"[^>]*autocomplete="username"/)
  expect(text).toMatch(/<input id="password"[^>]*type="password"[^>]*autocomplete="current-password"/)
  expect(text).not.toMatch(/onpaste|autocomplete="off"/)
})

test('the screen of an internal error is short and leads back to the player', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  app.users.fail(new Error('INTERNALMARKER'))
  const answer = await app.get('/', { Cookie })
  expectRefused(answer, 500)
  expect(answer.text).not.toMatch(/INTERNALMARKER|\.ts:|node_modules/)
  expect(answer.text).toContain(`<button class="quiet">${textsOf('en').backToPlayer}</button>`)
  expect((await app.post('/cancel', '')).location).toMatch(/&hash=false$/)
})

test('the Content-Length of a screen is correct', async () => {
  const app = await startLoginApp()
  for (const answer of [
    await app.get('/', { 'Accept-Language': 'ja' }),
    await app.post('/sign-in', 'username=%E2%9C%93&password='),
  ]) {
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text))
  }
})
