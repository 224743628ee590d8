import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { onTestFinished } from 'vitest'
import { UNBRANDED } from '../../../src/brand/brand.ts'
import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import { createHttpServer, listen, stopServer } from '../../../src/server/http-server.ts'
import type { Role } from '../../../src/tools/cli/manager/accounts/manager-store.ts'
import { openManagerStore } from '../../../src/tools/cli/manager/accounts/manager-store.ts'
import { eventTimesOf } from '../../../src/tools/cli/settings/event-times.ts'
import { loadAll } from '../../../src/tools/cli/terminal/lazy.ts'
import { type ViewerFacts, viewerFactsOf } from '../../../src/tools/cli/viewers/viewer-facts.ts'
import { features } from '../../../src/tools/features.ts'
import { type EventReports, eventReports } from '../../../src/tools/manager/after/event-reports.ts'
import { openActs } from '../../../src/tools/manager/door/acts.ts'
import { createManagerApp } from '../../../src/tools/manager/manager-app.ts'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'

export const PASSWORD = 'correct horse 12'
export const START_SECONDS = 1_800_000_000
const SECRET = '9c4e17d05ab83f6621e0d97c58fb3a12'

/** Compares texts: a unit test hashes no password. */
const PLAIN = {
  dummyHash: 'nobody',
  read: (hash: string) => ({
    ok: true as const,
    verify: (password: string) => Promise.resolve(hash === password),
    needsRehash: () => false,
  }),
}

interface Options {
  /** A function reads them anew for each page. */
  readonly entryPoints?: readonly EntryPoint[] | null | (() => readonly EntryPoint[])
  /** Replace those of the video service. */
  readonly reports?: Partial<EventReports>
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string
  /** MANAGER_TIME_ZONE. */
  readonly timeZone?: string
  /** Replace those in a file. They are closed with the page. */
  readonly users?: EditableUserStore
  /** Replace those of the features. */
  readonly viewerFacts?: readonly ViewerFacts[]
}

/** Starts the page for managers in this process, with viewers, sessions and counts in files of a new folder. */
export async function startManager(options: Options = {}) {
  const { entryPoints = null, env = {}, reports } = options
  const folder = mkdtempSync(join(tmpdir(), 'manager-'))
  const { server, port, url, answerWith } = await listenFor(options.url)
  const settings = { url, secret: SECRET, proxyHops: 0, timeZone: options.timeZone ?? null }
  const ownEnv = {
    USER_STORE_URL: `sqlite:${join(folder, 'viewers.db')}`,
    SESSION_STORE_URL: `sqlite:${join(folder, 'sessions.db')}`,
    LIMITS_STORE_URL: `sqlite:${join(folder, 'limits.db')}`,
    SECURITY_LOG_FILE: join(folder, 'security.log'),
    ...env,
  }
  const store = openManagerStore(join(folder, 'manager.db'))
  const users = options.users ?? openEditableSqliteStore(join(folder, 'viewers.db'))
  const faults: unknown[] = []
  const closers: (() => void)[] = []
  const clock = { seconds: START_SECONDS }
  const nowSeconds = () => clock.seconds
  const logFile = join(folder, 'manager.log')
  const app = createManagerApp({
    env: ownEnv,
    settings,
    store,
    brand: UNBRANDED,
    nowSeconds,
    passwords: PLAIN,
    viewers: { store: users, editable: users },
    viewerFacts: options.viewerFacts ?? (await viewerFactsOf({ features })),
    events: await eventTimesOf(features),
    parts: await loadAll(features.map((feature) => feature.page)),
    actsFile: logFile,
    reports: { ...eventReports(ownEnv), ...reports },
    entryPoints: typeof entryPoints === 'function' ? entryPoints : () => entryPoints,
    logAct: openActs(logFile, { error: (line: unknown) => void faults.push(line) }),
    addressOf: () => '192.0.2.7',
    onFault: (error) => void faults.push(error),
    warn: () => {},
    onClose: (close) => void closers.push(close),
  })
  answerWith(app)
  onTestFinished(async () => {
    for (const close of closers) close()
    await stopServer(server, 100)
    await users.close()
    store.close()
    rmSync(folder, { recursive: true })
  })
  const origin = `http://127.0.0.1:${port}`
  return {
    app,
    origin,
    users,
    store,
    clock,
    faults,
    folder,
    env: ownEnv,
    /** The lines of the log of acts. */
    acts: () =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
    browser: () => createBrowser(origin),
    /** Adds a manager, and signs in with password and second step. */
    async signedIn(role: Role = 'event-manager', only: readonly string[] | null = null, name = `${role}@example.com`) {
      store.add({ name, role, entryPoints: only }, PASSWORD)
      const browser = createBrowser(origin)
      const secret = await signIn(browser, name, clock.seconds)
      return Object.assign(browser, { name, secret })
    },
  }
}

