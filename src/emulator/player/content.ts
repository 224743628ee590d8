import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

export type ContentType = 'live' | 'recorded'

export const CONTENT_TYPES: readonly ContentType[] = ['live', 'recorded']

/** How viewers of a channel or video are authenticated. */
export interface Lock {
  /** The entry point of the customer's login app. */
  readonly url: string
  readonly secret: string
  readonly message: string | null
  readonly buttonCaption: string | null
  /** CSS pixels, as text; null where the customer left it open. */
  readonly popupWidth: string | null
  readonly popupHeight: string | null
  /** True for a video that has none of its own. */
  readonly isInherited: boolean
}

/** A channel (`live`) or a video (`recorded`). */
export interface Content {
  readonly type: ContentType
  readonly id: number
  readonly title: string
  readonly channelId: number
  /** Its own lock, or for a video without one that of its channel. */
  readonly lock: Lock | null
}

export type FindContent = (type: ContentType, id: string) => Content | null

/** Reads channels, videos and their locks as they are at each call; an id that is not a number is not found. */
export function contentFinder(database: DatabaseSync): FindContent {
  const find = {
    live: database.prepare('SELECT id, title, id AS channel_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT id, title, channel_id FROM videos WHERE id = ?'),
  }
  const findLock = database.prepare(
    `SELECT url, secret, message, button_caption, popup_width, popup_height FROM locks
     WHERE content_type = ? AND content_id = ?`,
  )
  const lockOf = (type: ContentType, id: number, isInherited: boolean): Lock | null => {
    const row = findLock.get(type, id)
    if (row === undefined) return null
    return {
      url: String(row.url),
      secret: String(row.secret),
      message: textOrNull(row.message),
      buttonCaption: textOrNull(row.button_caption),
      popupWidth: textOrNull(row.popup_width),
      popupHeight: textOrNull(row.popup_height),
      isInherited,
    }
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

/** The part of a path that names a content: `ID` for a channel, `recorded/ID` for a video. */
export function contentPath({ type, id }: Pick<Content, 'type' | 'id'>): string {
  return type === 'live' ? String(id) : `recorded/${id}`
}

/** Tells whether a lock still has the secret that something was validated against, without keeping the secret. */
export function lockFingerprint(lock: Lock | null): string {
  return lock === null ? 'unlocked' : createHash('sha256').update(lock.secret).digest('hex')
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
