import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import PACKAGE from '../../package.json' with { type: 'json' }
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { CLIENT, startProvider } from '../features/sso/start-provider.ts'
import { CONTENT_KEY, KID } from '../features/token/viewer-token/jwcrypto-vectors.ts'
import { BUILD_KEYS } from '../features/token/viewer-token/token-keys.ts'
import { startMailServer } from '../services/mail/mail-server.ts'
import { ORIGIN } from './fuzz-request.ts'
import type { Place } from './judge.ts'
import type { Report } from './watch-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WATCH = fileURLToPath(new URL('./watch-program.ts', import.meta.url))

export const MARKER = 'PASSWORDMARKER'
const SECRETS = {
  default: 'HASHSECRETMARKER0c31f09e5d8a462b',
  gold: 'GOLDSECRETMARKER1d47ab21c358f62a',
  before: 'OLDSECRETMARKER77aa0b1c2d3e4f556',
  provider: 'PROVIDERSECRETMARKER9d0e47ab1c35',
  session: 'SESSIONSECRETMARKER9d0e47ab1c358f62',
}
const RETURN_URL = 'https://player.example/embed/hashlock/pass'
const CONSUMER = 'https://chat.example/customer/'
const REF = 'https://player.example/embed/'
/** The viewer of the provider. */
export const SSO_VIEWER = 'ada@example.com'

/** Returns the user name of a viewer with the group "gold", or without. */
export const goldName = (index: number) => `gold-${index}@example.com`
export const plainName = (index: number) => `plain-${index}@example.com`
export const passwordOf = (username: string) => `${MARKER} of ${username}`

const isGold = (username: string) => username.startsWith('gold-') || username === SSO_VIEWER

/** The entry points, as the judge knows them. */
export const PLACES: readonly Place[] = [
  {
    basePaths: ['', '/e/default'],
    secrets: [SECRETS.default],
    addresses: [RETURN_URL, CONSUMER],
    mayWatch: () => true,
  },
  { basePaths: ['/e/gold'], secrets: [SECRETS.gold, SECRETS.before], addresses: [RETURN_URL], mayWatch: isGold },
  {
    basePaths: ['/e/provider'],
    secrets: [SECRETS.provider],
    addresses: [RETURN_URL],
    mayWatch: (name) => name === SSO_VIEWER,
  },
  { basePaths: ['/e/token'], secrets: [], addresses: [REF], mayWatch: () => true },
]

/** Nothing that the app sends or logs may contain one of these. */
export const HIDDEN: readonly string[] = [...Object.values(SECRETS), CLIENT.secret, MARKER, 'PRIVATE KEY', ROOT]

