import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
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

type RowIdOf = (...values: SQLInputValue[]) => number

/**
 * Returns a function that writes one segment, with new rows in the tables of shared values. The caller begins and ends
 * the transaction.
 */
export function openSegmentWriter(database: DatabaseSync): (segment: StoredSegment) => void {
  const open = (table: string, columns: readonly string[]) => openRowIds(database, table, columns)
  const viewer = open('segment_viewers', ['viewer_identifier'])
  const client = open('segment_clients', ['client_id'])
  const viewSession = open('segment_view_sessions', ['view_session_id'])
  const place = open('segment_places', ['country', 'city'])
  const device = open('segment_devices', ['info', 'family', 'is_mobile'])
  const insert = database.prepare(
    `INSERT INTO segments (segment_id, owner_id, content_type, content_id, started_at, finished_at, last_heard_at,
       from_position, to_position, view_type, viewer, client, view_session, place, device)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (segment) => {
    insert.run(
      segment.segmentId,
      segment.ownerId,
      segment.contentType,
      segment.contentId,
      segment.startedAtSeconds,
      segment.finishedAtSeconds,
      segment.lastHeardAtSeconds,
      segment.fromSeconds,
      segment.toSeconds,
      segment.viewType,
      segment.viewerIdentifier === null ? null : viewer(segment.viewerIdentifier),
      client(segment.clientId),
      viewSession(segment.viewSessionId),
      place(segment.country, segment.city),
      device(JSON.stringify(segment.deviceInfo), segment.deviceInfo.device.family, Number(segment.isMobile)),
    )
  }
}

/** Returns a function from the values of a row to its id. It adds the row if it is new. */
function openRowIds(database: DatabaseSync, table: string, columns: readonly string[]): RowIdOf {
  const find = database.prepare(
    `SELECT id FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`,
  )
  const add = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  return (...values) => Number(find.get(...values)?.id ?? add.run(...values).lastInsertRowid)
}
