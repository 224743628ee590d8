import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame } from 'puppeteer-core'
import { readConfig } from '../../../../../src/config.ts'
import type { RunningEmulator } from '../../../../../src/tools/emulator/start-emulator.ts'
import { programSettings } from '../../../../login/login-program.ts'
import { type MemoryUsers, memoryUsers } from '../../../../login/memory-users.ts'
import { ADA, type LoginApp, type LoginAppOptions, startLoginApp } from '../../../../login/start-login-app.ts'
import { runHere } from '../../../../tools/cli/run-here.ts'
import { startService } from '../../../../tools/video-service/test-service.ts'
import { viewersUrl } from '../../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../../../video-service/client.ts'
import { type Findings, runDoctor } from '../findings.ts'
import { slowClock } from '../slow-clock.ts'
import { waitForProvider } from '../sso/wait-for-provider.ts'

type Settings = Record<string, string>
type HeaderValues = IncomingMessage['headers']

/** A proxy in front of the app that does something wrong. */
export interface BadProxy {
  /** Returns the headers that the app gets. */
  readonly asks?: (headers: HeaderValues, req: IncomingMessage) => HeaderValues
  /** Returns the path that the app gets. */
  readonly path?: (path: string) => string
  /** Returns the headers that the browser gets. */
  readonly answers?: (headers: HeaderValues, req: IncomingMessage) => HeaderValues
  /** Returns the status that the browser gets. */
  readonly status?: (status: number, req: IncomingMessage) => number
  /** Returns the text that the browser gets. */
  readonly text?: (text: string, req: IncomingMessage) => string
  /** Waits before each answer. */
  readonly delayMs?: number
  /** True for requests whose body the proxy drops. */
  readonly dropsBody?: boolean
  /** Answers in place of the app, unless it returns false. */
  readonly instead?: (req: IncomingMessage, res: ServerResponse) => boolean
}

/** What a viewer can do on a screen. */
export interface Hand {
  readonly screen: Frame
  /** Types into the fields that are there, and presses the button of their form. Does nothing if the first is missing. */
  type(texts: Settings): Promise<void>
  /** Presses a button, if it is there. */
  press(selector: string): Promise<void>
}

/** One thing that is broken in an installation where all else is right. */
export interface Fault {
  readonly name: string
  /** "level code" of every finding that is not "ok", in their order. */
  readonly findings: readonly string[]
  /** True if viewers get through all the same. */
  readonly isHarmless?: boolean
  /** Why a browser gets through although the doctor is right. */
  readonly notForBrowsers?: string
  /** Why the doctor cannot see the fault. Its README says so. */
  readonly blindSpot?: string
  /** True if the service itself is broken, and not only a lock. */
  readonly changesService?: boolean
  /** The options that try the way in. The default tries a password. */
  readonly tries?: readonly string[]
  /**
   * Does what a viewer of this way in would do next on a screen of the app. The default types the password.
   * @returns what it waits for.
   */
  readonly viewer?: (hand: Hand, installation: Installation) => Promise<unknown>
  /** Settings of the app and of the doctor. */
  readonly settings?: (all: Settings) => Settings | Promise<Settings>
  /** Settings that only the app has. */
  readonly appSettings?: (all: Settings) => Settings
  readonly app?: () => LoginAppOptions | Promise<LoginAppOptions>
  /** The copies of the app that the proxy asks in turn. */
  readonly turns?: readonly number[]
  /** Another copy of the app. The proxy takes turns. */
  readonly copy?: LoginAppOptions | ((all: Settings) => LoginAppOptions)
  readonly proxy?: BadProxy
  /** Makes the proxy speak TLS, with PUBLIC_URL as https. */
  readonly tls?: () => Promise<ServerOptions>
  /** The customer's page. The default frames the player. */
  readonly page?: {
    readonly headers?: Settings
    readonly html?: (player: string) => string
    readonly tls?: () => Promise<ServerOptions>
  }
  /** Breaks something after everything was set up. May change `env` and `args` in place. */
  readonly afterwards?: (installation: Installation) => unknown
}

export interface Installation {
  readonly emulator: RunningEmulator
  readonly users: MemoryUsers
  readonly app: LoginApp
  /** The settings of the doctor. */
  readonly env: Settings
  /** The arguments of the doctor. The first two name the channel, the last two the page. */
  readonly args: string[]
  readonly cwd: string
  readonly viewer: Fault['viewer'] | undefined
  /** Runs another command with the same settings. */
  run(...args: string[]): Promise<unknown>
}

/** Starts an installation with one fault, and runs the doctor with all checks. */
export async function examine(fault: Fault, service: RunningEmulator): Promise<Findings> {
  const { args, cwd, env } = await install(fault, service, slowClock().wait)
  return await runDoctor(args, { cwd, env })
}

/**
 * Starts an installation with one fault until the test ends.
 * @param service serves all faults that do not change it, because an emulator takes as long to start as all else.
 */
