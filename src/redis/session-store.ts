import type { SessionData } from 'express-session'
import { expressStore, type SessionSteps } from '../sessions/express-store.ts'
import { keysOfLogout } from '../sessions/identity.ts'
import {
  endOfSession,
  isUseDue,
  parseSession,
  type SessionLimits,
  type SessionStore,
  type ShownSession,
  storableSession,
} from '../sessions/session-store.ts'
import type { StoredSessions } from '../stores/store-kind.ts'
import type { VisitedSessions } from '../stores/who-is-in/all-sessions.ts'
import type { RedisAddress } from './address.ts'
import { openRedisLink, type RedisLink, valuesOf, withRedis } from './link.ts'
import { listOfIdentityKey, listOfIdentityName, listOfName, sessionKey } from './session-keys.ts'
import { addToLists, endAllRedisSessions, endListedSessions, listedIds, removeFromLists } from './session-list.ts'
import { visitRedis } from './who-is-in/all-sessions.ts'

const SETTING = 'SESSION_STORE_URL'

/** Sessions in Redis. */
export function redisSessions(address: RedisAddress): StoredSessions & VisitedSessions {
  return {
    async open(limits, { nowSeconds, log }) {
      const without = 'viewers sign in without a session'
      const link = await openRedisLink(address, { setting: SETTING, without, log, nowSeconds })
      return { sessionStore: openRedisSessionStore(link, limits, nowSeconds), optionalStores: [link] }
    },
    end: (usernames, haveIdentity) =>
      withRedis(address, SETTING, async (link) => {
        const listOf = haveIdentity ? listOfIdentityName : listOfName
        let ended = 0
        for (const username of [usernames].flat()) ended += await endListedSessions(link, listOf(link, username))
        return ended
      }),
    endAll: () => withRedis(address, SETTING, endAllRedisSessions),
    list: (username) => withRedis(address, SETTING, (link) => readListedSessions(link, username)),
    visitAll: (visit) => withRedis(address, SETTING, (link) => visitRedis(link, visit)),
  }
}

/**
 * Opens a store of sessions in Redis, for several copies of the app. Checks the absolute and idle limits at every read,
 * as in SQLite; the expiry in Redis only frees memory. No command uses two keys: in a cluster, the
 * session and the list of its viewer can be on different servers.
 * @param nowSeconds UNIX time in seconds; the clocks of all copies must be right.
 */
export function openRedisSessionStore(link: RedisLink, limits: SessionLimits, nowSeconds: () => number): SessionStore {
  return {
    store: expressStore(redisSteps(link, limits, nowSeconds)),
    // Viewers sign in without Redis too, so the app is ready. The link logs the outage.
    checkHealth: () => Promise.resolve(),
    endSessionsOf: (username) => endListedSessions(link, listOfName(link, username)),
    async endIdentitySessions(logout) {
      const lists = keysOfLogout(logout).map((key) => listOfIdentityKey(link, key))
      const ended = await Promise.all(lists.map((list) => endListedSessions(link, list)))
      return ended.reduce((sum, count) => sum + count, 0)
    },
    close: () => link.close(),
    logsOutages: true,
  }
}

/** Reads the sessions of a user name, also ones that are over. @throws UpstreamError if Redis does not answer. */
async function readListedSessions(link: RedisLink, username: string): Promise<ShownSession[]> {
  const lists = [listOfName(link, username), listOfIdentityName(link, username)]
  const ids = (await Promise.all(lists.map((list) => listedIds(link, list)))).flat()
  const keys = ids.map((id) => sessionKey(link, id))
  const sessions: ShownSession[] = []
  for await (const text of valuesOf(link, keys)) {
    const { viewer, usedAtSeconds } = parseSession(text) ?? {}
    if (viewer === undefined || usedAtSeconds === undefined) continue
    sessions.push({ provider: viewer.identity ?? null, signedInAtSeconds: viewer.signedInAtSeconds, usedAtSeconds })
  }
  return sessions
}

function redisSteps(link: RedisLink, limits: SessionLimits, nowSeconds: () => number): SessionSteps {
  const textOf = (data: SessionData) =>
    JSON.stringify({ ...storableSession(data), usedAtSeconds: Math.floor(nowSeconds()) })
  async function remove(id: string): Promise<void> {
    const key = sessionKey(link, id)
    const text = await link.run(key, (commands) => commands.getDel(key))
    const ended = readSession(text, limits, nowSeconds())
    if (ended === null) return
    // Not awaited: the session has ended, and the list may contain ended sessions.
    removeFromLists(link, id, ended.viewer).catch(() => {
      // The link logs the fault.
    })
  }
  return {
    remove,
    async read(id) {
      const key = sessionKey(link, id)
      return readSession(await link.run(key, (commands) => commands.get(key)), limits, nowSeconds())
    },
    async write(id, data) {
      if (data.viewer === undefined) return
      const { viewer } = data
      const now = nowSeconds()
      const value = secondsLeft(data, limits, now)
      if (value <= 0) return await remove(id)
      const key = sessionKey(link, id)
      const options = { expiration: { type: 'EX', value } } as const
      await link.run(key, (commands) => commands.set(key, textOf(data), options))
      // Comes second: a session must not begin after it was removed from the list.
      const endsAtSeconds = viewer.signedInAtSeconds + limits.lifetimeSeconds
      await addToLists(link, { id, viewer, endsAtSeconds }, limits, now)
    },
    async use(id, data) {
      const now = nowSeconds()
      const value = secondsLeft(data, limits, now)
      if (!isUseDue(data, limits, now) || value <= 0) return
      const key = sessionKey(link, id)
      // XX: must not create a session again that was ended in the meantime.
      const options = { expiration: { type: 'EX', value }, condition: 'XX' } as const
      await link.run(key, (commands) => commands.set(key, textOf(data), options))
    },
  }
}

/** Returns the time until an unused session ends. */
function secondsLeft({ viewer }: SessionData, { lifetimeSeconds, idleSeconds }: SessionLimits, now: number): number {
  if (viewer === undefined) return 0
  return Math.ceil(Math.min(viewer.signedInAtSeconds + lifetimeSeconds - now, idleSeconds))
}

/** Returns a session; null if there is none, or it has ended. */
function readSession(text: string | null, limits: SessionLimits, now: number) {
  const data = text === null ? null : parseSession(text)
  if (data?.usedAtSeconds === undefined) return null
  const { signedInAtSeconds } = data.viewer
  return endOfSession({ signedInAtSeconds, usedAtSeconds: data.usedAtSeconds }, limits) <= now ? null : data
}
