import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ADA, addAda, programSettings } from '../login/login-program.ts'
import { startLoginProgram } from '../login/start-program.ts'
import { makeCertificate } from '../servers/certificate.ts'
import { freePort } from '../servers/free-port.ts'
import { isOpen } from '../servers/is-open.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { type Answer, HOST, type VisitOptions, visitPlain, visitWithTls } from './visits.ts'

const FOLDER = fileURLToPath(new URL('../../.github/deploy', import.meta.url))
const START_MS = 60_000

/** A proxy whose configuration is in .github/deploy. */
interface ProxyProgram {
  readonly path: string
  readonly file: string
  /** Makes a configuration with ports and paths of this test, in its folder. Returns the arguments that name it. */
  readonly configure: (text: string, places: Places) => readonly string[]
  readonly checkArguments: readonly string[]
  readonly runArguments: readonly string[]
}

interface Places {
  readonly folder: string
  readonly appPort: number
  readonly port: number
  readonly plainPort: number
}

/** The main file of nginx, for one process that this test ends. */
function mainFileOf({ folder }: Places, file: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/logs/main.log;
    events { worker_connections 256; }
    http { access_log ${folder}/logs/main-access.log; ${temporary.join(' ')} include ${file}; }`
}

const NGINX: ProxyProgram = {
  path: '/usr/sbin/nginx',
  file: 'nginx.conf',
  configure: (text, places) => {
    const { folder, appPort, port, plainPort } = places
    const site = join(folder, 'site.conf')
    const changed = text
      .replace('127.0.0.1:3000', `127.0.0.1:${appPort}`)
      .replaceAll(/listen \[::\].*/g, '')
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 80', `listen 127.0.0.1:${plainPort}`)
      .replaceAll('/etc/letsencrypt/live/login.example.com', folder)
      .replaceAll('/var/log/nginx', join(folder, 'logs'))
    writeFileSync(site, changed)
    writeFileSync(join(folder, 'nginx.conf'), mainFileOf(places, site))
    return ['-e', join(folder, 'logs/main.log'), '-c', join(folder, 'nginx.conf')]
  },
  checkArguments: ['-t'],
  runArguments: [],
}

const CADDY: ProxyProgram = {
  path: '/usr/bin/caddy',
  file: 'Caddyfile',
  configure: (text, { folder, appPort, port, plainPort }) => {
    const own = ['admin off', 'default_bind 127.0.0.1', `http_port ${plainPort}`, `https_port ${port}`].join('\n\t')
    const changed = text
      .replace('127.0.0.1:3000', `127.0.0.1:${appPort}`)
      .replace('{', `{\n\t${own}`)
      .replace(`${HOST} {`, `${HOST} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`)
    writeFileSync(join(folder, 'Caddyfile'), changed)
    return ['--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
  },
  checkArguments: ['validate'],
  runArguments: ['run'],
}

type RunningProxy = Awaited<ReturnType<typeof startProxy>>

/** The example as it is, or changed. Default: as it is. */
type Change = (text: string) => string

async function prepare(program: ProxyProgram, appPort: number, change: Change) {
  if (!existsSync(program.path)) throw new Error(`${program.path} is missing. npm test installs it on Debian, as root.`)
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'logs'))
  const { certificate, key } = await makeCertificate([`DNS:${HOST}`])
  writeFileSync(join(folder, 'fullchain.pem'), certificate)
  writeFileSync(join(folder, 'privkey.pem'), key)
  const port = await freePort()
  const plainPort = await freePort()
  const text = change(readFileSync(join(FOLDER, program.file), 'utf8'))
  const named = program.configure(text, { folder, appPort, port, plainPort })
  return { folder, port, plainPort, certificate, named, env: { PATH: '/usr/bin:/bin', HOME: folder } }
}

/** Runs the program's own check of its configuration. */
async function checkConfiguration(program: ProxyProgram, change: Change = (text) => text) {
  const { named, env } = await prepare(program, 3000, change)
  const { status, stdout, stderr } = spawnSync(program.path, [...program.checkArguments, ...named], {
    env,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

/** Starts a proxy with its example, in front of a port of 127.0.0.1. It ends with the test. */
async function startProxy(program: ProxyProgram, appPort: number) {
  const { folder, port, plainPort, certificate, named, env } = await prepare(program, appPort, (text) => text)
  const child = spawn(program.path, [...program.runArguments, ...named], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  /** Everything that the program wrote. */
  const logs = () =>
    readdirSync(join(folder, 'logs')).reduce((all, name) => all + readFileSync(join(folder, 'logs', name)), output)
  const deadlineMs = performance.now() + START_MS
  while (!((await isOpen(port)) && (await isOpen(plainPort)))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) throw new Error(`It did not start: ${logs()}`)
    await sleep(50)
  }
  const visit = (path: string, options: VisitOptions = {}) => visitWithTls(port, certificate, path, options)
  return { plainPort, logs, visit }
}

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
  test(`${name} accepts its example, and would refuse a misspelled one`, async () => {
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
