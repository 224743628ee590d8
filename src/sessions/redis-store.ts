import session, { type SessionData } from 'express-session'
import { z } from 'zod'
import { type RedisLink, removeByPrefix, removeKeys } from '../redis/link.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { type SessionLimits, type SessionStore, StoredSession, touchAfterSeconds } from './session-store.ts'

declare module 'express-session' {
  interface SessionData {
    /** As stored; absent in a session that was not read from Redis. */
    usedAtSeconds?: number
  }
}

const REMOVE_BATCH_SIZE = 500

/** After this time, another sign-in removes sessions whose removal was begun but not finished. */
const REMOVE_AGAIN_SECONDS = 5

/**
 * Adds a session to the list of its viewer, as the newest, and returns the ids of sessions to remove: the oldest that
 * are too many. Scores are the times when sessions end. A newer session has a higher score even if the clock was set
 * back. A session to remove gets the negative time, so that of many parallel sign-ins only one removes it.
 * KEYS: the list. ARGV: now, the end of the session, its id, the longest life of a session, the number to keep.
 */
const ADD_TO_LIST = `local list, now, excess = KEYS[1], tonumber(ARGV[1]), {}
redis.call('zremrangebyscore', list, 0, now)
local newest = redis.call('zrange', list, -1, -1, 'withscores')
local score = math.max(tonumber(ARGV[2]), tonumber(newest[2] or 0) + 0.00001)
redis.call('zadd', list, string.format('%.6f', score), ARGV[3])
redis.call('expire', list, ARGV[4])
local function add(from, to, count)
  if count <= 0 then return end
  for _, id in ipairs(redis.call('zrangebyscore', list, from, to, 'limit', 0, count)) do table.insert(excess, id) end
end
add(${REMOVE_AGAIN_SECONDS} - now, '(0', ${REMOVE_BATCH_SIZE})
add(0, '+inf', math.min(redis.call('zcount', list, 0, '+inf') - ARGV[5], ${REMOVE_BATCH_SIZE}))
for _, id in ipairs(excess) do redis.call('zadd', list, -now, id) end
return excess`

const InRedis = StoredSession.extend({ usedAtSeconds: z.number() })
const Ids = z.array(z.string())

/**
 * Opens a store of sessions in Redis, for several copies of the app. Checks the absolute and idle limits at every read,
 * as in SQLite; the expiry in Redis only frees memory. A sorted set lists the sessions of each viewer, so that they can
 * be ended. Each sign-in removes ended sessions from the set, and the set expires with the last session. No command
 * uses two keys, because the keys of a session and of its list can be on different servers of a cluster.
 * @param nowSeconds UNIX time in seconds; the clocks of all copies must be right.
 */
export function openRedisSessionStore(link: RedisLink, limits: SessionLimits, nowSeconds: () => number): SessionStore {
  return {
    store: new RedisSessions(link, limits, nowSeconds),
    // Viewers sign in without Redis too, so the app is ready. The link logs the outage.
    checkHealth: () => Promise.resolve(),
    close: () => link.close(),
    logsOutages: true,
  }
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
    const { username, signedInAtSeconds } = data.viewer
    const { lifetimeSeconds, mostPerViewer } = this.#limits
    const now = this.#nowSeconds()
    const value = secondsLeft(data, this.#limits, now)
    if (value <= 0) return await this.#remove(id)
    const key = sessionKey(this.#link, id)
    const options = { expiration: { type: 'EX', value } } as const
    await this.#link.run(key, (commands) => commands.set(key, this.#textOf(data), options))
    // Comes second: a session must not begin after it was removed from the list.
    const list = viewerKey(this.#link, username)
    const given = [now, signedInAtSeconds + lifetimeSeconds, id, lifetimeSeconds, mostPerViewer].map(String)
    const script = { keys: [list], arguments: given }
    const older = await this.#link.run(list, (commands) => commands.eval(ADD_TO_LIST, script))
    await removeListed(this.#link, list, Ids.parse(older)).catch(() => {
      // The link logs the fault. They stay in the list, and the next sign-in removes them.
    })
  }
  async #use(id: string, data: SessionData): Promise<void> {
    const usedAtSeconds = data.usedAtSeconds ?? data.viewer?.signedInAtSeconds
    const now = this.#nowSeconds()
    const isRecent = usedAtSeconds === undefined || now - usedAtSeconds < touchAfterSeconds(this.#limits)
    const value = secondsLeft(data, this.#limits, now)
    if (isRecent || value <= 0) return
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
    const list = viewerKey(this.#link, viewer.username)
    // Not awaited: the session has ended, and the list may contain ended sessions.
    this.#link
      .run(list, (commands) => commands.zRem(list, id))
      .catch(() => {
        // The link logs the fault.
      })
  }
  #textOf(data: SessionData): string {
    return JSON.stringify({ ...data, usedAtSeconds: Math.floor(this.#nowSeconds()) })
  }
}

/**
 * Ends sessions while copies of the login app run: they read the session at each visit.
 * @param username in any case; null ends the sessions of all viewers.
 * @returns the number of ended sessions.
 * @throws UpstreamError if Redis does not answer. Some sessions may have ended.
 */
export async function endRedisSessions(link: RedisLink, username: string | null): Promise<number> {
  if (username === null) {
    await removeByPrefix(link, `${link.keyPrefix}sessions-of:`)
    return await removeByPrefix(link, sessionKey(link, ''))
  }
  const list = viewerKey(link, username)
  const ids = await link.run(list, (commands) => commands.zRange(list, 0, -1))
  let ended = 0
  for (let from = 0; from < ids.length; from += REMOVE_BATCH_SIZE) {
    ended += await removeListed(link, list, ids.slice(from, from + REMOVE_BATCH_SIZE))
  }
  return ended
}

/** Deletes sessions, and then removes them from their list. Returns the number of deleted sessions. */
async function removeListed(link: RedisLink, list: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const removed = await removeKeys(
    link,
    ids.map((id) => sessionKey(link, id)),
  )
  await link.run(list, (commands) => commands.zRem(list, [...ids]))
  return removed
}

type Callback<T = void> = (error: unknown, value?: T) => void

function answer<T>(work: Promise<T>, callback?: Callback<T>): void {
  work.then(
    (value) => callback?.(null, value),
    (error: unknown) => callback?.(error),
  )
}

function sessionKey({ keyPrefix }: RedisLink, id: string): string {
  return `${keyPrefix}session:${id}`
}

function viewerKey({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}sessions-of:${usernameKey(username)}`
}

/** Returns the time until an unused session ends. */
function secondsLeft({ viewer }: SessionData, { lifetimeSeconds, idleSeconds }: SessionLimits, now: number): number {
  if (viewer === undefined) return 0
  return Math.ceil(Math.min(viewer.signedInAtSeconds + lifetimeSeconds - now, idleSeconds))
}

/** Parses a session. Null if it ended, or if this version cannot read it: the viewer signs in again. */
function readSession(text: string, limits: SessionLimits, now: number): SessionData | null {
  try {
    const data = InRedis.parse(JSON.parse(text))
    const isOver =
      data.viewer.signedInAtSeconds <= now - limits.lifetimeSeconds || data.usedAtSeconds <= now - limits.idleSeconds
    return isOver ? null : (data as unknown as SessionData)
  } catch {
    return null
  }
}
