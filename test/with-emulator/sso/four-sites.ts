import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { SsoSettings } from '../../../src/features/sso/settings/sso-settings.ts'
import { parseAllowedConsumer, parsePlayerAddress } from '../../../src/hash-lock/return-address.ts'
import { type ProviderOptions, startProvider } from '../../../src/tools/emulator/sso/start-provider.ts'
import { startEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { CLIENT } from '../../features/sso/start-provider.ts'
import { startAppWithSso } from '../../features/sso/start-sso.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import type { LoginApp, LogLine } from '../../login/start-login-app.ts'
import { startSite } from '../../login/start-site.ts'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import { startTls } from '../../servers/tls.ts'
import type { VisitedSites } from '../viewer.ts'
import { startTwoCopies } from './two-copies.ts'

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
    const [setHeader, writeHead] = [response.setHeader.bind(response), response.writeHead.bind(response)]
    response.setHeader = (name, value) => (isKept([name, value]) ? setHeader(name, value) : response)
    response.writeHead = (status: number, own: unknown) =>
      writeHead(status, Object.fromEntries(Object.entries(own ?? {}).filter(isKept)))
  }
  subscribe('http.server.request.start', replace)
  onTestFinished(() => void unsubscribe('http.server.request.start', replace))
}