export async function install(
  fault: Fault,
  service: RunningEmulator,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<Installation & { page: URL }> {
  const cwd = temporaryFolder()
  const emulator = fault.changesService ? await emulatorOfTest() : service
  const {
    headers = {},
    html = (player: string) => `<iframe src="${player}"></iframe>`,
    tls: pageTls,
  } = fault.page ?? {}
  const page = await startService(
    (_req, res) => {
      for (const [name, value] of Object.entries({ 'content-type': 'text/html', ...headers }))
        res.setHeader(name, value)
      res.end(`<!doctype html>${html(`${emulator.url}/embed/1002`)}`)
    },
    await pageTls?.(),
  )
  const ports: number[] = []
  let turn = 0
  const front = await startService(
    (req, res) => {
      const order = fault.turns ?? [...ports.keys()]
      const port = ports[order[turn++ % order.length] ?? 0] ?? 0
      void wait(fault.proxy?.delayMs ?? 0).then(() => forward(fault.proxy ?? {}, port, req, res))
    },
    await fault.tls?.(),
  )
  // Another site than the page and the player.
  const publicUrl = front.origin.replace('127.0.0.1', 'localhost')
  const basic: Settings = {
    ...programSettings(cwd),
    USER_STORE_URL: viewersUrl(cwd),
    PUBLIC_URL: publicUrl,
    PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
    PLAYER_ORIGINS: `${emulator.url},${page.origin}`,
    TRUST_PROXY_HOPS: '1',
  }
  const settings = { ...basic, ...(await fault.settings?.(basic)) }
  const users = memoryUsers()
  users.add(ADA.username, ADA.password)
  const config = readConfig({ ...settings, ...fault.appSettings?.(settings) })
  const { entryPoints, features: featureSettings, trustProxyHops, trustedProxies } = config
  const nowSeconds = () => Date.now() / 1000
  const parts = { publicUrl, entryPoints, featureSettings, trustProxyHops, trustedProxies, nowSeconds, users }
  const given = await fault.app?.()
  const options = { ...parts, ...given }
  const app = await startTried(options)
  ports.push(app.port)
  if (fault.copy) {
    const changed = typeof fault.copy === 'function' ? fault.copy(settings) : fault.copy
    const copy = { ...options, sessionStore: app.sessionStore, ...changed }
    ports.push((await startTried(copy)).port)
  }
  const env = { ...settings, ...environmentFor(emulator), VIEWER_PASSWORD: ADA.password }
  const run = (...args: string[]) => runHere(args, { cwd, env })
  const [{ viewerAuth = 'hash' } = {}] = entryPoints
  await run('lock', 'set', '--channel', '1002', '--viewer-auth', viewerAuth, '--yes')
  const { tries = ['--viewer', ADA.username] } = fault
  const args = ['--channel', '1002', ...tries, '--page', page.href]
  const installation = { emulator, users, app, env, args, cwd, viewer: fault.viewer, run }
  await fault.afterwards?.(installation)
  return { ...installation, page }
}

/** What features do before the app starts, and what the tests wait for then. */
const BEFORE_START: readonly ((options: LoginAppOptions, waits: Promise<unknown>[]) => LoginAppOptions)[] = [
  waitForProvider,
]

async function startTried(given: LoginAppOptions): Promise<LoginApp> {
  const waits: Promise<unknown>[] = []
  const app = await startLoginApp(BEFORE_START.reduce((options, prepare) => prepare(options, waits), given))
  await Promise.all(waits)
  return app
}

function forward(proxy: BadProxy, port: number, req: IncomingMessage, res: ServerResponse): void {
  if (proxy.instead?.(req, res)) return
  const { asks = (headers) => headers, answers = (headers) => headers, path = (given) => given } = proxy
  const forwarded = [req.headers['x-forwarded-for'] ?? [], req.socket.remoteAddress ?? ''].flat().join(', ')
  const sent = { ...asks({ ...req.headers, 'x-forwarded-for': forwarded }, req) }
  if (proxy.dropsBody) sent['content-length'] = '0'
  if (proxy.text) sent['accept-encoding'] = 'identity'
  const options = { host: '127.0.0.1', port, method: req.method, path: path(req.url ?? '/'), headers: sent }
  const passed = request(options, (answer) => {
    const { 'content-length': length, ...given } = answers(answer.headers, req)
    const { statusCode = 500 } = answer
    const status = proxy.status?.(statusCode, req) ?? statusCode
    if (proxy.text) return void text(answer).then((whole) => res.writeHead(status, given).end(proxy.text?.(whole, req)))
    res.writeHead(status, { ...given, ...(length && { 'content-length': length }) })
    answer.pipe(res)
  })
  passed.on('error', () => res.writeHead(502).end('Bad gateway'))
  if (proxy.dropsBody) passed.end()
  else req.pipe(passed)
}
