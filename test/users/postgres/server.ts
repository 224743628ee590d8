import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Client, type QueryResult } from 'pg'
import type { Certificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

export interface PostgresOptions {
  /** Certificate and key in PEM. With them the server accepts TLS connections too. */
  readonly tls?: Certificate
  /** Settings for postgresql.conf, such as max_connections. */
  readonly settings?: Readonly<Record<string, string | number>>
}

type Postgres = ChildProcessByStdio<null, null, Readable>

const NOBODY = 65_534
const ADMINISTRATOR = 'administrator'
const HOST = '127.0.0.1'
const run = promisify(execFile)

/**
 * Starts a throwaway PostgreSQL server on a free loopback port and a Unix socket. It runs as `nobody` if the tests run
 * as root. Roles sign in with passwords (SCRAM). The start takes one to two seconds, so share a server in a test file,
 * and create a database for each test.
 *
 * @throws Error when PostgreSQL is not installed or does not start.
 */
export async function startPostgres({ tls, settings = {} }: PostgresOptions = {}) {
  const programs = postgresPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  giveAway(folder)
  const data = join(folder, 'data')
  const password = randomUUID()
  await initialize(programs, data, join(folder, 'password'), password)
  const port = await freePort()
  writeSettings(data, { port, unix_socket_directories: `'${folder}'`, ...settings })
  if (tls) writeTls(data, tls)

  let child = await launch(programs, data)
  let isPaused: boolean = false

  /** Returns an address for USER_STORE_URL. */
  function url({ user = ADMINISTRATOR, database = 'postgres', host = HOST, ...rest } = {} as UrlParts): string {
    const shownPassword = rest.password ?? password
    const parts = [user, shownPassword, host].map(encodeURIComponent)
    return `postgres://${parts[0]}:${parts[1]}@${parts[2]}:${port}/${encodeURIComponent(database)}`
  }

  async function query(sql: string, values: readonly unknown[] = [], database = 'postgres'): Promise<QueryResult> {
    const client = new Client({ connectionString: url({ database }), ssl: false })
    await client.connect()
    try {
      return await client.query(sql, [...values])
    } finally {
      await client.end()
    }
  }

  /** Stops every process of the server. The kernel still accepts connections, but nothing answers. */
  function pause(): void {
    isPaused = true
    // Wait for the postmaster to stop, so that it cannot start another process.
    signal(Number(child.pid), 'SIGSTOP')
    while (!isStopped(Number(child.pid))) signal(Number(child.pid), 'SIGSTOP')
    for (const pid of childrenOf(child)) signal(pid, 'SIGSTOP')
  }

  function resume(): void {
    isPaused = false
    for (const pid of [...childrenOf(child), Number(child.pid)]) signal(pid, 'SIGCONT')
  }

  /** Stops the server and closes its connections at once. The data are kept. */
  async function halt(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    if (isPaused) resume()
    // A fast shutdown: it closes connections, and needs no recovery at the next start.
    child.kill('SIGINT')
    await ended
  }

  return {
    /** The folder of psql, pg_dump and pg_restore. */
    programs,
    host: HOST,
    port,
    folder,
    url,
    query,
    createDatabase: async () => {
      const name = `d${randomUUID().replaceAll('-', '')}`
      await query(`CREATE DATABASE ${name}`)
      return name
    },
    /** Creates a role that can sign in. */
    createRole: async () => {
      const user = `r${randomUUID().replaceAll('-', '')}`
      await query(`CREATE ROLE ${user} LOGIN PASSWORD '${user}'`)
      return { user, password: user }
    },
    pause,
    resume,
    halt,
    /** Starts the server again on the same port, with another certificate, or with null without TLS. */
    restart: async (other?: Certificate | null) => {
      await halt()
      if (other !== undefined) writeTls(data, other)
      child = await launch(programs, data)
    },
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type UrlParts = { user?: string; password?: string; host?: string; database?: string }

/** Returns the folder of initdb and postgres in the newest installed version. */
function postgresPrograms(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin/postgres')
  const newest = versions.toSorted((a, b) => Number(a.split('/')[4]) - Number(b.split('/')[4])).at(-1)
  if (newest === undefined) {
    throw new Error('PostgreSQL is not installed: sudo apt-get install -y --no-install-recommends postgresql')
  }
  return dirname(newest)
}

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

function giveAway(path: string): void {
  const { uid, gid } = unprivileged()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

async function initialize(programs: string, data: string, passwordFile: string, password: string): Promise<void> {
  writeFileSync(passwordFile, password, { mode: 0o600 })
  giveAway(passwordFile)
  const args = ['--no-sync', '--auth=scram-sha-256', `--username=${ADMINISTRATOR}`, `--pwfile=${passwordFile}`]
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--pgdata', data]
  await run(join(programs, 'initdb'), [...args, ...locale], { ...unprivileged(), cwd: '/' })
}

function writeSettings(data: string, settings: Readonly<Record<string, string | number>>): void {
  const lines = [
    `listen_addresses = '${HOST}'`,
    'fsync = off',
    'synchronous_commit = off',
    'full_page_writes = off',
    'shared_buffers = 16MB',
    'max_wal_senders = 0',
    'wal_level = minimal',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ]
  appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
}

/** The last line for a setting counts. */
function writeTls(data: string, tls: Certificate | null): void {
  const files = tls === null ? {} : { 'server.crt': tls.certificate, 'server.key': tls.key }
  for (const [name, pem] of Object.entries(files)) {
    writeFileSync(join(data, name), pem)
    chmodSync(join(data, name), 0o600)
    giveAway(join(data, name))
  }
  appendFileSync(join(data, 'postgresql.conf'), `ssl = ${tls === null ? 'off' : 'on'}\n`)
}

/** Resolves when the server accepts connections. */
async function launch(programs: string, data: string): Promise<Postgres> {
  const child = spawn(join(programs, 'postgres'), ['-D', data], {
    ...unprivileged(),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own process group, so that Ctrl-C reaches only the tests, which then stop the server.
    detached: true,
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    child.once('error', reject).once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  })
  return child
}

/** Returns the child processes of the server. Each has its own process group. */
function childrenOf({ pid }: Postgres): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** True if the process is stopped. Its name comes before the state, and may contain anything. */
function isStopped(pid: number): boolean {
  return /\) T \d/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // A process that served a connection may have ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
