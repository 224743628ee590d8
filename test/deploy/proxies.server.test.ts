import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ADA, addAda, programSettings, startLoginProgram } from '../login/login-program.ts'
import { freePort } from '../servers/free-port.ts'
import { CADDY, checkConfiguration, NGINX, type ProxyProgram, type RunningProxy, startProxy } from './start-proxy.ts'
import { type Answer, visitPlain } from './visits.ts'

/** Runs the app behind the examples nginx.conf and Caddyfile of .github/deploy. */

const WRONG = { username: ADA.username, password: 'wrong' }
const CONSUMERS = 'https://chat.example/authorize/'
/** As long as the app accepts, and each character as three. */
const LONGEST_CONSUMER = `${CONSUMERS}?${'x'.repeat(2048 - CONSUMERS.length - 1)}`
const LONGEST_QUERY = [...LONGEST_CONSUMER].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')
/** These make a header of 10 kB. nginx accepts 4 kB by default. */
const MANY_ORIGINS = Array.from({ length: 200 }, (_, index) => `https://${'page'.repeat(8)}-${index}.example`)

async function startBehind(program: ProxyProgram) {
  const settings = {
    ...programSettings(),
    PUBLIC_URL: 'https://login.example.com',
    PLAYER_ORIGINS: ['https://player.example', ...MANY_ORIGINS].join(' , '),
    HASH_CONSUMERS: CONSUMERS,
    TRUST_PROXY_HOPS: '1',
  }
  await addAda(settings)
  const app = await startLoginProgram(settings)
  return { app, proxy: await startProxy(program, app.port) }
}

/** The status and the headers of the app, without those of the connection and what differs each time. */
function lasting({ status, headers: { connection, date, server, location, ...headers } }: Answer) {
  const {
    'keep-alive': _alive,
    'transfer-encoding': _encoding,
    'alt-svc': _other,
    'set-cookie': cookie,
    ...rest
  } = headers
  return {
    status,
    ...rest,
    player: location?.split('hash=')[0],
    cookie: cookie?.[0]?.replace(/(?<=^[^=;]*|Expires)=[^;]*/g, ''),
  }
}

function signIn(proxy: RunningProxy, form: Readonly<Record<string, string>>, from?: string, forged?: string) {
  const headers: Readonly<Record<string, string>> = forged === undefined ? {} : { 'X-Forwarded-For': forged }
  return proxy.visit('/sign-in', { form, headers, ...(from === undefined ? {} : { from }) })
}

