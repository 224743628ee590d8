import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

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

/** The second version of viewer authentication. */
export interface TokenLock extends AnyLock {
  readonly kind: 'token'
  /** The public key of the channel or video, in PEM form. */
  readonly publicKey: string
}

export type Lock = HashLock | TokenLock

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
export function contentFinder(database: DatabaseSync): FindContent {
  const find = {
    live: database.prepare('SELECT id, title, id AS channel_id FROM channels WHERE id = ?'),
    recorded: database.prepare('SELECT id, title, channel_id FROM videos WHERE id = ?'),
  }
  const findLock = lockFinder(database)
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

/**
 * Returns a function that reads the lock of the channel or video itself. If it has both versions, the second applies.
 */
function lockFinder(database: DatabaseSync): (type: ContentType, id: number, isInherited: boolean) => Lock | null {
  const findToken = database.prepare('SELECT * FROM viewer_auth WHERE content_type = ? AND content_id = ?')
  const findHash = database.prepare('SELECT * FROM locks WHERE content_type = ? AND content_id = ?')
  return (type, id, isInherited) => {
    const token = findToken.get(type, id)
    if (token !== undefined) {
      return { kind: 'token', url: String(token.auth_url), publicKey: String(token.public_key), isInherited }
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
  const text = lock.kind === 'hash' ? lock.secret : `public key ${lock.publicKey}`
  return createHash('sha256').update(text).digest('hex')
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
