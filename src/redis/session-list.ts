import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type RedisLink, removeByPrefix, removeKeys } from './link.ts'
import { IDENTITY_LISTS, type ListedViewer, listsOf, sessionKey } from './session-keys.ts'

/**
 * Lists of sessions in Redis: sorted sets of session ids. The score of a session is the time when it ends. A negative
 * score means that a sign-in began to remove the session at that time.
 */

const REMOVE_BATCH_SIZE = 500

/** After this time, another sign-in removes sessions whose removal was begun but not finished. */
const REMOVE_AGAIN_SECONDS = 5

/**
 * Adds a session to a list, and returns the ids of sessions to remove. Their negative scores let only one of many
 * parallel sign-ins remove them.
 * KEYS: the list. ARGV: now, the end of the session, its id, the longest life of a session, the number to keep, the time
 * after which a removal is begun again, the most that one sign-in removes.
 */
const ADD_TO_LIST = readFileSync(new URL('add-to-list.lua', import.meta.url), 'utf8')
const Ids = z.array(z.string())

export interface ListedSession {
  readonly id: string
  readonly viewer: ListedViewer
  /** UNIX time in seconds. */
  readonly endsAtSeconds: number
}

export interface ListLimits {
  readonly lifetimeSeconds: number
  readonly mostPerViewer: number
}

/**
 * Adds a session to its lists, and removes the oldest sessions of its viewer that are too many.
 * @throws UpstreamError if the session could not be added.
 */
export async function addToLists(
  link: RedisLink,
  { id, viewer, endsAtSeconds }: ListedSession,
  { lifetimeSeconds, mostPerViewer }: ListLimits,
  nowSeconds: number,
): Promise<void> {
  const { ofViewer, others } = listsOf(link, viewer)
  async function add(list: string, most: number): Promise<void> {
    const given = [nowSeconds, endsAtSeconds, id, lifetimeSeconds, most, REMOVE_AGAIN_SECONDS, REMOVE_BATCH_SIZE].map(
      String,
    )
    const script = { keys: [list], arguments: given }
    const older = await link.run(list, (commands) => commands.eval(ADD_TO_LIST, script))
    await removeListed(link, list, Ids.parse(older)).catch(() => {
      // The link logs the fault. They stay in the list, and the next sign-in removes them.
    })
  }
  await Promise.all([add(ofViewer, mostPerViewer), ...others.map((list) => add(list, Number.MAX_SAFE_INTEGER))])
}

/** @throws UpstreamError if Redis does not answer. */
export async function removeFromLists(link: RedisLink, id: string, viewer: ListedViewer): Promise<void> {
  const { ofViewer, others } = listsOf(link, viewer)
  const removals = [ofViewer, ...others].map((list) => link.run(list, (commands) => commands.zRem(list, id)))
  await Promise.all(removals)
}

/**
 * Ends the sessions in a list while copies of the login app run: they read the session at each visit.
 * @returns the number of ended sessions.
 * @throws UpstreamError if Redis does not answer. Some sessions may have ended.
 */
export async function endListedSessions(link: RedisLink, list: string): Promise<number> {
  const ids = await listedIds(link, list)
  let ended = 0
  for (let from = 0; from < ids.length; from += REMOVE_BATCH_SIZE) {
    ended += await removeListed(link, list, ids.slice(from, from + REMOVE_BATCH_SIZE))
  }
  return ended
}

/** Ends the sessions of all viewers. Returns their number. @throws UpstreamError as `endListedSessions` does. */
export async function endAllRedisSessions(link: RedisLink): Promise<number> {
  for (const lists of ['sessions-of:', IDENTITY_LISTS]) await removeByPrefix(link, `${link.keyPrefix}${lists}`)
  return await removeByPrefix(link, sessionKey(link, ''))
}

/** Returns the ids of the sessions in a list. Some may have ended. @throws UpstreamError if Redis does not answer. */
export async function listedIds(link: RedisLink, list: string): Promise<string[]> {
  return await link.run(list, (commands) => commands.zRange(list, 0, -1))
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
