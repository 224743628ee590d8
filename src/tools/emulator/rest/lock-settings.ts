import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { PlainText } from './parameters.ts'

const LockSettings = z.object({
  url: z.string(),
  secret: z.string(),
  message: z.string().nullable(),
  button_caption: z.string().nullable(),
  popup_width: z.string().nullable(),
  popup_height: z.string().nullable(),
})

/** A hash lock, as stored in its table. */
export type LockSettings = z.infer<typeof LockSettings>

export type LockReading =
  | { readonly ok: true; readonly settings: NewLock }
  | { readonly ok: false; readonly error: 'invalid_request' | 'invalid_type'; readonly description: string }

/** `live` for the lock of a channel, `recorded` for the lock of a video. */
export type ContentType = 'live' | 'recorded'

const MAX_URL_LENGTH = 2_048
/** Pixels as text. 0 is in a sample of the service's own documentation. */
const Size = z.string().regex(/^(0|[1-9]\d{0,3})(px)?$/)
/** All parameters but the address. */
export const LockParameters = z.object({
  secret: PlainText.max(255),
  message: PlainText.max(1_000).optional(),
  button_caption: PlainText.max(100).optional(),
  popup_width: Size.optional(),
  popup_height: Size.optional(),
})

type NewLock = z.infer<typeof LockParameters> & Pick<LockSettings, 'url'>

/**
 * Checks in this order: missing parameters (`invalid_request`), the url (`invalid_type`), all others
 * (`invalid_request`).
 */
export function readLockSettings(values: Readonly<Record<string, string>>): LockReading {
  const { url, secret } = values
  if (url === undefined || secret === undefined) {
    const missing = [url === undefined && 'url', secret === undefined && 'secret'].filter(Boolean).join(' and ')
    return { ok: false, error: 'invalid_request', description: `Required parameters are missing: ${missing}` }
  }
  if (!isEntryPoint(url)) {
    return { ok: false, error: 'invalid_type', description: 'url must be an absolute http or https address' }
  }
  const parsed = LockParameters.safeParse(values)
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))].join(', ')
    return { ok: false, error: 'invalid_request', description: `These parameters are too long or malformed: ${names}` }
  }
  return { ok: true, settings: { url, ...parsed.data } }
}

/** True for an absolute http or https address without user name, which browsers can be sent to. */
export function isEntryPoint(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^\s\\\p{Cc}\p{Cs}]+$/iu.test(text) || !URL.canParse(text))
    return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** Sets or replaces a lock. @returns true if there was no lock before. */
export function setLock(database: DatabaseSync, type: ContentType, id: number, lock: NewLock): boolean {
  const isNew = findLock(database, type, id) === null
  const { url, secret, message = null, button_caption = null, popup_width = null, popup_height = null } = lock
  database
    .prepare('INSERT OR REPLACE INTO locks VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    .run(type, id, url, secret, message, button_caption, popup_width, popup_height)
  return isNew
}

/** Finds the lock of the channel or video itself; a video may also inherit the lock of its channel. */
export function findLock(database: DatabaseSync, type: ContentType, id: number): LockSettings | null {
  const row = database.prepare('SELECT * FROM locks WHERE content_type = ? AND content_id = ?').get(type, id)
  return row === undefined ? null : LockSettings.parse(row)
}

/** Removes the lock of the channel or video itself. @returns true if there was one. */
export function removeLock(database: DatabaseSync, type: ContentType, id: number): boolean {
  const removed = database.prepare('DELETE FROM locks WHERE content_type = ? AND content_id = ?').run(type, id)
  return removed.changes === 1
}
