import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import { expect, test } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import { OverloadedError } from '../../../src/errors.ts'
import { createPages } from '../../../src/login/screens/page.ts'
import { type SignInState, signInLocals } from '../../../src/login/screens/screens.ts'
import { openViews } from '../../../src/login/screens/views.ts'
import { CONSUMER, PLAYER } from '../entry-point.ts'
import { ADA, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

interface RawAnswer {
  /** The status line and the header lines, as sent. */
  readonly head: readonly string[]
  readonly body: string
}

/** Sends a request over a new connection. Returns all bytes until the server closes the connection. */
async function rawAnswer(port: number, request: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  let received = Buffer.alloc(0)
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer])
    if (isWhole(received)) socket.end()
  }
  const end = received.indexOf('\r\n\r\n')
  return { head: received.toString('latin1', 0, end).split('\r\n'), body: received.toString('utf8', end + 4) }
}

function isWhole(received: Buffer): boolean {
  const [head = '', ...rest] = received.toString('latin1').split('\r\n\r\n')
  const length = /\r\nContent-Length: (\d+)/.exec(head)?.[1]
  return rest.length > 0 && rest.join('\r\n\r\n').length >= Number(length)
}

const HASH =
  '%5B%7B%22user%22%3A%22ada%40example.com%22%7D%2C%7B%22hashExpire%22%3A2000003600%7D%2C%7B%22hash%22%3A%22ca298c356abc00e1164eb10ad1e04993%22%7D%5D'
const TO_PLAYER = [`Location: ${PLAYER}/embed/hashlock/pass?keep=a%20b&hash=${HASH}`, 'Content-Length: 0']
const PAGE = ['Content-Type: text/html; charset=utf-8', 'Content-Length: *']
/** With characters that the page escapes, and a pattern of String.replace(). */
const BOB = `"><b>bob & 'co'$&`

/** Every line of the head, in the order in which it is sent. */
function headOf(status: string, own: readonly string[], formTo: string = PLAYER): string[] {
  const script = own.includes(PAGE[0] ?? '') ? ";script-src 'self';connect-src 'self'" : ''
  return [
    `HTTP/1.1 ${status}`,
    'Cache-Control: no-store',
    `Content-Security-Policy: default-src 'none'${script};style-src 'self';img-src 'self';font-src 'self';object-src 'none';base-uri 'none';form-action 'self' ${formTo};frame-ancestors ${PLAYER} https://customer.example;upgrade-insecure-requests`,
    'Cross-Origin-Embedder-Policy: require-corp',
    'Cross-Origin-Resource-Policy: cross-origin',
    'Origin-Agent-Cluster: ?1',
    'Referrer-Policy: same-origin',
    'Strict-Transport-Security: max-age=63072000; includeSubDomains',
    'X-Content-Type-Options: nosniff',
    'X-DNS-Prefetch-Control: off',
    'X-Download-Options: noopen',
    'X-Permitted-Cross-Domain-Policies: none',
    'X-XSS-Protection: 0',
    ...own,
    'Date: *',
    'Connection: keep-alive',
    'Keep-Alive: timeout=65',
  ]
}

/** Masks what differs between two runs, and the length, which expectPage() compares with the page. */
function comparable({ head }: RawAnswer): string[] {
  return head.map((line) =>
    line
      .replace(/^(Date: |Content-Length: (?!0$)).*/, '$1*')
      .replace(/(?<=^Set-Cookie: __Host-viewer=)[^;]+/, '*')
      .replace(/(?<=; Expires=)[^;]+/, '*'),
  )
}

const views = openViews()
const pageIn = createPages(UNBRANDED, views.asset('icon.svg'))

interface Page extends Omit<SignInState, 'context'> {
  readonly head: readonly string[]
  readonly language?: 'en' | 'de'
  readonly fields?: Record<string, string>
}

