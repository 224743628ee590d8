import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { SsoSettings } from '../../../src/features/sso/settings/sso-settings.ts'
import { parseAllowedConsumer, parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import {
  type ProviderOptions,
  type RunningProvider,
  startProvider,
} from '../../../src/tools/emulator/sso/start-provider.ts'
import { startEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { CLIENT } from '../../features/sso/start-provider.ts'
import { startAppWithSso } from '../../features/sso/start-sso.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { programSettings } from '../../login/login-program.ts'
import type { LoginApp, LogLine } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { startSite } from '../../login/start-site.ts'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import { startTls } from '../../servers/tls.ts'
import type { VisitedSites } from '../viewer.ts'

/** The steps of a sign-in, which take turns at the copies. All other requests take turns of their own. */
const STEPS = ['/', '/sso/start', '/sso/callback', '/sso/continue']

interface CopiesOptions {
  readonly port: number
  readonly login: string
  readonly sharedStoreUrl: string
  readonly playerOrigins: readonly string[]
  readonly playerReturnUrl: string
  readonly hasScript?: boolean | undefined
  readonly provider: RunningProvider
}

/** Starts two programs behind a proxy on the port, until the test ends. Returns their logs, one after the other. */
async function startTwoCopies({
  port,
  login,
  sharedStoreUrl,
  playerOrigins,
  playerReturnUrl,
  hasScript = true,
  provider: {
    issuer,
    clients: [client],
  },
}: CopiesOptions): Promise<() => readonly LogLine[]> {
  const settings = {
    ...programSettings(),
    PUBLIC_URL: login,
    HASH_SECRET: ENTRY_POINT.secret,
    PLAYER_RETURN_URL: playerReturnUrl,
    PLAYER_ORIGINS: playerOrigins.join(),
    SESSION_STORE_URL: sharedStoreUrl,
    SCREEN_SCRIPT: hasScript ? 'on' : 'off',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client?.clientId ?? '',
    OIDC_CLIENT_SECRET: client?.secret ?? '',
  }
  const copies = await Promise.all([startLoginProgram(settings), startLoginProgram(settings)])
  const turns = { step: 0, other: 0 }
  const proxy = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', login)
    const turn = turns[STEPS.includes(pathname) ? 'step' : 'other']++
    const { method, url: path, headers } = req
    const forwarded = request({ port: copies[turn % 2]?.port, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(forwarded)
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const linesOf = (output: string) =>
    output.split('\n').flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []))
  return () => copies.flatMap(({ output }) => linesOf(output()) as LogLine[])
}

/** Null leaves the header out. */
type Headers = Readonly<Record<string, string | null>>

export interface SitesOptions {
  /** The header Cross-Origin-Opener-Policy of the provider. */
  readonly coop?: ProviderOptions['coop']
  /** Headers of the customer's page. */
  readonly pageHeaders?: Readonly<Record<string, string>>
  /** Headers of all answers of the video service. */
  readonly playerHeaders?: Headers
  /** Headers of all answers of the login app. */
  readonly loginHeaders?: Headers
  /** True if the customer's page frames the login app itself, because the player needs scripts. */
  readonly isWithoutPlayer?: boolean
  /** The sandbox of the player in the customer's page, which the frame of the login app inherits. */
  readonly sandbox?: string
  readonly entryPoint?: Partial<HashEntryPoint>
  readonly settings?: Partial<SsoSettings>
  /** The address of a shared store: two copies of the login app share it, and each step of a sign-in is at the other copy. */
  readonly sharedStoreUrl?: string
  /** For https at the login app. */
  readonly certificate?: Certificate | undefined
}

export interface Sites extends VisitedSites {
  /** The steps of viewers in the log, in their order. With two copies: those of the first, then of the second. */
  outcomes(): unknown[]
}

/**
 * Starts the customer's page, the emulated video service, the login app and the emulated provider until the test ends.
 * To a browser they are four sites: 127.0.0.3, 127.0.0.1, localhost and 127.0.0.2.
 */
export async function startFourSites({
  coop = 'same-origin',
  pageHeaders = {},
  playerHeaders = {},
  loginHeaders = {},
  isWithoutPlayer = false,
  sandbox,
  entryPoint,
  settings,
  sharedStoreUrl,
  certificate,
}: SitesOptions = {}): Promise<Sites> {
  const port = await freePort()
  const login = certificate ? `https://localhost:${await startTls(port, certificate)}` : `http://localhost:${port}`
  const emulator = await startEmulator({ port: 0, seed: { lock: { url: `${login}/`, secret: ENTRY_POINT.secret } } })
  onTestFinished(() => emulator.close())
  replaceHeaders(emulator.port, playerHeaders)
  replaceHeaders(port, loginHeaders)
  const framed = (path: string) => (isWithoutPlayer ? login : `${emulator.url}${path}`)
  const attributes = sandbox === undefined ? '' : `sandbox="${sandbox}"`
  const page = await startSite(
    (path) =>
      `<!doctype html><title>Customer</title><iframe ${attributes} allow="autoplay" width="640" height="480" src="${framed(path)}"></iframe>`,
    pageHeaders,
    '127.0.0.3',
  )
  const client = { ...CLIENT, redirectUris: [`${login}/sso/callback`] }
  const provider = await startProvider({ port: 0, clients: [client], coop })
  onTestFinished(() => provider.close())
  const playerOrigins = [emulator.url, page]
  const playerReturnUrl = `${emulator.url}/embed/hashlock/pass`
  const lines = sharedStoreUrl
    ? await startTwoCopies({
        port,
        login,
        sharedStoreUrl,
        playerOrigins,
        playerReturnUrl,
        hasScript: entryPoint?.hasScript,
        provider,
      })
    : await linesOf(
        startAppWithSso(provider.issuer, port, {
          origin: login,
          ...(settings && { settings }),
          entryPoint: {
            playerAddress: parsePlayerAddress(playerReturnUrl),
            playerOrigins,
            consumers: [parseAllowedConsumer(`${emulator.url}/chat/authorize/`)],
            ...entryPoint,
          },
        }),
      )
  return {
    pageOf: (content) => `${page}/${content}`,
    hasLoginButton: !isWithoutPlayer,
    service: emulator.url,
    login,
    issuer: provider.issuer,
    passed: `${playerReturnUrl}?hash=%5B%7B`,
    outcomes: () => lines().flatMap(({ outcome }) => outcome ?? []),
  }
}

async function linesOf(starting: Promise<LoginApp>): Promise<() => readonly LogLine[]> {
  const { lines } = await starting
  return () => lines
}

/** Replaces headers of all answers of a server of this process, until the test ends. */
function replaceHeaders(port: number, headers: Headers): void {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const replace = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort !== port) return
    for (const [name, value] of Object.entries(headers)) if (value !== null) response.setHeader(name, value)
    const isKept = ([name]: [string, unknown]) => !names.has(name.toLowerCase())
    const setHeader = response.setHeader.bind(response)
    const writeHead = response.writeHead.bind(response)
    response.setHeader = (name, value) => (isKept([name, value]) ? setHeader(name, value) : response)
    response.writeHead = (status: number, own: unknown) =>
      writeHead(status, Object.fromEntries(Object.entries(own ?? {}).filter(isKept)))
  }
  subscribe('http.server.request.start', replace)
  onTestFinished(() => void unsubscribe('http.server.request.start', replace))
}
