import { migratePostgres, openEditablePostgresStore } from '../../src/users/postgres/editable-store.ts'
import { startRedis } from '../redis/servers/redis.ts'
import { makeCertificate } from '../servers/certificate.ts'
import { startLoginService } from '../users/http/login-service.ts'
import { PEOPLE, startSlapd } from '../users/ldap/slapd.ts'
import { settingsOf } from '../users/postgres/fixture.ts'
import { startPostgres } from '../users/postgres/server.ts'
import { VISITORS_BEFORE } from './rehearse.ts'
import { addVisitors, settingsInFolder } from './settings.ts'
import { PASSWORD } from './visit.ts'

/** A running server with the viewers, and what a test does to it. */
export interface RemoteStore {
  readonly port: number
  /** Settings of an app that reaches the server at this place. */
  settingsAt(host: string, port: number): Promise<Record<string, string>>
  stop(): Promise<void>
  restart(): Promise<void>
  pause(): void
  resume(): void
  /** Ends the server. */
  remove(): Promise<void>
}

const VIEWERS = VISITORS_BEFORE.map(({ username }) => {
  return { username, password: PASSWORD, groups: [], attributes: {}, disabled: false }
})

const OPENERS: Readonly<Record<string, () => Promise<RemoteStore>>> = {
  async postgres() {
    const server = await startPostgres()
    const database = await server.createDatabase()
    const url = server.url({ database })
    await migratePostgres(settingsOf(url))
    const store = await openEditablePostgresStore(settingsOf(url))
    await addVisitors(store)
    await store.close()
    return {
      port: server.port,
      settingsAt: async (host, port) => {
        const address = new URL(url)
        address.host = `${host}:${port}`
        return { ...(await settingsInFolder()), USER_STORE_URL: address.href }
      },
      stop: server.halt,
      restart: () => server.restart(),
      pause: server.pause,
      resume: server.resume,
      remove: server.stop,
    }
  },
  async ldap() {
    const server = await startSlapd(VIEWERS, await makeCertificate())
    return {
      port: Number(new URL(server.ldapUrl).port),
      settingsAt: async (host, port) => ({
        ...(await settingsInFolder()),
        USER_STORE_URL: `ldap://${host}:${port}`,
        LDAP_START_TLS: 'off',
        LDAP_BIND_DN: server.reader.dn,
        LDAP_BIND_PASSWORD: server.reader.password,
        LDAP_SEARCH_BASE: PEOPLE,
      }),
      stop: server.halt,
      restart: () => server.restart(),
      pause: server.pause,
      resume: server.resume,
      remove: server.stop,
    }
  },
  async http() {
    const service = await startLoginService(VIEWERS)
    return {
      port: Number(new URL(service.url()).port),
      settingsAt: async (host, port) => ({
        ...(await settingsInFolder()),
        USER_STORE_URL: `http://${host}:${port}/sign-in`,
        HTTP_STORE_FIND_URL: `http://${host}:${port}/find`,
        HTTP_STORE_TOKEN: service.token,
      }),
      stop: service.halt,
      restart: service.restart,
      pause: service.pause,
      resume: service.resume,
      remove: service.halt,
    }
  },
  async redis() {
    // Keeps its data over a restart, as the Redis of compose.yaml does.
    const server = await startRedis({ more: ['--appendonly', 'yes'] })
    return {
      port: server.port,
      settingsAt: async (host, port) => {
        const url = `redis://${host}:${port}`
        return { ...(await settingsInFolder()), SESSION_STORE_URL: url, LIMITS_STORE_URL: url }
      },
      stop: server.stop,
      restart: server.restart,
      pause: server.pause,
      resume: server.resume,
      remove: server.remove,
    }
  },
}

export const STORE_NAMES = Object.keys(OPENERS)

const opened = new Map<string, Promise<RemoteStore>>()

/** Starts the server, once for the whole suite. */
export function remoteStore(name: string): Promise<RemoteStore> {
  const store = opened.get(name) ?? OPENERS[name]?.()
  if (store === undefined) throw new Error(`There is no store ${name}`)
  opened.set(name, store)
  return store
}

export async function removeRemoteStores(): Promise<void> {
  for (const store of opened.values()) await (await store).remove()
  opened.clear()
}
