import type { DatabaseSync } from 'node:sqlite'

/** The fields that a Segment and a View of the analytics document share. Null stands for an unknown end or position. */
const SHARED_FIELDS = `
  'content_type', content_type, 'started_at', write_time(started_at), 'finished_at', write_time(finished_at),
  'from', from_position, 'to', to_position, 'client_id', client_id, 'view_session_id', view_session_id,
  'country', country, 'city', city, 'is_mobile_view', json(iif(is_mobile = 1, 'true', 'false')),
  'view_type', view_type, 'device_info', json(info)`

const JSON_OF = {
  segment: `json_object('id', segment_id, 'content_id', content_id, ${SHARED_FIELDS})`,
  view: `json_object('type', 'View', 'attributes', json_object('view_id', segment_id,
    'viewer_identifier', viewer_identifier, 'content_id', CAST(content_id AS TEXT), ${SHARED_FIELDS}))`,
} as const

/**
 * Returns a function that reads a segment as JSON, by its row number in the table.
 * @param writeTime turns UNIX seconds into the text of an answer.
 */
export function openSegmentReader(
  database: DatabaseSync,
  item: keyof typeof JSON_OF,
  writeTime: (seconds: number) => string,
): (id: number) => string {
  database.function('write_time', (seconds) => (seconds === null ? null : writeTime(Number(seconds))))
  const statement = database.prepare(`
    SELECT ${JSON_OF[item]} AS json
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
    return String(row.json)
  }
}
