import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../servers/free-port.ts'
import { CLIENT } from '../start-provider.ts'
import { type AppWithSso, cookiesOf, openWindow, pressContinue, startAppWithSso } from '../start-sso.ts'
import { openVisitor, type Visitor } from '../visitor.ts'
import { type AppAtProvider, providerContract } from './provider-contract.ts'

interface GlewlwydPerson {
  readonly username: string
  readonly password: string
  readonly groups: readonly string[]
}

interface GlewlwydClient {
  readonly clientId: string
  readonly secret: string
  readonly redirectUri: string
  /** For `private_key_jwt`. Null for a client with a secret. */
  readonly publicKey: KeyObject | null
}

/** A provider that does not share a line of code with the app or its libraries. */
type Glewlwyd = Awaited<ReturnType<typeof startGlewlwyd>>

type Process = ChildProcessByStdio<null, Readable, null>

const PROGRAM = '/usr/bin/glewlwyd'
const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const MODULES = '/usr/lib/glewlwyd'
/** The account of the schema. */
const ADMINISTRATOR = { username: 'admin', password: 'password' }
/** Debian's user "nobody", if the tests run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
/** Its value is the claim `sid`. */
const SESSION_COOKIE = 'session-of-clients'
const STARTS_WITHIN_MS = 60_000

/** Starts Debian's glewlwyd on a free port of 127.0.0.1, with a database of its own. */
async function startGlewlwyd(people: readonly GlewlwydPerson[]) {
  if (!existsSync(PROGRAM)) {
    throw new Error('glewlwyd is missing: sudo apt-get install -y --no-install-recommends dbconfig-sqlite3 glewlwyd')
  }
  const folder = mkdtempSync(join(tmpdir(), 'glewlwyd-'))
  const origin = `http://127.0.0.1:${await freePort()}`
  const api = `${origin}/api`
  const child = await launch(folder, origin)
  const administrator = openVisitor()
  await ask(administrator, 'POST', `${api}/auth`, ADMINISTRATOR)
  await ask(administrator, 'POST', `${api}/mod/plugin/`, openIdConnect(`${api}/oidc`))
  await allowGroups(administrator, api)
  for (const person of people) {
    await ask(administrator, 'POST', `${api}/user/`, { ...person, scope: ['openid'] })
  }
  return {
    issuer: `${api}/oidc`,
    /** Registers a client, in place of one with the same id. */
    async register(client: GlewlwydClient) {
      const url = `${api}/client/`
      await administrator.sendJson('DELETE', `${url}${client.clientId}`)
      await ask(administrator, 'POST', url, registrationOf(client))
    },
    /**
     * Signs a person in, as the login page of the provider does, and gives the client its consent.
     * @returns the address to which the provider sends the browser.
     */
    async signIn(address: string, { username, password }: GlewlwydPerson, visitor = openVisitor()) {
      const { searchParams } = (await visitor.follow(address)).url
      await ask(visitor, 'POST', `${api}/auth`, { username, password })
      await ask(visitor, 'PUT', `${api}/auth/grant/${searchParams.get('client_id')}/`, { scope: 'openid' })
      return (await visitor.follow(`${searchParams.get('callback_url')}&g_continue`)).url
    },
    /** Logs out of the provider with the browser of the sign-in. The provider tells its clients. */
    logOut: (visitor: Visitor) => ask(visitor, 'DELETE', `${api}/oidc/session/${visitor.cookie(SESSION_COOKIE)}`),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function launch(folder: string, origin: string): Promise<Process> {
  const files = { configuration: join(folder, 'configuration'), database: join(folder, 'database') }
  const database = new DatabaseSync(files.database)
  database.exec(`PRAGMA synchronous = OFF; BEGIN; ${readFileSync(SCHEMA, 'utf8')}; COMMIT`)
  database.close()
  writeFileSync(files.configuration, configurationOf(origin, files.database))
  for (const path of [folder, ...Object.values(files)]) {
    if (UNPRIVILEGED.uid !== undefined) chownSync(path, UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  }
  const child = spawn(PROGRAM, ['-c', files.configuration], {
    ...UNPRIVILEGED,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let log = ''
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS)
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`glewlwyd did not start: ${log}`))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (log.includes('Glewlwyd started')) resolve()
    })
    child.once('error', reject).once('exit', fail)
    signal.addEventListener('abort', fail)
  })
  // It says so before it listens.
  while (child.exitCode === null && !signal.aborted && !(await answers(origin))) await setTimeout(10)
  return child
}

async function answers(origin: string): Promise<boolean> {
  return await fetch(origin).then(
    () => true,
    () => false,
  )
}

function configurationOf(origin: string, database: string): string {
  const modules = {
    user: 'user',
    user_middleware: 'user',
    client: 'client',
    user_auth_scheme: 'scheme',
    plugin: 'plugin',
  }
  const lines = [
    `port = ${new URL(origin).port}`,
    'bind_address = "127.0.0.1"',
    `external_url = "${origin}"`,
    'login_url = "login.html"',
    'log_mode = "console"',
    'log_level = "INFO"',
    'cookie_secure = false',
    ...Object.entries(modules).map(([kind, path]) => `${kind}_module_path = "${MODULES}/${path}"`),
    `database = { type = "sqlite3"; path = "${database}" }`,
  ]
  return `${lines.join('\n')}\n`
}

