import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

export type ContentType = 'live' | 'recorded'

export const CONTENT_TYPES: readonly ContentType[] = ['live', 'recorded']

/** The hash lock of a channel or video. */
export interface Lock {
  /** The entry point of the customer's login app. */
  readonly url: string
  readonly secret: string
  readonly message: string | null
  readonly buttonCaption: string | null
  /** CSS pixels as text, for example "400" or "400px"; null if not set. */
  readonly popupWidth: string | null
  readonly popupHeight: string | null
  /** True if the lock belongs to the channel of the video. */
  readonly isInherited: boolean
}

/** A channel (`live`) or a video (`recorded`). */
export interface Content {
  readonly type: ContentType
  readonly id: number
  readonly title: string
  readonly channelId: number
  /** The content's own lock. A video without a lock has the lock of its channel. */
  readonly lock: Lock | null
}

export type FindContent = (type: ContentType, id: string) => Content | null

/** Returns a function that reads a channel or video with its lock. Null for an unknown id. */
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

/** The content in a path: `ID` for a channel, `recorded/ID` for a video. */
export function contentPath({ type, id }: Pick<Content, 'type' | 'id'>): string {
  return type === 'live' ? String(id) : `recorded/${id}`
}

/** A digest of the lock's secret: it shows later that the secret is the same, without storing the secret. */
export function lockFingerprint(lock: Lock | null): string {
  return lock === null ? 'unlocked' : createHash('sha256').update(lock.secret).digest('hex')
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
