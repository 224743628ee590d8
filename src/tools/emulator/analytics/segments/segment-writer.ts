import type { DatabaseSync } from 'node:sqlite'
import type { DeviceInfo } from './device.ts'

export type ContentType = 'live' | 'recorded'

/** A segment as it is stored. Times and positions are whole seconds. */
export interface StoredSegment {
  readonly segmentId: string
  readonly ownerId: number
  readonly contentType: ContentType
  readonly contentId: number
  readonly startedAtSeconds: number
  readonly finishedAtSeconds: number | null
  /** Time of the player's last heartbeat; null for a generated segment. */
  readonly lastHeardAtSeconds: number | null
  readonly fromSeconds: number | null
  readonly toSeconds: number | null
  /** One per browser. */
  readonly clientId: string
  /** One per playing session of a player. */
  readonly viewSessionId: string
  readonly viewerIdentifier: string | null
  readonly viewType: 'onsite' | 'offsite'
  readonly country: string
  readonly city: string
  readonly deviceInfo: DeviceInfo
  readonly isMobile: boolean
}

/** Returns a function that writes one segment. The caller begins and ends the transaction. */
export function openSegmentWriter(database: DatabaseSync): (segment: StoredSegment) => void {
  const insert = database.prepare(
    `INSERT INTO watched_segments (segment_id, owner_id, content_type, content_id, started_at, finished_at, last_heard_at,
       from_position, to_position, view_type, viewer_identifier, client_id, view_session_id, country, city, device_info,
       is_mobile)
     VALUES (:segmentId, :ownerId, :contentType, :contentId, :startedAtSeconds, :finishedAtSeconds, :lastHeardAtSeconds,
       :fromSeconds, :toSeconds, :viewType, :viewerIdentifier, :clientId, :viewSessionId, :country, :city, :device,
       :mobile)`,
  )
  return ({ deviceInfo, isMobile, ...rest }) => {
    insert.run({ ...rest, device: JSON.stringify(deviceInfo), mobile: Number(isMobile) })
  }
}
