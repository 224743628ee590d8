import { randomBytes } from 'node:crypto'
import { startApp } from './app-program.ts'
import { type LinkState, openLink } from './faulty-link.ts'
import { startNames } from './names.ts'
import type { Fault, Stage } from './rehearse.ts'
import { type RemoteStore, remoteStore, STORE_NAMES } from './remote-stores.ts'

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