/** Makes a folder in memory, if there is one: a busy disk blocks SQLite, and with it the event loop. */
function memoryFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fuzz-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes the secrets and the entry points into files. */
function entryPointsFile(folder: string, issuer: string, serviceViewerKeyUrl: string): string {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const common = { playerOrigins: ['https://player.example', 'https://www.example.com'] }
  const hash = { ...common, playerReturnUrl: RETURN_URL }
  const oidcClientSecretFile = write('client', CLIENT.secret)
  const sso = { oidcIssuer: issuer, oidcClientId: CLIENT.clientId, oidcClientSecretFile, ssoCode: 'on' }
  const contentKeyFile = write('content-key.pem', String(CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' })))
  const gold = {
    secretFile: write('gold', SECRETS.gold),
    secretPreviousFile: write('gold-previous', SECRETS.before),
    allowedGroups: ['gold'],
    returningViewers: 'ask',
  }
  const token = { viewerAuth: 'token', contentKeyFile, serviceViewerKeyUrl, refAddresses: [REF] }
  const entryPoints = [
    {
      name: 'default',
      ...hash,
      secretFile: write('default', SECRETS.default),
      hashConsumers: [CONSUMER],
      ...sso,
      passkeys: 'on',
    },
    { name: 'gold', ...hash, ...gold, ...sso },
    { name: 'provider', ...hash, secretFile: write('provider', SECRETS.provider), ...sso, ssoOnly: 'on' },
    { name: 'token', ...common, ...token, ...sso, passkeys: 'on' },
  ]
  return write('entry-points.json', JSON.stringify(entryPoints))
}

/** Starts a server with the public key of the video service. */
async function startKeyServer(): Promise<string> {
  const jwk = { ...BUILD_KEYS.serviceKey.publicKey.export({ format: 'jwk' }), use: 'enc', kid: KID }
  const server = createServer((_req, res) => res.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`
}

async function addViewers(file: string, count: number): Promise<void> {
  const users = openEditableSqliteStore(file)
  for (let index = 0; index < count; index += 1) {
    await users.add({ username: goldName(index), groups: ['gold'], attributes: {} }, passwordOf(goldName(index)))
    await users.add({ username: plainName(index), groups: [], attributes: {} }, passwordOf(plainName(index)))
  }
  await users.close()
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>

/** Starts what `npm start` runs, with every feature on, and all servers that it needs, until the test ends. */
export async function startInstallation(viewers: number) {
  const folder = memoryFolder()
  mkdirSync(join(folder, 'data'))
  const provider = await startProvider({ redirectUri: `${ORIGIN}/sso/callback`, signsIn: 'ada' })
  const mail = await startMailServer()
  const viewersFile = join(folder, 'data', 'viewers.db')
  await addViewers(viewersFile, viewers)
  const settings = {
    ENTRY_POINTS_FILE: entryPointsFile(folder, provider.issuer, await startKeyServer()),
    PUBLIC_URL: ORIGIN,
    PORT: '0',
    HOST: '127.0.0.1',
    SESSION_SECRET: SECRETS.session,
    USER_STORE_URL: `sqlite:${viewersFile}`,
    SESSION_STORE_URL: `sqlite:${join(folder, 'data', 'sessions.db')}`,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'login@example.com',
    RESET_MAILS_PER_HOUR: '100000',
    METRICS_PORT: '0',
    TRUST_PROXY_HOPS: '1',
    SHUTDOWN_DELAY_SECONDS: '0',
    SECURITY_LOG_FILE: join(folder, 'data', 'security.log'),
  }
  return { ...(await startProgram(settings)), settings, provider, mail }
}

/** Runs the command of `npm start`, with the module that watches it. */
async function startProgram(settings: Readonly<Record<string, string>>) {
  const [, ...args] = PACKAGE.scripts.start
    .split(' ')
    .filter((word) => word !== 'exec' && !word.startsWith('--env-file'))
  const child = spawn(process.execPath, ['--import', WATCH, ...args], {
    cwd: ROOT,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  /** The number of lines of each event or outcome. */
  const lines: Record<string, number> = {}
  /** Lines that a fault writes, and lines with a secret. */
  const faults: string[] = []
  const started = Promise.withResolvers<number>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const { level, event, outcome, port } = JSON.parse(line) as Readonly<Record<string, unknown>>
    const key = `${level} ${outcome ?? event}`
    lines[key] = (lines[key] ?? 0) + 1
    if (Number(level) >= 50 || outcome === 'failed' || HIDDEN.some((hidden) => line.includes(hidden))) faults.push(line)
    if (event === 'started') started.resolve(Number(port))
  })
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => faults.push(line))
  const ended = once(child, 'exit')
  void ended.then(([status]) => started.reject(new Error(`The program ended with ${status}: ${faults.join('\n')}`)))
  const port = await started.promise
  /** Asks the watching module, which collects garbage first. */
  async function report(): Promise<Report> {
    const answer = once(child, 'message')
    child.send('report')
    const [message] = (await answer) as [Report]
    return message
  }
  async function stop(): Promise<unknown> {
    child.kill('SIGTERM')
    const [status] = await ended
    return status
  }
  return {
    port,
    lines,
    faults,
    report,
    stop,
    measure: () => child.send('measure'),
    isOver: () => child.exitCode !== null,
  }
}
