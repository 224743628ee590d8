import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Request } from 'express'

export type ContentType = 'live' | 'recorded'

export const CONTENT_TYPES: readonly ContentType[] = ['live', 'recorded']

interface AnyLock {
  /** The entry point of the customer's login app. */
  readonly url: string
  /** True if the lock belongs to the channel of the video. */
  readonly isInherited: boolean
}

/** The first version of viewer authentication. */
export interface HashLock extends AnyLock {
  readonly kind: 'hash'
  readonly secret: string
  readonly message: string | null
  readonly buttonCaption: string | null
  /** CSS pixels as text, for example "400" or "400px"; null if not set. */
  readonly popupWidth: string | null
  readonly popupHeight: string | null
}

/** A component of an embed. */
export type Component = 'player' | 'chat' | 'qna'

/** A lock of a feature: the service redirects the embed's own frame to the login app. */
export interface FrameLock extends AnyLock {
  readonly kind: 'frame'
  /** Such as "by viewer tokens". */
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
export function contentFinder(database: DatabaseSync, features: Features): FindContent {
  const find = {
    live: database.prepare('SELECT id, title, id AS channel_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT id, title, channel_id FROM videos WHERE id = ?'),
  }
  const findLock = lockFinder(database, features)
  return (type, id) => {
    if (!/^[1-9]\d{0,14}$/.test(id)) return null
    const row = find[type].get(Number(id))
    if (row === undefined) return null
    const channelId = Number(row.channel_id)
    const own = findLock(type, Number(row.id), false)
    const lock = own ?? (type === 'recorded' ? findLock('live', channelId, true) : null)
    return { type, id: Number(row.id), title: String(row.title), channelId, lock }
  }
}

type Features = readonly { readonly findLock: FindFrameLock }[]

/** Returns a function that reads the lock of the channel or video itself. The lock of a feature wins over a hash lock. */
function lockFinder(
  database: DatabaseSync,
  features: Features,
): (type: ContentType, id: number, isInherited: boolean) => Lock | null {
  const findHash = database.prepare('SELECT * FROM locks WHERE content_type = ? AND content_id = ?')
  return (type, id, isInherited) => {
    for (const { findLock } of features) {
      const lock = findLock(type, id, isInherited)
      if (lock !== null) return lock
    }
    const hash = findHash.get(type, id)
    if (hash === undefined) return null
    return {
      kind: 'hash',
      url: String(hash.url),
      secret: String(hash.secret),
      message: textOrNull(hash.message),
      buttonCaption: textOrNull(hash.button_caption),
      popupWidth: textOrNull(hash.popup_width),
      popupHeight: textOrNull(hash.popup_height),
      isInherited,
    }
  }
}

/** The channel or video in a path: `ID` for a channel, `recorded/ID` for a video. */
export function contentPath({ type, id }: Pick<Content, 'type' | 'id'>): string {
  return type === 'live' ? String(id) : `recorded/${id}`
}

/** A digest of the lock's secret or key: it shows later that the lock is the same, without storing the secret. */
export function lockFingerprint(lock: Lock | null): string {
  if (lock === null) return 'unlocked'
  const text = lock.kind === 'hash' ? lock.secret : lock.key
  return createHash('sha256').update(text).digest('hex')
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
