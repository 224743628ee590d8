import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { DeviceInfo } from './device.ts'
import type { ContentType, ViewType } from './segment-tables.ts'

/** A whole segment, as it is stored. Times and positions are whole seconds. */
export interface StoredSegment {
  readonly segmentId: string
  readonly ownerId: number
  readonly contentType: ContentType
  readonly contentId: number
  readonly startedAtSeconds: number
  readonly finishedAtSeconds: number | null
  /** Null for a segment that no player will speak for. */
  readonly lastHeardAtSeconds: number | null
  readonly fromSeconds: number | null
  readonly toSeconds: number | null
  readonly clientId: string
  readonly viewSessionId: string
  readonly viewerIdentifier: string | null
  readonly viewType: ViewType
  readonly country: string
  readonly city: string
  readonly deviceInfo: DeviceInfo
  readonly isMobile: boolean
}

type Numbered = (...values: SQLInputValue[]) => number

/**
 * Writes one segment, and what it shares with others where that is new. The caller begins and ends the transaction.
 * @param rememberNumbers for a run that writes many and in which nobody else deletes: saves looking up what came before.
 */
export function openSegmentWriter(
  database: DatabaseSync,
  { rememberNumbers = false } = {},
): (segment: StoredSegment) => void {
  const open = (table: string, columns: readonly string[]) => {
    const numberOf = openDictionary(database, table, columns)
    return rememberNumbers ? remember(numberOf) : numberOf
  }
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

/** The number of a text, or of several that belong together; a new one gets the next. */
function openDictionary(database: DatabaseSync, table: string, columns: readonly string[]): Numbered {
  const find = database.prepare(
    `SELECT id FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`,
  )
  const add = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  return (...values) => Number(find.get(...values)?.id ?? add.run(...values).lastInsertRowid)
}

const REMEMBERED_NUMBERS = 50_000

function remember(numberOf: Numbered): Numbered {
  const numbers = new Map<string, number>()
  return (...values) => {
    const key = values.join('\u0000')
    const known = numbers.get(key)
    if (known !== undefined) return known
    const number = numberOf(...values)
    if (numbers.size >= REMEMBERED_NUMBERS) numbers.clear()
    numbers.set(key, number)
    return number
  }
}
