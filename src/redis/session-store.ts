import session, { type SessionData } from 'express-session'
import { z } from 'zod'
import { keysOfLogout } from '../sessions/identity.ts'
import {
  isUseDue,
  type SessionLimits,
  type SessionStore,
  type ShownSession,
  StoredSession,
  storableSession,
} from '../sessions/session-store.ts'
import type { StoredSessions } from '../stores/store-kind.ts'
import type { VisitedSessions } from '../stores/who-is-in/all-sessions.ts'
import type { RedisAddress } from './address.ts'
import { openRedisLink, type RedisLink, withRedis } from './link.ts'
import { listOfIdentityKey, listOfIdentityName, listOfName, sessionKey } from './session-keys.ts'
import { addToLists, endAllRedisSessions, endListedSessions, listedIds, removeFromLists } from './session-list.ts'
import { visitRedis } from './who-is-in/all-sessions.ts'

const READ_BATCH_SIZE = 500

const InRedis = StoredSession.extend({ usedAtSeconds: z.number() })

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
    store: new RedisSessions(link, limits, nowSeconds),
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

/**
 * Reads the sessions of a user name, also ones that are over. In batches, because a shared account may have thousands.
 * @throws UpstreamError if Redis does not answer.
 */
async function readListedSessions(link: RedisLink, username: string): Promise<ShownSession[]> {
  const lists = [listOfName(link, username), listOfIdentityName(link, username)]
  const ids = (await Promise.all(lists.map((list) => listedIds(link, list)))).flat()
  const keys = ids.map((id) => sessionKey(link, id))
  const sessions: ShownSession[] = []
  for (let from = 0; from < keys.length; from += READ_BATCH_SIZE) {
    const batch = keys.slice(from, from + READ_BATCH_SIZE)
    const texts = await Promise.all(batch.map((key) => link.run(key, (commands) => commands.get(key))))
    // The caller knows the limits.
    const endless = { lifetimeSeconds: Number.POSITIVE_INFINITY, idleSeconds: Number.POSITIVE_INFINITY }
    for (const text of texts) {
      const { viewer, usedAtSeconds } = (text === null ? null : readSession(text, endless, 0)) ?? {}
      if (viewer === undefined || usedAtSeconds === undefined) continue
      sessions.push({ provider: viewer.identity ?? null, signedInAtSeconds: viewer.signedInAtSeconds, usedAtSeconds })
    }
  }
  return sessions
}

// express-session accepts only instances of its own Store class.
class RedisSessions extends session.Store {
  readonly #link: RedisLink
  readonly #limits: SessionLimits
  readonly #nowSeconds: () => number

  constructor(link: RedisLink, limits: SessionLimits, nowSeconds: () => number) {
    super()
    this.#link = link
    this.#limits = limits
    this.#nowSeconds = nowSeconds
  }
  override get(id: string, callback: Callback<SessionData | null>): void {
    answer(this.#read(id), callback)
  }
  override set(id: string, data: SessionData, callback?: Callback): void {
    answer(this.#add(id, data), callback)
  }
  override touch(id: string, data: SessionData, callback?: Callback): void {
    answer(this.#use(id, data), callback)
  }
  override destroy(id: string, callback?: Callback): void {
    answer(this.#remove(id), callback)
  }

  async #read(id: string): Promise<SessionData | null> {
    const key = sessionKey(this.#link, id)
    const text = await this.#link.run(key, (commands) => commands.get(key))
    return text === null ? null : readSession(text, this.#limits, this.#nowSeconds())
  }
  async #add(id: string, data: SessionData): Promise<void> {
    if (data.viewer === undefined) return
    const { viewer } = data
    const now = this.#nowSeconds()
    const value = secondsLeft(data, this.#limits, now)
    if (value <= 0) return await this.#remove(id)
    const key = sessionKey(this.#link, id)
    const options = { expiration: { type: 'EX', value } } as const
    await this.#link.run(key, (commands) => commands.set(key, this.#textOf(data), options))
    // Comes second: a session must not begin after it was removed from the list.
    const endsAtSeconds = viewer.signedInAtSeconds + this.#limits.lifetimeSeconds
    await addToLists(this.#link, { id, viewer, endsAtSeconds }, this.#limits, now)
  }
  async #use(id: string, data: SessionData): Promise<void> {
    const now = this.#nowSeconds()
    const value = secondsLeft(data, this.#limits, now)
    if (!isUseDue(data, this.#limits, now) || value <= 0) return
    const key = sessionKey(this.#link, id)
    // XX: must not create a session again that was ended in the meantime.
    const options = { expiration: { type: 'EX', value }, condition: 'XX' } as const
    await this.#link.run(key, (commands) => commands.set(key, this.#textOf(data), options))
  }
  async #remove(id: string): Promise<void> {
    const key = sessionKey(this.#link, id)
    const text = await this.#link.run(key, (commands) => commands.getDel(key))
    const { viewer } = (text === null ? null : readSession(text, this.#limits, this.#nowSeconds())) ?? {}
    if (viewer === undefined) return
    // Not awaited: the session has ended, and the list may contain ended sessions.
    removeFromLists(this.#link, id, viewer).catch(() => {
      // The link logs the fault.
    })
  }
  #textOf(data: SessionData): string {
    return JSON.stringify({ ...storableSession(data), usedAtSeconds: Math.floor(this.#nowSeconds()) })
  }
}

type Callback<T = void> = (error: unknown, value?: T) => void

function answer<T>(work: Promise<T>, callback?: Callback<T>): void {
  work.then(
    (value) => callback?.(null, value),
    (error: unknown) => callback?.(error),
  )
}

/** Returns the time until an unused session ends. */
function secondsLeft({ viewer }: SessionData, { lifetimeSeconds, idleSeconds }: SessionLimits, now: number): number {
  if (viewer === undefined) return 0
  return Math.ceil(Math.min(viewer.signedInAtSeconds + lifetimeSeconds - now, idleSeconds))
}

/** Parses a session. Null if it ended, or if this version cannot read it: the viewer signs in again. */
function readSession(
  text: string,
  limits: Pick<SessionLimits, 'lifetimeSeconds' | 'idleSeconds'>,
  now: number,
): SessionData | null {
  try {
    const data = InRedis.parse(JSON.parse(text))
    const isOver =
      data.viewer.signedInAtSeconds <= now - limits.lifetimeSeconds || data.usedAtSeconds <= now - limits.idleSeconds
    return isOver ? null : (data as unknown as SessionData)
  } catch {
    return null
  }
}