/** Compares the page with the template as ejs alone renders it: from the file, without a cache. */
function expectPage(answer: RawAnswer, { head, language = 'en', fields = {}, ...state }: Page): void {
  const filename = fileURLToPath(new URL('../../../views/sign-in.ejs', import.meta.url))
  const locals = signInLocals({ views, brand: UNBRANDED, basePath: '', hasScript: true }, pageIn(language), {
    ...state,
    context: { address: { url: '', origin: '' }, content: {}, fields },
  })
  const html = ejs.render(readFileSync(filename, 'utf8'), locals, { filename, cache: false })
  // Random in each page.
  const formPage = /name="page" value="([\w-]{36})"/.exec(answer.body)?.[1] ?? ''
  expect(answer.body).toBe(html.replaceAll(locals.formPage, formPage))
  expect(comparable(answer)).toEqual(head)
  expect(answer.head).toContain(`Content-Length: ${Buffer.byteLength(answer.body)}`)
}

function expectRedirect(answer: RawAnswer, head: readonly string[]): void {
  expect(comparable(answer)).toEqual(head)
  expect(answer.body).toBe('')
}

const get = ({ port }: LoginApp, path: string, headers: readonly string[] = []) =>
  rawAnswer(port, [`GET ${path} HTTP/1.1`, 'Host: login.example', ...headers, '\r\n'].join('\r\n'))

function post({ port }: LoginApp, fields: Record<string, string>, headers: readonly string[] = []): Promise<RawAnswer> {
  const body = formOf(fields)
  const form = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`]
  return rawAnswer(port, ['POST /sign-in HTTP/1.1', 'Host: login.example', ...headers, ...form, '', body].join('\r\n'))
}

test('the screen is sent byte for byte, also from the cache and in another language', async () => {
  const app = await startLoginApp()
  const head = headOf('200 OK', PAGE)
  const german = ['Accept-Language: de-AT,de;q=0.9']
  const toConsumer = headOf('200 OK', PAGE, new URL(CONSUMER).origin)
  const fields = { hashConsumer: `${CONSUMER}1`, ustreamContentId: '7' }
  for (let time = 0; time < 2; time += 1) {
    expectPage(await get(app, '/'), { head })
    expectPage(await get(app, '/', german), { head, language: 'de' })
    expectPage(await get(app, `/?${formOf(fields)}`), { head: toConsumer, fields })
  }
})

test('a sign-in and a return are sent byte for byte', async () => {
  const app = await startLoginApp()
  const cookie =
    'Set-Cookie: __Host-viewer=*; Max-Age=28800; Path=/; Expires=*; HttpOnly; Secure; Partitioned; SameSite=None'
  const signedIn = await post(app, ADA)
  expectRedirect(signedIn, headOf('303 See Other', [...TO_PLAYER, cookie]))
  const sent = /(?<=^Set-)Cookie: [^;]+/m.exec(signedIn.head.join('\n'))?.[0] ?? expect.unreachable()
  expectRedirect(await get(app, '/', [sent, 'Sec-Fetch-Dest: iframe']), headOf('303 See Other', TO_PLAYER))
  expectPage(await get(app, '/?prompt=login', [sent]), { head: headOf('200 OK', PAGE), signedInAs: ADA.username })
  expectPage(await get(app, '/'), { head: headOf('200 OK', PAGE) })
})

test('a wrong password is answered byte for byte, and never with the name of another viewer', async () => {
  const app = await startLoginApp()
  const head = headOf('401 Unauthorized', PAGE)
  const refusal = { status: 401, text: 'wrongCredentials' } as const
  for (const username of [ADA.username, BOB, ADA.username]) {
    expectPage(await post(app, { username, password: 'wrong' }), { head, refusal, username })
    const german = await post(app, { username, password: 'wrong' }, ['Accept-Language: de'])
    expectPage(german, { head, refusal, username, language: 'de' })
  }
  expectPage(await get(app, '/'), { head: headOf('200 OK', PAGE) })
})

test('an overload is answered byte for byte, and never with the name of another viewer', async () => {
  const app = await startLoginApp()
  for (const retryAfterSeconds of [5, 7]) {
    app.users.fail(new OverloadedError('the queue is full', retryAfterSeconds))
    const head = headOf('503 Service Unavailable', [...PAGE, `Retry-After: ${retryAfterSeconds}`])
    const refusal = { status: 503, text: 'overloaded', retryAfterSeconds } as const
    for (const username of [ADA.username, BOB, ADA.username]) {
      expectPage(await post(app, { username, password: 'x' }), { head, refusal, username })
    }
  }
})
