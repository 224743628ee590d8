import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { ADA, addAda, programSettings } from '../login/login-program.ts'
import { isPassedOn, readinessOf, signInAt } from '../login/program-visits.ts'
import { type LoginProgram, startLoginProgram } from '../login/start-program.ts'
import { type Proxy as RunningProxy, startProxy } from '../servers/proxy.ts'

/** Runs the proxy of compose.yaml in front of two copies of the app. */

const AT_ONCE = 8
/** Shorter than in compose.yaml, and far longer than a sign-in takes. */
const responseTimeout = '3s'

async function startCopies(): Promise<readonly [LoginProgram, LoginProgram]> {
  const settings = { ...programSettings(), TRUST_PROXY_HOPS: '1' }
  await addAda(settings)
  // One after the other, because they share a new file of sessions.
  return [await startLoginProgram(settings), await startLoginProgram(settings)]
}

function atOnce<T>(request: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => request(index)))
}

/** Counts the sign-ins in the log of a copy. */
function signInsAt({ output }: LoginProgram): number {
  return output().split('"event":"sign-in"').length - 1
}

/** Starts a copy whose user store is away. */
function startUnready(): Promise<LoginProgram> {
  const store = { USER_STORE_URL: 'http://127.0.0.1:1/', HTTP_STORE_TOKEN: 'token-of-the-store' }
  return startLoginProgram({ ...programSettings(), ...store, TRUST_PROXY_HOPS: '1' })
}

/** Counts the health checks that a copy answered with another status than 200. */
function failedChecksOf({ output }: RunningProxy): number {
  return output().split('status code out of tolerances').length - 1
}

function postForm({ port }: RunningProxy, path: string, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
}

test('the proxy takes requests from a frozen copy, and repeats only those that change nothing', async () => {
  const copies = await startCopies()
  const proxy = await startProxy(copies, { responseTimeout })
  expect(await readinessOf(proxy)).toEqual([200, 'ready'])
  copies[0].child.kill('SIGSTOP')
  const start = `http://127.0.0.1:${proxy.port}/`
  const [pages, posts] = await Promise.all([
    atOnce(async () => (await fetch(start)).status),
    atOnce((index) => signInAt(proxy, { username: `viewer${index}@example.com`, password: 'wrong' })),
  ])
  expect(new Set(pages)).toEqual(new Set([200]))
  expect(new Set(posts.map(({ status }) => status))).toEqual(new Set([401, 504]))
  // A repeated post would be in the log of the other copy too.
  await expect.poll(() => signInsAt(copies[1])).toBe(posts.filter(({ status }) => status === 401).length)
  expect(new Set(await atOnce(async () => (await fetch(start)).status))).toEqual(new Set([200]))
  expect(isPassedOn(await signInAt(proxy, ADA))).toBe(true)
  copies[0].child.kill('SIGCONT')
})

test('the proxy replaces an address that a viewer forges, and refuses a second Host header', async () => {
  const copies = await startCopies()
  const proxy = await startProxy(copies)
  const headers = { 'X-Forwarded-For': '203.0.113.9' }
  const body = new URLSearchParams({ username: 'eve@example.com', password: 'wrong' })
  await fetch(`http://127.0.0.1:${proxy.port}/sign-in`, { method: 'POST', headers, body })
  const log = await Promise.race(copies.map(({ says }) => says('"outcome":"wrong-credentials"')))
  expect(log).toContain('"address":"127.0.0.1"')
  expect(log).not.toContain('203.0.113.9')
  const socket = connect(proxy.port, '127.0.0.1')
  socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\nHost: evil.example\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})

test('the proxy and a copy agree where a request ends', async () => {
  const copies = await startCopies()
  const proxy = await startProxy(copies)
  const hidden = new URLSearchParams({ username: 'hidden@example.com', password: 'wrong' }).toString()
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const second = `POST /sign-in HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`
  const lengths = [
    [`Content-Length: ${second.length + 5}`, 'Transfer-Encoding: chunked'],
    ['Content-Length: 5', `Content-Length: ${second.length + 5}`],
    [`Content-Length: ${second.length + 5}`, 'Transfer-Encoding: xchunked'],
    [`Content-Length: ${second.length + 5}`, 'Transfer-Encoding : chunked'],
    [`Content-Length: ${second.length + 5}`, 'Transfer-Encoding: identity, chunked'],
  ]
  for (const lines of lengths) {
    const head = ['POST /cancel HTTP/1.1', `Host: 127.0.0.1:${proxy.port}`, ...lines, type].join('\r\n')
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => {})
    socket.end(`${head}\r\n\r\n0\r\n\r\n${second}`)
    // The proxy does not know the host of the second request, so a copy must not get it.
    await text(socket).catch(() => {})
  }
  expect(isPassedOn(await signInAt(proxy, ADA))).toBe(true)
  await expect.poll(() => copies.reduce((sum, copy) => sum + signInsAt(copy), 0)).toBeGreaterThan(0)
  for (const { output } of copies) expect(output()).not.toContain('hidden@example.com')
})

