import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import { z } from 'zod'
import { type RedisLink, removeByPrefix } from '../redis/link.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { type SessionLimits, type SessionStore, StoredSession, touchAfterSeconds } from './session-store.ts'

declare module 'express-session' {
  interface SessionData {
    /** As written down; absent in a session that was not read from Redis. */
    usedAtSeconds?: number
  }
}

const REMOVED_AT_ONCE = 500

const InRedis = StoredSession.extend({ usedAtSeconds: z.number() })

/**
 * Sessions in Redis, for several copies of the app. Absolute and idle limits are enforced here, at every read, as in the
 * file of SQLite; Redis only forgets what has ended. A set for each viewer names their sessions, so that they can be
 * ended: it forgets those that are over at each sign-in, and itself when the last one is.
 * @param nowSeconds UNIX time in seconds; the clocks of all copies must be right.
 */
export function openRedisSessionStore(link: RedisLink, limits: SessionLimits, nowSeconds: () => number): SessionStore {
  return {
    store: new RedisSessions(link, limits, nowSeconds),
    // Without it viewers still sign in, so the app is ready: what is missing is told by the link.
    checkHealth: () => Promise.resolve(),
    close: () => link.close(),
    reportsItself: true,
  }
}

// express-session takes nothing but an instance of its own class, which this one is as well.
class RedisSessions extends RedisStore {
  readonly #link: RedisLink
  readonly #limits: SessionLimits
  readonly #nowSeconds: () => number

  constructor(link: RedisLink, limits: SessionLimits, nowSeconds: () => number) {
    super({
      client: clientInTime(link),
      prefix: sessionPrefix(link),
      serializer: {
        parse: (text) => readSession(text, limits, nowSeconds()) as SessionData,
        stringify: (data) => JSON.stringify({ ...data, usedAtSeconds: Math.floor(nowSeconds()) }),
      },
      ttl: (data) => secondsLeft(data, limits, nowSeconds()),
    })
    this.#link = link
    this.#limits = limits
    this.#nowSeconds = nowSeconds
  }
  override async set(id: string, data: SessionData, callback?: Callback): Promise<void> {
    if (data.viewer === undefined) return callback?.(null)
    const { username, signedInAtSeconds } = data.viewer
    const key = viewerKey(this.#link, username)
    const { lifetimeSeconds } = this.#limits
    const now = this.#nowSeconds()
    const value = secondsLeft(data, this.#limits, now)
    if (value <= 0) return await this.destroy(id, callback)
    try {
      // At one go, so that no session is ever missing in the set, whoever ends its viewer's sessions meanwhile.
      await this.#link.run((client) =>
        client
          .multi()
          .zRemRangeByScore(key, '-inf', Math.floor(now))
          .zAdd(key, { score: signedInAtSeconds + lifetimeSeconds, value: id })
          .expire(key, lifetimeSeconds)
          .set(`${this.prefix}${id}`, this.serializer.stringify(data), { expiration: { type: 'EX', value } })
          .exec(),
      )
    } catch (error) {
      return callback?.(error)
    }
    callback?.(null)
  }
  override async touch(id: string, data: SessionData, callback?: Callback): Promise<void> {
    const usedAtSeconds = data.usedAtSeconds ?? data.viewer?.signedInAtSeconds
    const now = this.#nowSeconds()
    const isRecent = usedAtSeconds === undefined || now - usedAtSeconds < touchAfterSeconds(this.#limits)
    const value = secondsLeft(data, this.#limits, now)
    if (isRecent || value <= 0) return callback?.(null)
    try {
      // Only where it still is: a session that was ended meanwhile must not come back.
      await this.#link.run((client) =>
        client.set(`${this.prefix}${id}`, this.serializer.stringify(data), {
          expiration: { type: 'EX', value },
          condition: 'XX',
        }),
      )
    } catch (error) {
      return callback?.(error)
    }
    callback?.(null)
  }
  override async destroy(id: string, callback?: Callback): Promise<void> {
    try {
      const text = await this.#link.run((client) => client.getDel(`${this.prefix}${id}`))
      const { viewer } = (text === null ? null : await this.serializer.parse(text)) ?? {}
      if (viewer) {
        const key = viewerKey(this.#link, viewer.username)
        await this.#link.run((client) => client.zRem(key, id))
      }
    } catch (error) {
      return callback?.(error)
    }
    callback?.(null)
  }
}

/**
 * Ends sessions while copies of the login app run: they look every session up at each visit.
 * @param username whose sessions, whatever the case; null ends those of everybody.
 * @returns how many there were.
 * @throws UpstreamError when Redis does not answer: some may have ended then.
 */
export async function endRedisSessions(link: RedisLink, username: string | null): Promise<number> {
  const prefix = sessionPrefix(link)
  if (username === null) {
    await removeByPrefix(link, `${link.keyPrefix}sessions-of:`)
    return await removeByPrefix(link, prefix)
  }
  const key = viewerKey(link, username)
  const ids = await link.run((client) => client.zRange(key, 0, -1))
  let ended = 0
  for (let from = 0; from < ids.length; from += REMOVED_AT_ONCE) {
    const some = ids.slice(from, from + REMOVED_AT_ONCE)
    ended += await link.run((client) => client.del(some.map((id) => `${prefix}${id}`)))
    await link.run((client) => client.zRem(key, some))
  }
  return ended
}

type Callback = (error: unknown, data?: unknown) => void

/** What is left for connect-redis to ask of a client, answered in time or not at all. */
function clientInTime(link: RedisLink) {
  return { get: (key: string) => link.run((client) => client.get(key)) }
}

function sessionPrefix({ keyPrefix }: RedisLink): string {
  return `${keyPrefix}session:`
}

function viewerKey({ keyPrefix }: RedisLink, username: string): string {
  return `${keyPrefix}sessions-of:${usernameKey(username)}`
}

/** Until the session ends if it is not used again. */
function secondsLeft({ viewer }: SessionData, { lifetimeSeconds, idleSeconds }: SessionLimits, now: number): number {
  if (viewer === undefined) return 0
  return Math.ceil(Math.min(viewer.signedInAtSeconds + lifetimeSeconds - now, idleSeconds))
}

/** Null for what has ended, and for what this version cannot read: its viewer signs in again. */
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
