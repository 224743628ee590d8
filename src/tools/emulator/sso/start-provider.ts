import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import ejs from 'ejs'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { orUndefined } from '../../../errors.ts'
import { EmulatorStartError, writeError } from '../companion.ts'
import { type Faults, openFaults } from '../developer/faults.ts'
import { sendJsonError } from '../http/json-error.ts'
import { closeServer, listen } from '../http/listen.ts'
import { loopbackHostsOnly } from '../http/loopback-only.ts'
import { openProvider, type ProviderClient, type ProviderDeps } from './open-provider.ts'
import { TEST_PEOPLE, type TestPerson } from './people.ts'
import { signInRoutes } from './sign-in.ts'

/** A host that is another site than the login app (`localhost`) and the player (`127.0.0.1`). */
const OWN_SITE = '127.0.0.2'
/** Not every system has that address. */
const ANY_SYSTEM = '127.0.0.1'

const view = (name: string) => fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))
const STYLESHEET = fileURLToPath(new URL('../oauth/public/pages.css', import.meta.url))

export interface ProviderOptions {
  /** 0 picks a free port. */
  readonly port: number
  readonly clients: readonly ProviderClient[]
  readonly people?: readonly TestPerson[]
  /** The header Cross-Origin-Opener-Policy of every answer. `same-origin` cuts `window.opener`, as at Entra ID. */
  readonly coop?: 'same-origin' | 'same-origin-allow-popups' | 'none'
  /** Faults that an emulator shares with its provider. */
  readonly faults?: Faults
  /** The request log of that emulator. */
  readonly record?: RequestHandler
  /** Called with internal errors. By default they go to standard error. */
  readonly onError?: (error: unknown) => void
}

export type RunningProvider = Awaited<ReturnType<typeof startProvider>>

/**
 * Starts an OpenID Connect provider on a loopback address of its own. It keeps everything in memory.
 * @returns also `issuer`, the address of the provider without a slash at the end.
 * @throws EmulatorStartError if the port is in use, or the package `oidc-provider` is not installed.
 */
export async function startProvider({
  port,
  clients,
  people = TEST_PEOPLE,
  coop = 'same-origin',
  faults = openFaults(),
  record = (_req, _res, next) => next(),
  onError = writeError,
}: ProviderOptions) {
  if (!isProviderInstalled()) throw new EmulatorStartError(PROVIDER_MISSING)
  const server = createServer()
  const origin = await listenOnLoopback(server, port)
  const issuer = `${origin}/company`
  const renderPage: ProviderDeps['renderPage'] = (name, locals) =>
    ejs.renderFile(view(name), { stylesheetPath: '/company/pages.css', ...locals }, { cache: true })
  server.on(
    'request',
    createApp({ issuer, clients, people, renderPage, onError }, { coop, middleware: [record, faults.inject] }),
  )
  return { issuer, clients, people, faults, close: () => closeServer(server) }
}

export const PROVIDER_MISSING = 'The package oidc-provider is not installed. Run "npm ci" without --omit=dev.'

/** The package is for development, and a production install leaves it out. */
export function isProviderInstalled(): boolean {
  return orUndefined(() => createRequire(import.meta.url).resolve('oidc-provider')) !== undefined
}

async function listenOnLoopback(server: Server, port: number): Promise<string> {
  try {
    return `http://${OWN_SITE}:${await listen(server, port, OWN_SITE, 'EMULATOR_PROVIDER_PORT')}`
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'EADDRNOTAVAIL'
    if (!isMissing) throw error
    return `http://${ANY_SYSTEM}:${await listen(server, port, ANY_SYSTEM, 'EMULATOR_PROVIDER_PORT')}`
  }
}

/** Creates the app. The provider itself opens at the first request that needs it. */
function createApp(
  deps: ProviderDeps,
  { coop, middleware }: { coop: NonNullable<ProviderOptions['coop']>; middleware: readonly RequestHandler[] },
): Express {
  const { pathname } = new URL(deps.issuer)
  let opening: ReturnType<typeof openProvider> | undefined
  const opened = () => {
    opening ??= openProvider(deps)
    return opening
  }
  const provide: RequestHandler = async (req, res) => (await opened()).callback()(req, res)
  const app = express()
  app.disable('x-powered-by')
  app.set('query parser', 'simple')
  app.use(loopbackHostsOnly, headersOf(coop), ...middleware)
  app.get(`${pathname}/pages.css`, (_req, res) => res.sendFile(STYLESHEET))
  app.use(pathname, signInRoutes(deps, opened), provide)
  app.use((req, res) => sendJsonError(res, 404, 'not_found', `No such path: ${req.path}`))
  app.use(describeError(deps))
  return app
}

/** No frame may hold a page of the provider, as at all large providers. */
function headersOf(coop: string): RequestHandler {
  return (_req, res, next) => {
    res.set({ 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
    if (coop !== 'none') res.set('Cross-Origin-Opener-Policy', coop)
    next()
  }
}

/** The package throws errors with a 4xx status for requests that it does not know, such as an expired sign-in. */
function describeError({ renderPage, onError }: ProviderDeps): ErrorRequestHandler {
  return async (error: unknown, _req, res, next) => {
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
    if (status >= 500) onError(error)
    if (res.headersSent) return next(error)
    const text = status >= 500 ? 'Internal error in the provider.' : String(error)
    res
      .status(status)
      .type('html')
      .send(await renderPage('message', { title: 'Sign-in is not possible', text }))
  }
}