/** Listens before the app is there, whose address has the port. With a `wanted` https address, the server is its proxy. */
async function listenFor(wanted: string | undefined) {
  let app: RequestListener = () => {}
  const server = createHttpServer((req, res) => {
    if (req.headers.host === `127.0.0.1:${port}`) req.headers.host = url.host
    app(req, res)
  })
  const port = await listen(server, 0, '127.0.0.1')
  const url = new URL(wanted ?? 'http://127.0.0.1')
  if (url.protocol === 'http:') url.port = String(port)
  const answerWith = (listener: RequestListener) => {
    app = listener
  }
  return { server, port, url, answerWith }
}

export type Browser = ReturnType<typeof createBrowser>

/** Signs a new manager in. @returns the secret of the second step. */
export async function signIn(browser: Browser, name: string, seconds: number): Promise<string> {
  await browser.get('/sign-in')
  await browser.post('/sign-in', { name, password: PASSWORD })
  const { text } = await browser.get('/second-step')
  const [, shown = ''] = /class="secret">([^<]+)</.exec(text) ?? []
  const secret = shown.replaceAll(' ', '')
  await browser.post('/second-step', { code: codeOf(secret, seconds) })
  return secret
}

export function codeOf(secret: string, seconds: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: seconds * 1000 })
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The target of a redirect. */
  readonly location: string | null
}

export type Fields = Readonly<Record<string, string | readonly string[]>>

/** A browser without a script: it keeps cookies, and posts the token of the last page. */
export function createBrowser(origin: string) {
  const cookies = new Map<string, string>()
  let token = ''
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie && { Cookie: cookie }), ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(path, origin), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || line.includes('Expires=Thu, 01 Jan 1970')) cookies.delete(name)
      else cookies.set(name, value)
    }
    const charset = /charset=([\w-]+)/.exec(response.headers.get('Content-Type') ?? '')?.[1]
    const text = new TextDecoder(charset).decode(await response.arrayBuffer())
    token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? token
    const location = response.headers.get('Location')
    return { status: response.status, text, headers: response.headers, location }
  }
  const bodyOf = (fields: Fields) =>
    new URLSearchParams(
      Object.entries(fields).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      ),
    )
  return {
    cookies,
    token: () => token,
    get: (path: string, headers: Readonly<Record<string, string>> = {}) => send(path, { headers }),
    /** Reads a stream until a text comes. */
    async stream(path: string, wanted: string): Promise<Answer> {
      const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const { status, headers, body } = await fetch(new URL(path, origin), { redirect: 'manual', headers: { Cookie } })
      let text = ''
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        if (text.includes(wanted)) break
      }
      return { status, text, headers, location: headers.get('Location') }
    },
    /** Posts a form with the token of the last page, unless the fields have one. */
    post: (path: string, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}) =>
      send(path, { method: 'POST', body: bodyOf({ token, ...fields }), headers }),
    /** Posts a form, and follows its redirect. */
    async act(path: string, fields: Fields = {}): Promise<Answer> {
      const { location, ...answer } = await send(path, { method: 'POST', body: bodyOf({ token, ...fields }) })
      return location === null ? { location, ...answer } : await send(location)
    },
    upload: (
      path: string,
      name: string,
      content: Uint8Array<ArrayBuffer> | string,
      fields: Record<string, string> = {},
    ) => {
      const body = new FormData()
      for (const [field, value] of Object.entries({ token, ...fields })) body.append(field, value)
      body.append('file', new Blob([content]), name)
      return send(path, { method: 'POST', body })
    },
  }
}
