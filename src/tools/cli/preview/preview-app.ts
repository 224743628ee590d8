import { randomBytes } from 'node:crypto'
import { type RequestOptions, request } from 'node:http'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createApp } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { createServedEntryPoints } from '../../../entry-points/served-entry-points.ts'
import { features } from '../../../features.ts'
import type { AccessPolicy } from '../../../login/answer/access-decision.ts'
import type { Feature, OpenFeature } from '../../../login/feature.ts'
import { openFeatures } from '../../../login/open-features.ts'
import type { AppParts } from '../../../login/service.ts'
import { createHttpServer, listen, stopServer } from '../../../server/http-server.ts'
import { openLog, securityLogOf } from '../../../server/log/log.ts'
import { createRepeatFilter } from '../../../server/log/repeat-filter.ts'
import { openSqliteSessionStore } from '../../../sessions/sqlite-store.ts'
import { openMemoryCounter } from '../../../sign-in-limits/memory-counters.ts'
import { createSignInLimits, type SignInLimits } from '../../../sign-in-limits/sign-in-limits.ts'
import type { UserStore } from '../../../users/user-store.ts'
import type { HasScenes, NamedScenes, PreviewApp, Scene, Sent } from './screen.ts'

/**
 * Starts the app with one entry point, on a free port of this machine that only this process knows. Its stores are in
 * memory, and nothing reaches another server.
 */
export async function startPreviewApp(
  config: Config,
  entryPoint: EntryPoint,
  language: string,
  scenes: readonly NamedScenes[],
): Promise<PreviewApp> {
  let scene: Scene = {}
  const nowSeconds = () => Date.now() / 1000
  const { publicUrl, contextWords, addressLimit } = config
  const users = usersOf(() => scene)
  const signInLimits = limitsOf(() => scene)
  const sessionStore = openSqliteSessionStore(':memory:', config.sessions, nowSeconds)
  const log = openLog('silent', new Writable())
  const entryPoints = {
    own: entryPoint,
    open: { ...entryPoint, ...pathOf(entryPoint, 'open'), hasPasswordForm: true },
  }
  const all = Object.values(entryPoints)
  const repeatFilter = createRepeatFilter()
  const shared = { users, sessionStore, signInLimits, nowSeconds, log, securityLog: securityLogOf(log), repeatFilter }
  const sessions = { ...config.sessions, secrets: [randomBytes(32).toString('hex')] }
  const own = { publicUrl, contextWords, addressLimit, openCounter: openMemoryCounter, sessionSettings: sessions }
  const services = { ...shared, ...own, stores: config, served: createServedEntryPoints([]) }
  const opened = new Set<string>()
  const safe = features.map((feature) => withoutServers(feature, scenes, config, (name) => void opened.add(name)))
  const open = await openFeatures(safe, all, config.features, services)
  const app = createApp({
    ...shared,
    config: { publicUrl, entryPoints: all, sessions, trustProxyHops: 0, trustedProxies: [] },
    features: open,
    accessPolicy: policyOf(() => scene),
    optionalStores: [],
    isAccepting: () => true,
  })
  const server = createHttpServer(app)
  const port = await listen(server, 0, '127.0.0.1')

  async function send(method: string, path: string, { headers, at, ...sent }: Sent) {
    scene = sent.scene ?? {}
    const encoded = new URLSearchParams(sent.fields).toString()
    const isGet = method === 'GET'
    const query = isGet && encoded !== '' ? `?${encoded}` : ''
    const form = isGet ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
    const address = (entryPoints[at ?? 'own'].basePath + path || '/') + query
    const given = { 'Accept-Language': language, ...form, ...headers }
    const body = isGet ? '' : (sent.body ?? encoded)
    const { content, ...answer } = await answerOf({ port, method, path: address, headers: given }, body)
    return { ...answer, html: content.toString() }
  }
  return {
    isOpen: (feature: string) => opened.has(feature),
    file: (address: string) => answerOf({ port, path: address }),
    get: (path: string, sent: Sent = {}) => send('GET', path, sent),
    post: (path: string, sent: Sent = {}) => send('POST', path, sent),
    async stop(): Promise<void> {
      await stopServer(server, 100)
      open.close()
      repeatFilter.end()
      sessionStore.close()
    },
  }
}

/** The name of an entry point is unique, so a longer one is too. */
function pathOf({ name }: EntryPoint, kind: string) {
  return { name: `${name}-${kind}`, basePath: `/e/${name}-${kind}` }
}

function answerOf(options: RequestOptions, body = '') {
  return new Promise<{ status: number; type: string; cookie: string; content: Buffer }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      const { 'content-type': type = '', 'set-cookie': [cookie = ''] = [] } = response.headers
      const answer = { status: response.statusCode ?? 0, type, cookie: cookie.split(';', 1)[0] ?? '' }
      buffer(response).then((content) => resolve({ ...answer, content }), reject)
    })
    sent.on('error', reject).end(body)
  })
}

function usersOf(sceneNow: () => Scene): UserStore {
  const viewerOf = (username: string) => ({ username, groups: [], attributes: {} })
  const refusal = () => {
    const { store } = sceneNow()
    if (store instanceof Error) throw store
    return store
  }
  return {
    async authenticate(username) {
      const reason = await Promise.resolve().then(refusal)
      return reason === undefined ? { ok: true, viewer: viewerOf(username) } : { ok: false, reason }
    },
    async find(username) {
      await Promise.resolve().then(refusal)
      return viewerOf(username)
    },
    checkHealth: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

function limitsOf(sceneNow: () => Scene): SignInLimits {
  return {
    admit(username, address) {
      const { waitSeconds: retryAfterSeconds } = sceneNow()
      if (retryAfterSeconds !== undefined) return Promise.resolve({ ok: false, limit: 'account', retryAfterSeconds })
      // New counters each time: no screen may depend on those before it.
      return createSignInLimits(openMemoryCounter).admit(username, address)
    },
    admitGuess: (address) => createSignInLimits(openMemoryCounter).admitGuess(address),
    forgive: () => Promise.resolve(),
    isAgain: () => Promise.resolve(false),
  }
}

function policyOf(sceneNow: () => Scene): AccessPolicy {
  return {
    timeoutMs: 1_000,
    decideAccess: (_viewer, { parameters }) =>
      sceneNow().access ?? { ok: true, parameters: parameters.map(({ name }) => [name, 'preview']) },
  }
}

/** Loads the scenes of all features that have some. */
export async function loadScenes(features: readonly HasScenes[]): Promise<readonly NamedScenes[]> {
  const loaded = features.map(async ({ name, scenes }) =>
    scenes === undefined ? [] : [{ name, scenes: await scenes() }],
  )
  return (await Promise.all(loaded)).flat()
}

/**
 * Returns a feature that opens without a server. It has nothing to do if it has no scenes.
 * @param onOpen called with the name of a feature that has something to do.
 */
function withoutServers(
  feature: Feature,
  all: readonly NamedScenes[],
  config: Config,
  onOpen: (name: string) => void,
): Feature {
  const { scenes } = all.find(({ name }) => name === feature.name) ?? {}
  const open = (services: AppParts, _entryPoints: unknown, shared: unknown): Promise<OpenFeature | null> => {
    const opened = scenes?.open(services, config, shared) ?? null
    if (opened !== null) onOpen(feature.name)
    return Promise.resolve(opened)
  }
  return { ...feature, needs: {}, open }
}
