import { Writable } from 'node:stream'
import request from 'supertest'
import { onTestFinished } from 'vitest'
import { type AppDeps, createApp } from '../../src/app.ts'
import type { EntryPoint, HashEntryPoint } from '../../src/entry-points/entry-point.ts'
import { createServedEntryPoints } from '../../src/entry-points/served-entry-points.ts'
import { features } from '../../src/features.ts'
import { decideAccess } from '../../src/login/access-policy.ts'
import type { AccessPolicy } from '../../src/login/answer/access-decision.ts'
import type { Feature } from '../../src/login/feature.ts'
import { openFeatures } from '../../src/login/open-features.ts'
import { unframedHeaders } from '../../src/login/screens/headers.ts'
import { createHttpServer, listen, stopServer } from '../../src/server/http-server.ts'
import { openLog, securityLogOf } from '../../src/server/log/log.ts'
import { createRepeatFilter } from '../../src/server/log/repeat-filter.ts'
import { openSqliteSessionStore } from '../../src/sessions/sqlite-store.ts'
import { openMemoryCounter } from '../../src/sign-in-limits/memory-counters.ts'
import { type AddressLimit, DEFAULT_ADDRESS_LIMIT, type Network } from '../../src/sign-in-limits/settings.ts'
import { createSignInLimits, type SignInLimits } from '../../src/sign-in-limits/sign-in-limits.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { memoryUsers } from './memory-users.ts'

export const ADA = { username: 'ada@example.com', password: 'PASSWORDMARKER correct horse' }
export const START_SECONDS = 2_000_000_000

export type Answer = Awaited<ReturnType<LoginApp['send']>>

export type LogLine = Readonly<Record<string, unknown>>
type Form = string | Buffer | Readonly<Record<string, string>>
type RequestHeaders = Readonly<Record<string, string | string[]>>

export type LoginApp = Awaited<ReturnType<typeof startLoginApp>>

export interface LoginAppOptions
  extends Partial<Omit<AppDeps, 'config' | 'users' | 'features' | 'sessionStore' | 'signInLimits'>> {
  readonly sessionStore?: AppDeps['sessionStore']
  readonly signInLimits?: Pick<SignInLimits, 'admit'>
  /** Default: the features of the kit. Those are on that an entry point has settings of. */
  readonly features?: readonly Feature[]
  /** The settings of features that all entry points share. */
  readonly featureSettings?: Readonly<Record<string, unknown>>
  readonly publicUrl?: string
  /** Default: a free port. */
  readonly port?: number
  readonly entryPoints?: readonly (EntryPoint | HashEntryPoint)[]
  readonly trustProxyHops?: number
  readonly trustedProxies?: readonly Network[]
  readonly sessionSecrets?: readonly string[]
  readonly sessionFile?: string
  readonly users?: AppDeps['users']
  readonly addressLimit?: AddressLimit
  /** Reads the entry points again while the app runs. */
  readonly readAgain?: Parameters<typeof createServedEntryPoints>[1]
}

export const SESSION_LIMITS = { lifetimeSeconds: 28_800, idleSeconds: 14_400, mostPerViewer: 20 }

/** What features get besides the parts of the app. */
const SERVICES = {
  openCounter: openMemoryCounter,
  stores: { sessionStore: { kind: 'sqlite' }, limitsStore: { kind: 'memory' } },
  addressLimit: DEFAULT_ADDRESS_LIMIT,
  contextWords: [],
} as const

/** The rule of the kit: a fork's own policy breaks no test of the screens. */
const KIT_POLICY: AccessPolicy = { decideAccess, timeoutMs: 3_000 }

