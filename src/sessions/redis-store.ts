import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import { z } from 'zod'
import { type RedisLink, removeByPrefix } from '../redis/link.ts'
import { usernameKey } from '../users/viewer-fields.ts'
import { type SessionLimits, type SessionStore, StoredSession, touchAfterSeconds } from './session-store.ts'

declare module 'express-session' {
  interface SessionData {
    /** As stored; absent in a session that was not read from Redis. */
    usedAtSeconds?: number
  }
}

const REMOVE_BATCH_SIZE = 500

const InRedis = StoredSession.extend({ usedAtSeconds: z.number() })

/**
 * Opens a store of sessions in Redis, for several copies of the app. Checks the absolute and idle limits at every read,
 * as in SQLite; the expiry in Redis only frees memory. A sorted set lists the sessions of each viewer, so that they can
 * be ended. Each sign-in removes ended sessions from the set, and the set expires with the last session.
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

// express-session accepts only instances of its own Store class, which RedisStore extends.
class RedisSessions extends RedisStore {
  readonly #link: RedisLink
  readonly #limits: SessionLimits
  readonly #nowSeconds: () => number

  constructor(link: RedisLink, limits: SessionLimits, nowSeconds: () => number) {
    super({
      client: clientWithTimeout(link),
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
      // One transaction, so that the set never misses a session.
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
      // XX: must not create a session again that was ended in the meantime.
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
 * Ends sessions while copies of the login app run: they read the session at each visit.
 * @param username in any case; null ends the sessions of all viewers.
 * @returns the number of ended sessions.
 * @throws UpstreamError if Redis does not answer. Some sessions may have ended.
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
  for (let from = 0; from < ids.length; from += REMOVE_BATCH_SIZE) {
    const batch = ids.slice(from, from + REMOVE_BATCH_SIZE)
    ended += await link.run((client) => client.del(batch.map((id) => `${prefix}${id}`)))
    await link.run((client) => client.zRem(key, batch))
  }
  return ended
}

type Callback = (error: unknown, data?: unknown) => void

/** Gives connect-redis the only Redis command that it sends itself, with the timeout of the link. */
function clientWithTimeout(link: RedisLink) {
  return { get: (key: string) => link.run((client) => client.get(key)) }
}

function sessionPrefix({ keyPrefix }: RedisLink): string {
  return `${keyPrefix}session:`
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