test('a copy that ends takes only the posts with it that were on their way, and no other copy', async () => {
  const copies = await startCopies()
  const proxy = await startProxy(copies)
  const start = `http://127.0.0.1:${proxy.port}/`
  const post = (index: number) => signInAt(proxy, { username: `viewer${index}@example.com`, password: 'wrong' })
  copies[0].child.kill('SIGKILL')
  await copies[0].ended
  const first = await atOnce(post)
  expect(first.map(({ status }) => status)).toContain(401)
  expect((await atOnce(post)).map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(401))
  expect(new Set(await atOnce(async () => (await fetch(start)).status))).toEqual(new Set([200]))
})

test('the proxy forwards to copies that are live while no copy is ready', async () => {
  const unready = await Promise.all([startUnready(), startUnready()] as const)
  const proxy = await startProxy(unready)
  // Two checks of each copy: for posts and for other requests.
  await expect.poll(() => failedChecksOf(proxy)).toBeGreaterThanOrEqual(4)
  expect(await readinessOf(proxy)).toEqual([503, 'unavailable'])
  const [pages, posts, cancelled] = await Promise.all([
    atOnce(() => fetch(`http://127.0.0.1:${proxy.port}/`)),
    atOnce((index) => postForm(proxy, '/sign-in', { username: `viewer${index}@example.com`, password: 'wrong' })),
    postForm(proxy, '/cancel', {}),
  ])
  for (const page of pages) expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')])
  for (const post of posts) {
    expect([post.status, await post.text()]).toEqual([503, expect.stringContaining('role="alert"')])
    expect(Number(post.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect([cancelled.status, cancelled.headers.get('location')]).toEqual([303, expect.stringContaining('hash=false')])
  // Each post arrived once, with its body.
  const linesOf = (username: string) => unready.flatMap(({ output }) => output().split(username).slice(1))
  for (let index = 0; index < AT_ONCE; index += 1) {
    await expect.poll(() => linesOf(`viewer${index}@example.com`)).toHaveLength(1)
  }
})

test('the proxy forwards only to the copy that is ready', async () => {
  const [unready, [, ready]] = await Promise.all([startUnready(), startCopies()])
  const proxy = await startProxy([unready, ready])
  await expect.poll(() => failedChecksOf(proxy)).toBeGreaterThanOrEqual(2)
  const posts = await atOnce((index) => signInAt(proxy, { username: `viewer${index}@example.com`, password: 'no' }))
  expect(posts.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(401))
  expect(signInsAt(unready)).toBe(0)
})

test('no line of the proxy about an error has the query of the request', async () => {
  // Live, not ready, and without an answer: the proxy logs only errors that it could not handle.
  const broken = createServer(({ url = '', socket }, res) => {
    if (url.startsWith('/health/')) res.writeHead(url === '/health/live' ? 200 : 503).end()
    else socket.destroy()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void broken.close())
  await once(broken, 'listening')
  const copy = broken.address() as AddressInfo
  const proxy = await startProxy([copy, copy])
  const headers = { Referer: 'https://login.example.com/account/new-password?token=SECRET' }
  const link = `http://127.0.0.1:${proxy.port}/account/new-password%3Ftoken=SECRET?token=SECRET`
  const output = async () => {
    await fetch(link, { headers })
    return proxy.output()
  }
  await expect.poll(output, { interval: 500 }).toContain('"logger":"http.log.error"')
  expect(proxy.output()).not.toContain('SECRET')
})

test('the proxy answers for copies that are gone, without an address of the app', async () => {
  const copies = await startCopies()
  const proxy = await startProxy(copies)
  for (const { child } of copies) child.kill('SIGKILL')
  await Promise.all(copies.map(({ ended }) => ended))
  const answer = async () => {
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`)
    return [response.status, Object.fromEntries(response.headers), await response.text()]
  }
  const headers = {
    'retry-after': '30',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
  }
  const sentence = expect.stringMatching(/^(?!.*127\.0\.0\.1)./)
  // Once as soon as the copies are gone, and once when the proxy knows it. For two seconds after its start, the proxy
  // itself may miss the sentence.
  await expect.poll(answer).toEqual([expect.toBeOneOf([502, 503]), expect.objectContaining(headers), sentence])
  await expect.poll(answer).toEqual([503, expect.objectContaining(headers), sentence])
})
