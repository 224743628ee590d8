import type { SegmentRecorder } from '../analytics/segments/segment-recorder.ts'
import { digest } from '../oauth/tokens/token-store.ts'
import { randomKey } from '../seed/secrets.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { type Content, type ContentType, contentPath, type FindContent, keyOfLock } from './content.ts'

/** After that, the player sends its stored response again, or gets a new token. */
const MAX_PLAYBACK_SECONDS = 4 * 3600

export type Playbacks = ReturnType<typeof openPlaybacks>

/** The parts that all routes for viewers need. */
export interface PlayerDeps extends ServiceDeps {
  readonly findContent: FindContent
  readonly playbacks: Playbacks
  readonly segments: Pick<SegmentRecorder, 'start' | 'heartbeat' | 'finish'>
}

export function openPlaybacks({ database, nowSeconds, findContent }: Omit<PlayerDeps, 'playbacks' | 'segments'>) {
  const insert = database.prepare('INSERT INTO playbacks VALUES (?, ?, ?, ?, ?, ?)')
  const select = database.prepare('SELECT * FROM playbacks WHERE token_digest = ? AND ends_at_seconds > ?')
  return {
    /**
     * Starts a playback.
     * @param expiresAtSeconds the expiry of the validated response; null without expiry, and for a token.
     * @returns the message that opens the player, with a bearer token of 40 hexadecimal characters.
     */
    open(content: Content, viewer: string | null, expiresAtSeconds: number | null): object {
      const now = nowSeconds()
      const token = randomKey()
      const endsAtSeconds = Math.min(expiresAtSeconds ?? Number.POSITIVE_INFINITY, now + MAX_PLAYBACK_SECONDS)
      insert.run(digest(token), content.type, content.id, viewer, keyOfLock(content.lock), endsAtSeconds)
      return {
        valid: true,
        viewer,
        expires_at: expiresAtSeconds,
        playback: token,
        playback_seconds: endsAtSeconds - now,
        media_url: `/media/${contentPath(content)}/video.webm?playback=${token}`,
      }
    },
    /** Returns null if the playback has expired, or if the lock has another secret or key. */
    find(token: string, type: ContentType, contentId: string) {
      const row = select.get(digest(token), nowSeconds())
      const content = findContent(type, contentId)
      if (row === undefined || content === null) return null
      if (row.content_type !== content.type || row.content_id !== content.id) return null
      if (row.lock_fingerprint !== keyOfLock(content.lock)) return null
      return {
        content,
        /** The `user` parameter of the response, or the `sub` of the token; null without one. */
        viewer: typeof row.viewer === 'string' ? row.viewer : null,
        /** Chat name of an anonymous viewer, different for each playback. */
        guestName: `Guest ${String(row.token_digest).slice(0, 4)}`,
        endsAtSeconds: Number(row.ends_at_seconds),
      }
    },
  }
}