describe.each([
  ['nginx', NGINX],
  ['Caddy', CADDY],
])('%s', (name, program) => {
  test(`${name} accepts its example, and would refuse a misspelt one`, async () => {
    const { status, output } = await checkConfiguration(program)
    expect(status, output).toBe(0)
    expect(output).not.toMatch(/\[warn\]|not formatted/)
    expect((await checkConfiguration(program, (text) => text.replace('keepalive', 'keepalife'))).status).not.toBe(0)
  })

  test(`${name} changes no answer of the app`, async () => {
    const { app, proxy } = await startBehind(program)
    for (const [path, form] of [['/'], ['/sign-in', ADA], ['/sign-in', WRONG], ['/cancel', {}], ['/none']] as const) {
      const answer = await proxy.visit(path, form === undefined ? {} : { form })
      expect(lasting(answer), path).toEqual(
        lasting(await visitPlain(app.port, path, form === undefined ? {} : { form })),
      )
    }
    const { status, headers } = await signIn(proxy, ADA)
    expect([status, headers.location]).toEqual([303, expect.stringMatching(/^https:\/\/player\.example\/.*hash=%5B/)])
    expect(headers['cache-control']).toBe('no-store')
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? []
    expect((await proxy.visit('/', { headers: { Cookie: cookie } })).status).toBe(303)
  })

  test(`behind ${name}, the limits count for the address of the viewer, and not for a forged one`, async () => {
    const { proxy } = await startBehind(program)
    const headers = { 'X-Forwarded-For': '203.0.113.9', Forwarded: 'for=203.0.113.9', 'X-Real-IP': '203.0.113.9' }
    expect((await proxy.visit('/health/address', { headers })).body).toBe('{"address":"127.0.0.2"}')
    const statuses: number[] = []
    for (let index = 0; index < 7; index += 1) {
      statuses.push((await signIn(proxy, WRONG, '127.0.0.3', `203.0.113.${index}`)).status)
    }
    expect(statuses).toContain(429)
    expect((await signIn(proxy, WRONG, '127.0.0.4')).status).toBe(401)
  })

  test(`${name} writes no token, code, response or password, also while the app is away`, async () => {
    const { app, proxy } = await startBehind(program)
    const paths = ['/account/new-password', '/e/town-hall/account/new-password', '/sso/callback']
    const open = async () => {
      for (const path of paths) {
        for (const query of ['?token=SECRET', '?code=SECRET&state=SECRET', '%3Ftoken=SECRET', '?%73=SECRET']) {
          await proxy.visit(`${path}${query}`, {
            headers: { Referer: `https://login.example.com${path}?token=SECRET` },
          })
        }
      }
    }
    await visitPlain(proxy.plainPort, '/sso/callback?code=SECRET')
    await open()
    const { headers } = await signIn(proxy, ADA)
    const [, response = expect.unreachable()] = /hash=(.{20})/.exec(headers.location ?? '') ?? []
    app.child.kill('SIGKILL')
    await app.ended
    await open()
    await signIn(proxy, { ...ADA, password: 'SECRET' })
    for (const path of [...paths, '/sign-in']) await expect.poll(proxy.logs).toContain(path)
    await expect.poll(proxy.logs).toMatch(/"path":"\/sign-in","status":"503"|"uri":"\/sign-in".*"status":502/)
    expect(proxy.logs()).not.toMatch(/SECRET|PASSWORDMARKER|hash=/)
    expect(proxy.logs()).not.toContain(response)
  })

  test(`${name} passes on the longest addresses and headers of the app, and the app refuses longer ones`, async () => {
    const { proxy } = await startBehind(program)
    const consumer = await proxy.visit(`/?hashConsumer=${LONGEST_QUERY}&ustreamContentId=${'%31'.repeat(64)}`)
    expect(consumer.status).toBe(200)
    expect(consumer.headers['content-security-policy']).toContain(MANY_ORIGINS.at(-1))
    const sent = await signIn(proxy, { ...ADA, hashConsumer: LONGEST_CONSUMER })
    expect([sent.status, sent.headers.location?.startsWith(LONGEST_CONSUMER)]).toEqual([303, true])
    expect((await proxy.visit(`/none?code=${'x'.repeat(15_000)}`)).status).toBe(404)
    expect([414, 431]).toContain((await proxy.visit(`/none?code=${'x'.repeat(20_000)}`)).status)
    expect((await signIn(proxy, { ...ADA, hashConsumer: 'x'.repeat(20_000) })).status).toBe(413)
  })

  test(`${name} answers only for its own name, with TLS, and for an app that is away`, async () => {
    const proxy = await startProxy(program, await freePort())
    await expect(proxy.visit('/', { host: 'evil.example' })).rejects.toThrow(/alert/)
    const { status, headers } = await visitPlain(proxy.plainPort, '/?lang=de')
    expect([301, 308]).toContain(status)
    expect(headers.location).toMatch(/^https:\/\/login\.example\.com(:\d+)?\/\?lang=de$/)
    const away = await proxy.visit('/')
    expect([502, 503]).toContain(away.status)
    expect(away).toMatchObject({
      headers: { 'retry-after': '30', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      body: 'Sign-in is unavailable. Try again in a minute.',
    })
  })

  test(`${name} keeps its connections to the app, for less time than the app does, and replaces forged headers`, async () => {
    const seen: IncomingHttpHeaders[] = []
    let connections = 0
    const server = createServer(({ headers }, res) => {
      seen.push(headers)
      res.end('answer')
    })
    server.on('connection', () => {
      connections += 1
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const proxy = await startProxy(program, (server.address() as AddressInfo).port)
    const headers = { 'X-Forwarded-For': '203.0.113.9' }
    for (let index = 0; index < 10; index += 1) expect((await proxy.visit('/', { headers })).body).toBe('answer')
    expect(connections).toBe(1)
    expect(seen[0]).toMatchObject({ host: 'login.example.com', 'x-forwarded-for': '127.0.0.2' })
    const example = readFileSync(new URL(`../../.github/deploy/${program.file}`, import.meta.url), 'utf8')
    const [, seconds] = /\bkeepalive(?:_timeout)? (\d+)s/.exec(example) ?? []
    expect(Number(seconds)).toBeLessThan(65)
  })
})
