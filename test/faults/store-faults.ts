import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { startApp } from './app-program.ts'
import type { Fault, Stage } from './rehearse.ts'
import { type RemoteStore, remoteStore, STORE_NAMES } from './remote-stores.ts'

/** The state of a link. A change applies to open connections too. */
type LinkState =
  | { readonly kind: 'sound' }
  /** Delays every part of an answer. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Answers whatever the client sends with these bytes. */
  | { readonly kind: 'garbage'; readonly bytes: Buffer }
  /** Resets the open connections, and each new one at its first byte. */
  | { readonly kind: 'resetting' }

interface FaultyLink {
  readonly port: number
  become(state: LinkState): void
}

/** Opens a port of 127.0.0.1 that forwards connections to a port of this machine, until the test ends. */
async function openLink(targetPort: number): Promise<FaultyLink> {
  let state: LinkState = { kind: 'sound' }
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    forward(client, connect(targetPort, 'localhost'), () => state)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    for (const client of clients) client.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    become(next) {
      state = next
      if (next.kind === 'resetting') for (const client of clients) client.resetAndDestroy()
    },
  }
}

function forward(client: Socket, target: Socket, stateNow: () => LinkState): void {
  let answered: Promise<unknown> = Promise.resolve()
  client.on('error', () => {}).on('close', () => target.destroy())
  target.on('error', () => {}).on('close', () => void answered.then(() => client.end()))
  client.on('data', (part) => {
    const state = stateNow()
    if (state.kind === 'resetting') client.resetAndDestroy()
    else if (state.kind === 'garbage') client.write(state.bytes)
    else target.write(part)
  })
  target.on('data', (part) => {
    const state = stateNow()
    const delay = state.kind === 'slow' ? sleep(state.delayMs) : undefined
    // Keeps the order of the parts.
    answered = Promise.all([answered, delay]).then(() => {
      if (!client.destroyed) client.write(part)
    })
  })
}

const ADDRESS = '127.0.53.53'
const PORT = 53
const IPV4 = 1
const PRELOAD = new URL('silent-names.ts', import.meta.url)

/**
 * Starts a name server for a program in a mount namespace with its own /etc/resolv.conf. Without the right to mount, the
 * function of Node that looks names up is replaced instead.
 */
async function startNames() {
  return spawnSync('/usr/bin/unshare', ['--mount', 'true']).status === 0 ? await nameServer() : replacedLookUp()
}

async function nameServer() {
  const server = createSocket('udp4')
  let isSilent = false
  server.on('message', (query, { port, address }) => {
    if (!isSilent) server.send(answerTo(query), port, address)
  })
  await once(server.bind(PORT, ADDRESS), 'listening')
  onTestFinished(() => void server.close())
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'resolv.conf'), `nameserver ${ADDRESS}\n`)
  // No name is looked up in a file, localhost included.
  writeFileSync(join(folder, 'nsswitch.conf'), 'hosts: dns\n')
  const mounts = ['resolv.conf', 'nsswitch.conf'].map((name) => `mount --bind '${join(folder, name)}' /etc/${name}`)
  const script = `set -e; ${mounts.join('; ')}; exec "$@"`
  return {
    /** A command that runs a program with these names. The rest of the machine keeps its own. */
    wrapper: ['/usr/bin/unshare', '--mount', 'sh', '-c', script, 'sh'],
    /** While silent, no look-up gets an answer. */
    setSilent(silent: boolean) {
      isSilent = silent
    },
  }
}

function replacedLookUp() {
  const flag = join(temporaryFolder(), 'silent')
  return {
    wrapper: ['env', `SILENT_NAMES_FILE=${flag}`, `NODE_OPTIONS=--import ${PRELOAD}`],
    setSilent: (silent: boolean) => (silent ? writeFileSync(flag, '') : rmSync(flag)),
  }
}

/** Builds an answer (RFC 1035, 4.1): the header, the question, and for IPv4 one address. */
function answerTo(query: Buffer): Buffer {
  let end = 12
  while ((query[end] ?? 0) > 0) end += 1 + (query[end] ?? 0)
  end += 5
  const question = query.subarray(12, end)
  const hasAnswer = query.readUInt16BE(end - 4) === IPV4
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  // The name of the question, IPv4, internet, not to be kept, 4 bytes: 127.0.0.1.
  const address = Buffer.from([0xc0, 12, 0, IPV4, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1])
  return Buffer.concat([header, question, ...(hasAnswer ? [address] : [])])
}

type Row = Pick<Fault, 'sees' | 'waitSeconds' | 'recoverySeconds'>
const FAULT_NAMES = ['stopped', 'paused', 'slow', 'garbage', 'reset', 'dns-silent'] as const
type FaultName = (typeof FAULT_NAMES)[number]