/** Returns the plugin with the issuer. */
function openIdConnect(issuer: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claimOf = (name: string, property: string) => ({
    name,
    'user-property': property,
    type: 'string',
    mandatory: true,
  })
  const parameters = {
    iss: issuer,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    'jwks-show': true,
    // RFC 9207. The discovery document does not mention it.
    'oauth-as-iss-id': true,
    'auth-type-code-enabled': true,
    'pkce-allowed': true,
    'pkce-required': true,
    'subject-type': 'public',
    'session-management-allowed': true,
    'session-cookie-name': SESSION_COOKIE,
    'session-cookie-expiration': 3600,
    'back-channel-logout-allowed': true,
    'allowed-scope': ['openid'],
    claims: [claimOf('preferred_username', 'username'), claimOf('groups', 'groups')],
    // For private_key_jwt.
    'request-parameter-allow': true,
    'request-maximum-exp': 3600,
    'client-pubkey-parameter': 'pubkey',
  }
  return { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', parameters }
}

/** Allows people to have groups. */
async function allowGroups(administrator: Visitor, api: string): Promise<void> {
  const url = `${api}/mod/user/database`
  const store = (await (await administrator.request(url)).json()) as { parameters: { 'data-format': object } }
  const format = { ...store.parameters['data-format'], groups: { multiple: true, read: true, write: true } }
  const parameters = { ...store.parameters, 'data-format': format }
  await ask(administrator, 'PUT', url, { ...store, parameters })
  await ask(administrator, 'PUT', `${url}/reset`)
}

function registrationOf({ clientId, secret, redirectUri, publicKey }: GlewlwydClient) {
  const authentication = publicKey
    ? { token_endpoint_auth_method: ['private_key_jwt'], pubkey: publicKey.export({ type: 'spki', format: 'pem' }) }
    : { token_endpoint_auth_method: ['client_secret_basic'], client_secret: secret }
  const logoutUri = new URL('/sso/logout', redirectUri).href
  const common = { client_id: clientId, confidential: true, redirect_uri: [redirectUri], scope: ['openid'] }
  return { ...common, backchannel_logout_uri: logoutUri, authorization_type: ['code'], ...authentication }
}

async function ask(visitor: Visitor, method: string, url: string, value?: unknown): Promise<void> {
  const { status } = await visitor.sendJson(method, url, value)
  if (status !== 200) throw new Error(`glewlwyd answered ${status} to ${method} ${url}`)
}

const ADA = { username: 'ada@example.com', password: 'a password of the provider', groups: ['gold', 'staff'] }

let glewlwyd: Glewlwyd

beforeAll(async () => {
  glewlwyd = await startGlewlwyd([ADA])
})

afterAll(() => glewlwyd.stop())

async function open(app: AppAtProvider) {
  await glewlwyd.register({ ...CLIENT, ...app })
  return {
    issuer: glewlwyd.issuer,
    username: ADA.username,
    group: 'gold',
    visit: async (address: string) => {
      const { pathname, search } = await glewlwyd.signIn(address, ADA)
      return `${pathname}${search}`
    },
  }
}

providerContract('glewlwyd', open)

async function startApp(): Promise<AppWithSso> {
  const port = await freePort()
  await open({ redirectUri: `http://localhost:${port}/sso/callback`, publicKey: null })
  return startAppWithSso(glewlwyd.issuer, port)
}

test('after a wrong password the window stays at the provider, and the frame has no result', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  await expect(glewlwyd.signIn(window.address, { ...ADA, password: 'wrong' })).rejects.toThrow('401')
  expect((await pressContinue(app, window)).status).toBe(409)
})

test('an answer without an issuer counts, because the provider does not promise one', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  const { pathname, searchParams } = await glewlwyd.signIn(window.address, ADA)
  expect(searchParams.get('iss')).toBe(glewlwyd.issuer)
  searchParams.delete('iss')
  expect((await app.get(`${pathname}?${searchParams}`, { Cookie: window.cookie })).status).toBe(200)
  expect((await pressContinue(app, window)).status).toBe(303)
})

test('a viewer who logs out of the provider has no session here any more', async () => {
  const app = await startApp()
  const window = await openWindow(app)
  const visitor = openVisitor()
  const { pathname, search } = await glewlwyd.signIn(window.address, ADA, visitor)
  await app.get(`${pathname}${search}`, { Cookie: window.cookie })
  const Cookie = cookiesOf(await pressContinue(app, window))
  expect((await app.get('/', { Cookie })).status).toBe(303)
  await glewlwyd.logOut(visitor)
  await expect.poll(async () => (await app.get('/', { Cookie })).status).toBe(200)
})
