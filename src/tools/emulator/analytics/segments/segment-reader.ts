import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/** A Segment of the analytics document. Null stands for an unknown end or position. */
export interface Segment {
  readonly id: string
  readonly content_type: string
  readonly content_id: number
  readonly started_at: string
  readonly finished_at: string | null
  readonly from: number | null
  readonly to: number | null
  readonly client_id: string
  readonly view_session_id: string
  readonly country: string
  readonly city: string
  readonly is_mobile_view: boolean
  readonly view_type: string
  readonly device_info: unknown
}

export interface ReadSegment {
  readonly segment: Segment
  /** Null for an anonymous viewer. */
  readonly viewerIdentifier: string | null
}

/**
 * Reads segments by their row number in the table.
 * @param writeTime turns UNIX seconds into the text of an answer.
 */
export function openSegmentReader(
  database: DatabaseSync,
  writeTime: (seconds: number) => string,
): (id: number) => ReadSegment {
  const deviceInfo = openDeviceInfo()
  const statement = database.prepare(`
    SELECT segment_id, content_type, content_id, started_at, finished_at, from_position, to_position, view_type,
      viewer_identifier, client_id, view_session_id, country, city, is_mobile, info
    FROM segments
      LEFT JOIN segment_viewers ON segment_viewers.id = viewer
      JOIN segment_clients ON segment_clients.id = client
      JOIN segment_view_sessions ON segment_view_sessions.id = view_session
      JOIN segment_places ON segment_places.id = place
      JOIN segment_devices ON segment_devices.id = device
    WHERE segments.id = ?`)
  return (id) => {
    const row = statement.get(id)
    if (row === undefined) throw new Error(`Segment ${id} is not in the table`)
    const { finished_at, viewer_identifier } = row
    return {
      viewerIdentifier: viewer_identifier === null ? null : String(viewer_identifier),
      segment: {
        id: String(row.segment_id),
        content_type: String(row.content_type),
        content_id: Number(row.content_id),
        started_at: writeTime(Number(row.started_at)),
        finished_at: finished_at === null ? null : writeTime(Number(finished_at)),
        from: position(row.from_position),
        to: position(row.to_position),
        client_id: String(row.client_id),
        view_session_id: String(row.view_session_id),
        country: String(row.country),
        city: String(row.city),
        is_mobile_view: row.is_mobile === 1,
        view_type: String(row.view_type),
        device_info: deviceInfo(String(row.info)),
      },
    }
  }
}

function position(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null
}

/** Parses each device once: an answer has few of them, many times. */
function openDeviceInfo(): (info: string) => unknown {
  const parsed = new Map<string, unknown>()
  return (info) => {
    if (!parsed.has(info)) parsed.set(info, JSON.parse(info))
    return parsed.get(info)
  }
}