/** The duration of a fault in which requests time out: long enough that the circuit breaker opens. */
const LASTS_MS = { stopped: 5_000, paused: 8_000, slow: 5_000, garbage: 8_000, reset: 5_000, 'dns-silent': 8_000 }
const DELAY_MS = 300
const PAGE = '<!doctype html><title>It works!</title>'

/** A web page, as a wrong address or a gateway sends it, and random bytes. */
const GARBAGE = Buffer.concat([
  Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`),
  randomBytes(64),
])

const PREPARE: Readonly<Record<FaultName, (store: RemoteStore) => Promise<Stage>>> = {
  stopped: (store) => prepareDirect(store, store.stop, store.restart),
  paused: (store) => prepareDirect(store, store.pause, store.resume),
  slow: (store) => prepareLinked(store, { kind: 'slow', delayMs: DELAY_MS }),
  garbage: (store) => prepareLinked(store, { kind: 'garbage', bytes: GARBAGE }),
  reset: (store) => prepareLinked(store, { kind: 'resetting' }),
  'dns-silent': prepareSilentNames,
}

async function prepareDirect(store: RemoteStore, begin: Stage['begin'], end: Stage['end']): Promise<Stage> {
  const app = await startApp({ settings: await store.settingsAt('localhost', store.port) })
  return { port: app.port, copies: [app], begin, end }
}

async function prepareLinked(store: RemoteStore, fault: LinkState): Promise<Stage> {
  const link = await openLink(store.port)
  const app = await startApp({ settings: await store.settingsAt('127.0.0.1', link.port) })
  return { port: app.port, copies: [app], begin: () => link.become(fault), end: () => link.become({ kind: 'sound' }) }
}

/** Also resets the connections, because an open one needs no name. */
async function prepareSilentNames(store: RemoteStore): Promise<Stage> {
  const names = await startNames()
  const link = await openLink(store.port)
  const app = await startApp({ settings: await store.settingsAt('localhost', link.port), wrapper: names.wrapper })
  return {
    port: app.port,
    copies: [app],
    begin() {
      names.setSilent(true)
      link.become({ kind: 'resetting' })
      link.become({ kind: 'sound' })
    },
    end: () => names.setSilent(false),
  }
}

/** Without the user store no password can be checked. Without Redis, viewers get no session. */
export const AWAY: Fault['sees'] = {
  'right password': ['503'],
  'wrong password': ['503'],
  return: ['503'],
  ready: ['503'],
}
const AWAY_BUT_READY: Fault['sees'] = { 'right password': ['503'], 'wrong password': ['503'], return: ['503'] }
const NO_SESSIONS: Fault['sees'] = {
  'right password': ['in without a session'],
  return: ['asked for the password'],
  ready: ['degraded'],
}
const NOTHING: Fault['sees'] = {}

const row = (sees: Fault['sees'], waitSeconds: number, recoverySeconds: number) => ({
  sees,
  waitSeconds,
  recoverySeconds,
})
const USER_STORE_ROWS = {
  stopped: row(AWAY, 2, 5),
  paused: row(AWAY, 7, 5),
  slow: row(NOTHING, 4, 1),
  garbage: row(AWAY, 2, 5),
  reset: row(AWAY, 2, 5),
  'dns-silent': row(AWAY, 7, 10),
}

const ROWS: Readonly<Record<string, Readonly<Record<FaultName, Row>>>> = {
  // The driver reads garbage as the beginning of a long message.
  postgres: { ...USER_STORE_ROWS, garbage: row(AWAY, 7, 10) },
  ldap: USER_STORE_ROWS,
  // Any answer is good enough for the health check.
  http: { ...USER_STORE_ROWS, garbage: row(AWAY_BUT_READY, 2, 5) },
  redis: {
    stopped: row(NO_SESSIONS, 3, 5),
    paused: row(NO_SESSIONS, 3, 5),
    slow: row(NOTHING, 5, 1),
    garbage: row(NO_SESSIONS, 3, 5),
    reset: row(NO_SESSIONS, 3, 5),
    'dns-silent': row(NO_SESSIONS, 3, 10),
  },
}

export const storeFaults: readonly Fault[] = STORE_NAMES.flatMap((store) =>
  FAULT_NAMES.map((fault) => ({
    id: `${store}-${fault}`,
    ...(ROWS[store] ?? USER_STORE_ROWS)[fault],
    prepare: async () => ({ ...(await PREPARE[fault](await remoteStore(store))), lastsMs: LASTS_MS[fault] }),
  })),
)
