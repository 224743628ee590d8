import type { DatabaseSync } from 'node:sqlite'
import type { Request } from 'express'
import { findLock, type LockSettings } from '../rest/lock-settings.ts'

export type ContentType = 'live' | 'recorded'

export const CONTENT_TYPES: readonly ContentType[] = ['live', 'recorded']

interface AnyLock {
  /** The entry point of the customer's login app. */
  readonly url: string
  /** True if the lock belongs to the channel of the video. */
  readonly isInherited: boolean
}

/** The first version of viewer authentication. Sizes are CSS pixels as text, for example "400" or "400px". */
export interface HashLock extends AnyLock, Omit<LockSettings, 'url'> {
  readonly kind: 'hash'
}

/** A component of an embed. */
export type Component = 'player' | 'chat' | 'qna'

/** A lock of a feature: the service redirects the embed's own frame to the login app. */
export interface FrameLock extends AnyLock {
  readonly kind: 'frame'
  /** Such as "by authentication responses". */
  readonly name: string
  /** Playbacks end when it changes. */
  readonly key: string
  /**
   * Decides on a request for an embed.
   * @param path the path of the embed.
   */
  open(req: Request, path: string, components: readonly Component[]): Promise<FrameAnswer>
}

/** `explanation` is a sentence for the request log, without the answer of the login app. */
export type FrameAnswer = { readonly explanation: string } & (
  | { readonly ok: true; readonly viewer: string; readonly renewUrl: string }
  | { readonly ok: false; readonly loginUrl: string }
)

export type Lock = HashLock | FrameLock

/** Finds the lock of the channel or video itself. */
export type FindFrameLock = (type: ContentType, id: number, isInherited: boolean) => FrameLock | null

/** A channel (`live`) or a video (`recorded`). */
export interface Content {
  readonly type: ContentType
  readonly id: number
  readonly title: string
  readonly channelId: number
  /** The lock of the channel or video itself. A video without a lock has the lock of its channel. */
  readonly lock: Lock | null
}

export type FindContent = (type: ContentType, id: string) => Content | null

/** Returns a function that reads a channel or video with its lock. Null for an unknown id. */
export function contentFinder(
  database: DatabaseSync,
  features: readonly { readonly findLock: FindFrameLock }[],
): FindContent {
  const find = {
    live: database.prepare('SELECT id, title, id AS channel_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT id, title, channel_id FROM videos WHERE id = ?'),
  }
  /** Reads the lock of the channel or video itself. The lock of a feature wins over a hash lock. */
  function lockOf(type: ContentType, id: number, isInherited: boolean): Lock | null {
    for (const feature of features) {
      const lock = feature.findLock(type, id, isInherited)
      if (lock !== null) return lock
    }
    const lock = findLock(database, type, id)
    return lock && { ...lock, kind: 'hash', isInherited }
  }
  return (type, id) => {
    if (!/^[1-9]\d{0,14}$/.test(id)) return null
    const row = find[type].get(Number(id))
    if (row === undefined) return null
    const channelId = Number(row.channel_id)
    const own = lockOf(type, Number(row.id), false)
    const lock = own ?? (type === 'recorded' ? lockOf('live', channelId, true) : null)
    return { type, id: Number(row.id), title: String(row.title), channelId, lock }
  }
}

/** The channel or video in a path: `ID` for a channel, `recorded/ID` for a video. */
export function contentPath({ type, id }: Pick<Content, 'type' | 'id'>): string {
  return type === 'live' ? String(id) : `recorded/${id}`
}

/** Returns the lock's secret or key, which shows later that the lock is the same. */
export function keyOfLock(lock: Lock | null): string {
  if (lock === null) return 'unlocked'
  return lock.kind === 'hash' ? lock.secret : lock.key
}