/** Starts the login app over real HTTP on a free port until the test ends. Ada can sign in. */
export async function startLoginApp(options: LoginAppOptions = {}) {
  const users = memoryUsers()
  users.add(ADA.username, ADA.password)
  const clock = { seconds: START_SECONDS }
  const nowSeconds = options.nowSeconds ?? (() => clock.seconds)
  const lines: LogLine[] = []
  const sessionStore: AppDeps['sessionStore'] =
    options.sessionStore ?? openSqliteSessionStore(options.sessionFile ?? ':memory:', SESSION_LIMITS, nowSeconds)
  const publicUrl = new URL(options.publicUrl ?? 'https://login.example')
  const log = options.log ?? collectingLog(lines)
  const signInLimits = { ...createSignInLimits(openMemoryCounter), ...options.signInLimits }
  const entryPoints = options.entryPoints ?? [ENTRY_POINT]
  const secrets = options.sessionSecrets ?? ['SESSIONSECRETMARKER-8d2b']
  const shared = {
    users: options.users ?? users,
    sessionStore,
    signInLimits,
    nowSeconds,
    log,
    securityLog: options.securityLog ?? securityLogOf(log),
    repeatFilter: options.repeatFilter ?? createRepeatFilter(),
  }
  const served = createServedEntryPoints(options.features ?? features, options.readAgain)
  const opened = await openFeatures(options.features ?? features, entryPoints, options.featureSettings ?? {}, {
    ...shared,
    ...SERVICES,
    ...(options.addressLimit && { addressLimit: options.addressLimit }),
    sessionSettings: { ...SESSION_LIMITS, secrets },
    publicUrl,
    sessionStore: inFull(sessionStore),
    served,
  })
  const app = createApp({
    config: {
      publicUrl,
      entryPoints,
      sessions: { ...SESSION_LIMITS, secrets },
      trustProxyHops: options.trustProxyHops ?? 0,
      trustedProxies: options.trustedProxies ?? [],
    },
    ...shared,
    served,
    features: opened,
    optionalStores: [...opened.optionalStores, ...(options.optionalStores ?? [])],
    isAccepting: options.isAccepting ?? (() => true),
    accessPolicy: options.accessPolicy ?? KIT_POLICY,
  })
  const server = createHttpServer(app, { headers: unframedHeaders(publicUrl) })
  const port = await listen(server, options.port ?? 0, '127.0.0.1')
  onTestFinished(async () => {
    // Browsers keep connections that they have not used yet.
    await stopServer(server, 100)
    opened.close()
    sessionStore.close()
  })

  async function send(method: string, path: string, headers: RequestHeaders = {}, body?: Form) {
    const origin = `http://127.0.0.1:${port}`
    const sent = request(origin)[method.toLowerCase() as 'get'](path).redirects(0).buffer(true).parse(readText)
    for (const [name, value] of Object.entries(headers)) sent.set(name, value as string)
    if (body !== undefined) {
      if (headers['Content-Type'] === undefined) sent.type('application/x-www-form-urlencoded')
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : formOf(body))
      // The client would otherwise encode the bytes as another form.
      sent.serialize(() => bytes as unknown as string).send(bytes)
    }
    const { status, headers: answered, body: text } = await sent
    const { 'set-cookie': setCookies = [], ...rest } = answered as Readonly<Record<string, string>> & {
      'set-cookie'?: string[]
    }
    return {
      status,
      headers: rest,
      setCookies: setCookies as readonly string[],
      location: rest.location,
      text: typeof text === 'string' ? text : '',
    }
  }
  return {
    users,
    lines,
    clock,
    sessionStore,
    port,
    send,
    get: (path: string, headers?: RequestHeaders) => send('GET', path, headers),
    post: (path: string, form?: Form, headers?: RequestHeaders) => send('POST', path, headers, form),
  }
}

/** Returns the store with what only features use. */
function inFull(sessionStore: AppDeps['sessionStore']) {
  const none = () => Promise.resolve(0)
  return { endSessionsOf: none, endIdentitySessions: none, ...sessionStore }
}

export function formOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString()
}

function collectingLog(lines: LogLine[]) {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, written) {
      for (const line of String(chunk).trimEnd().split('\n')) lines.push(JSON.parse(line) as LogLine)
      written()
    },
  })
  return openLog('trace', destination)
}

type Readable = NodeJS.ReadableStream & { setEncoding(encoding: string): unknown }

function readText(response: unknown, done: (error: Error | null, text: string) => void): void {
  const stream = response as Readable
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    text += chunk
  })
  stream.on('end', () => done(null, text))
}
