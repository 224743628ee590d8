import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createClient } from '@redis/client'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'

const PROGRAM = '/usr/bin/redis-server'
const MISSING = `${PROGRAM} is missing. npm test installs it on Debian, as root. Otherwise: sudo apt-get install redis-server`
/** Debian's user "nobody", if the tests run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const CERTIFICATE_FILE = 'certificate.pem'
const KEY_FILE = 'key.pem'

export type RedisServer = Awaited<ReturnType<typeof startRedis>>

export interface RedisOptions {
  readonly password?: string
  readonly tls?: Certificate
  readonly more?: readonly string[]
}

/** Starts a real Redis on a free port of 127.0.0.1. It writes nothing to the disk. */
export async function startRedis(options: RedisOptions = {}) {
  if (!existsSync(PROGRAM)) throw new Error(MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  if (UNPRIVILEGED.uid !== undefined) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  if (options.tls !== undefined) writeCertificate(folder, options.tls)
  const port = await freePort()
  let child = await launch(folder, port, options)
  const endWith = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    child.kill('SIGCONT')
    await exited
  }
  const credentials = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}@`
  return {
    port,
    url: `${options.tls ? 'rediss' : 'redis'}://${credentials}127.0.0.1:${port}`,
    /** Its data is lost. */
    stop: () => endWith('SIGTERM'),
    async restart() {
      await endWith('SIGTERM')
      child = await launch(folder, port, options)
    },
    /** The kernel still accepts connections. */
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async remove() {
      await endWith('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the certificate and its key as files that only the server can read. */
function writeCertificate(folder: string, { certificate, key }: Certificate): void {
  for (const [name, content] of Object.entries({ [CERTIFICATE_FILE]: certificate, [KEY_FILE]: key })) {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
    if (UNPRIVILEGED.uid !== undefined) chownSync(join(folder, name), UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  }
}

async function launch(folder: string, port: number, options: RedisOptions): Promise<ChildProcess> {
  const { password, tls, more = [] } = options
  const args = [
    ...['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    ...(tls === undefined
      ? ['--port', String(port)]
      : ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no']),
    ...(tls === undefined ? [] : ['--tls-cert-file', CERTIFICATE_FILE, '--tls-key-file', KEY_FILE]),
    ...(tls === undefined ? [] : ['--tls-ca-cert-file', CERTIFICATE_FILE]),
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...more,
  ]
  const child = spawn(PROGRAM, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...UNPRIVILEGED })
  await untilReady(child, child.stdout)
  return child
}

async function untilReady(child: ChildProcess, stdout: Readable): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`redis-server ended: ${output}`)))
    stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
      if (output.includes('Ready to accept connections')) resolve()
    })
  })
}

/** Opens a connection for what an operator does. It ends with the server. */
export async function openOperator({ url }: Pick<RedisServer, 'url'>) {
  const tls = url.startsWith('rediss:') ? ({ tls: true, rejectUnauthorized: false } as const) : {}
  const options = { url, socket: { ...tls, reconnectStrategy: false } } as const
  return await createClient(options)
    .on('error', () => {})
    .connect()
}

/** The address of the server, for src/redis/link.ts. */
export function redisAddress({ url }: Pick<RedisServer, 'url'>, authority: string | null = null) {
  const { protocol, port, password } = new URL(url)
  return {
    nodes: [{ host: '127.0.0.1', port: Number(port) }],
    isCluster: false,
    username: null,
    password: password === '' ? null : decodeURIComponent(password),
    database: 0,
    tls: protocol === 'rediss:' ? { authority } : null,
    keyPrefix: 'viewer-auth:',
  }
}
