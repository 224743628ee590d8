import { Client, type Dispatcher } from 'undici'

export interface BrowserAnswer {
  readonly status: number
  /** From `Retry-After`; null without. */
  readonly retryAfterSeconds: number | null
  /** Where a redirect leads: out of the app, because the browser follows those within. */
  readonly location: string | null
  /** The page of the app that loads next by itself. */
  readonly refresh?: { readonly path: string; readonly afterMs: number } | undefined
  /** The text of a page with status 200; else empty. */
  readonly page: string
  /** The reason for programs on the screen of a refusal, such as `overloaded`, or of a page on which viewers wait. */
  readonly reason?: string | undefined
}

/** The browser of one viewer. It keeps one connection, and cookies only for a later visit. */
export type Browser = ReturnType<typeof openBrowser>

/** A viewer who waits longer has closed the page. */
const TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_MS = 60_000
const MOST_BYTES = 1_048_576
const MOST_REDIRECTS = 5
const REFRESH = /^(\d{1,5})\s*;\s*url=(.+)$/i
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (viewer-auth drill)',
  accept: 'text/html,application/xhtml+xml',
  'accept-language': 'en',
  'sec-fetch-dest': 'iframe',
  'sec-fetch-mode': 'navigate',
}

/** Returns a function that opens browsers. A stop closes those that are open. */
export function browsersUntil(stop: AbortSignal, origin: string) {
  const open = new Set<Client>()
  stop.addEventListener('abort', () => {
    for (const client of open) client.destroy()
  })
  return () => openBrowser(origin, open)
}

/** Opens a browser without cookies. It connects at the first request. @param open gets its connection until it closes. */
export function openBrowser(origin: string, open = new Set<Client>()) {
  const client = new Client(origin, {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    keepAliveTimeout: IDLE_MS,
    maxResponseSize: MOST_BYTES,
  })
  open.add(client)
  const cookies = new Map<string, string>()
  let connections = 0
  client.on('connect', () => {
    connections += 1
  })

  async function send(options: Dispatcher.RequestOptions, redirects = 0): Promise<BrowserAnswer> {
    const opened = connections
    const answer = await exchange(client, origin, options, cookies).catch((error: unknown) => {
      // Like a browser: if a connection that was kept open is closed, the request goes over a new one at once.
      if (opened === 0 || connections !== opened || client.destroyed) throw error
      return exchange(client, origin, options, cookies)
    })
    const path = answer.status === 303 && redirects < MOST_REDIRECTS ? pathIn(answer.location, origin) : null
    return path === null ? answer : await send(ownPage(path), redirects + 1)
  }
  return {
    /** Opens an address in the frame of a player. @throws Error if no whole answer comes. */
    open(path: string, withCookies: boolean): Promise<BrowserAnswer> {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...HEADERS, 'sec-fetch-site': 'cross-site', ...(withCookies && cookie ? { cookie } : {}) }
      return send({ method: 'GET', path, headers })
    },
    /** Follows an address of the app's own page, without cookies. @throws Error if no whole answer comes. */
    follow: (path: string) => send(ownPage(path)),
    /** Posts a form from the app's own page. @throws Error if no whole answer comes. */
    post(path: string, fields: Readonly<Record<string, string>>): Promise<BrowserAnswer> {
      const headers = {
        ...HEADERS,
        'sec-fetch-site': 'same-origin',
        origin,
        'content-type': 'application/x-www-form-urlencoded',
      }
      return send({ method: 'POST', path, headers, body: new URLSearchParams(fields).toString() })
    },
    hasCookies: () => cookies.size > 0,
    /** Closes the connection. A running request fails. */
    close() {
      open.delete(client)
      client.destroy()
    },
  }
}

const ownPage = (path: string) =>
  ({ method: 'GET', path, headers: { ...HEADERS, 'sec-fetch-site': 'same-origin' } }) as const

async function exchange(
  client: Client,
  origin: string,
  options: Dispatcher.RequestOptions,
  cookies: Map<string, string>,
): Promise<BrowserAnswer> {
  const { statusCode, headers, body } = await client.request(options)
  const text = await body.text()
  for (const cookie of [headers['set-cookie'] ?? []].flat()) {
    const [, name, value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
    if (name !== undefined) cookies.set(name, value)
  }
  const [, seconds, address = ''] = REFRESH.exec([headers.refresh].flat()[0] ?? '') ?? []
  const path = pathIn(address, origin)
  return {
    status: statusCode,
    retryAfterSeconds: retryAfter(headers['retry-after']),
    location: [headers.location ?? []].flat()[0] ?? null,
    refresh: seconds === undefined || path === null ? undefined : { path, afterMs: Number(seconds) * 1000 },
    page: statusCode === 200 ? text : '',
    reason: /<meta name="reason" content="([a-z-]{1,40})">/.exec(text)?.[1],
  }
}

/** Returns the path and query of a page of the app. Null for another address, and for the way back to the player. */
function pathIn(address: string | null, origin: string): string | null {
  if (!address || !URL.canParse(address, origin)) return null
  const url = new URL(address, origin)
  return url.origin === origin && !url.searchParams.has('hash') ? url.pathname + url.search : null
}

/** Reads seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - Date.now()) / 1000))
}

/** Returns why no answer came, without a value of the answer: the code of the error, such as ECONNREFUSED. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
