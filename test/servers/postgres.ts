import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Client, type QueryResult } from 'pg'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  readonly host: '127.0.0.1'
  readonly port: number
  /** The folder of its Unix socket. */
  readonly folder: string
  /** The address of a database as a role, the administrator where none is named, for USER_STORE_URL. */
  url(to?: { user?: string; password?: string; host?: string; database?: string }): string
  /** Runs SQL as the administrator. */
  query(sql: string, values?: readonly unknown[], database?: string): Promise<QueryResult>
  /** Makes an empty database. @returns its name. */
  createDatabase(): Promise<string>
  /** Makes a role that may sign in. @returns its name and password. */
  createRole(): Promise<{ user: string; password: string }>
  /** Stops every process of the server with SIGSTOP: connections are still taken by the kernel, and nobody answers. */
  pause(): void
  resume(): void
  /** Ends the server, its connections at once; the data stay. */
  halt(): Promise<void>
  /** Starts a halted server, or ends and starts a running one, on the same port. */
  restart(): Promise<void>
  /** Ends the server, paused or not, and removes its folder. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Certificate and key in PEM; with them the server takes TLS connections beside plain ones. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** Lines of postgresql.conf, such as max_connections. */
  readonly settings?: Readonly<Record<string, string | number>>
}

type Postgres = ChildProcessByStdio<null, null, Readable>

const NOBODY = 65_534
const ADMINISTRATOR = 'administrator'
const HOST = '127.0.0.1'
const run = promisify(execFile)

/**
 * Starts a PostgreSQL server of its own, in a temporary folder, on a free port of the loopback address and on a Unix
 * socket; as root it runs as nobody, since PostgreSQL refuses root. Every role signs in with its password (SCRAM). It
 * takes one to two seconds: start one for a file of tests, and make a database for each test.
 *
 * @throws Error with a sentence when PostgreSQL is not installed or does not start.
 */
export async function startPostgres({ tls, settings = {} }: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = postgresPrograms()
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  giveAway(folder)
  const data = join(folder, 'data')
  const password = randomUUID()
  await initialise(programs, data, join(folder, 'password'), password)
  const port = await freePort()
  writeSettings(data, { port, unix_socket_directories: `'${folder}'`, ...settings }, tls)

  let child = await launch(programs, data)
  let isPaused: boolean = false

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

  function pause(): void {
    isPaused = true
    // The postmaster first, until it stands: it must not make another process meanwhile.
    signal(Number(child.pid), 'SIGSTOP')
    while (!isStopped(Number(child.pid))) signal(Number(child.pid), 'SIGSTOP')
    for (const pid of childrenOf(child)) signal(pid, 'SIGSTOP')
  }

  function resume(): void {
    isPaused = false
    for (const pid of [...childrenOf(child), Number(child.pid)]) signal(pid, 'SIGCONT')
  }

  async function halt(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    if (isPaused) resume()
    // A fast shutdown: open connections are ended, and nothing is left to be recovered.
    child.kill('SIGINT')
    await ended
  }

  return {
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
    createRole: async () => {
      const user = `r${randomUUID().replaceAll('-', '')}`
      await query(`CREATE ROLE ${user} LOGIN PASSWORD '${user}'`)
      return { user, password: user }
    },
    pause,
    resume,
    halt,
    restart: async () => {
      await halt()
      child = await launch(programs, data)
    },
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type UrlParts = NonNullable<Parameters<PostgresServer['url']>[0]>

/** The folder of initdb and postgres, of the newest version that is there. */
function postgresPrograms(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin/postgres')
  const newest = versions.toSorted((a, b) => Number(a.split('/')[4]) - Number(b.split('/')[4])).at(-1)
  if (newest === undefined) {
    throw new Error('PostgreSQL is not installed: sudo apt-get install -y --no-install-recommends postgresql')
  }
  return dirname(newest)
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

function giveAway(path: string): void {
  const { uid, gid } = unprivileged()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

async function initialise(programs: string, data: string, passwordFile: string, password: string): Promise<void> {
  writeFileSync(passwordFile, password, { mode: 0o600 })
  giveAway(passwordFile)
  const args = ['--no-sync', '--auth=scram-sha-256', `--username=${ADMINISTRATOR}`, `--pwfile=${passwordFile}`]
  const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--pgdata', data]
  await run(join(programs, 'initdb'), [...args, ...locale], { ...unprivileged(), cwd: '/' })
}

function writeSettings(
  data: string,
  settings: Readonly<Record<string, string | number>>,
  tls: PostgresOptions['tls'],
): void {
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
  if (tls) {
    const files = { 'server.crt': tls.certificate, 'server.key': tls.key }
    for (const [name, pem] of Object.entries(files)) {
      writeFileSync(join(data, name), pem)
      chmodSync(join(data, name), 0o600)
      giveAway(join(data, name))
    }
    lines.push('ssl = on')
  }
  writeFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`, { flag: 'a' })
}

/** Resolves as soon as connections are accepted. */
async function launch(programs: string, data: string): Promise<Postgres> {
  const child = spawn(join(programs, 'postgres'), ['-D', data], {
    ...unprivileged(),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    // In a group of its own: Ctrl-C at the tests reaches those who stop the server in an orderly way.
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

/** The processes of the server beside its first; each is in a group of its own. */
function childrenOf({ pid }: Postgres): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Whether a process that was sent SIGSTOP has come to stand; its name, in brackets, may hold anything. */
function isStopped(pid: number): boolean {
  return /\) T \d/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // One that served a connection may just have ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
