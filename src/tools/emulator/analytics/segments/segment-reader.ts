import type { DatabaseSync } from 'node:sqlite'

/** The fields that a Segment and a View of the analytics document share. Null stands for an unknown end or position. */
const SHARED_FIELDS = `
  'content_type', content_type, 'started_at', write_time(started_at), 'finished_at', write_time(finished_at),
  'from', from_position, 'to', to_position, 'client_id', client_id, 'view_session_id', view_session_id,
  'country', country, 'city', city, 'is_mobile_view', json(iif(is_mobile = 1, 'true', 'false')),
  'view_type', view_type, 'device_info', json(device_info)`

/** A Segment and a View of a row of `watched_segments`, as JSON in SQL. They need `write_time`. */
export const SEGMENT_JSON = `json_object('id', segment_id, 'content_id', content_id, ${SHARED_FIELDS})`
export const VIEW_JSON = `json_object('type', 'View', 'attributes', json_object('view_id', segment_id,
  'viewer_identifier', viewer_identifier, 'content_id', CAST(content_id AS TEXT), ${SHARED_FIELDS}))`

/** Adds the SQL function `write_time`. @param writeTime turns UNIX seconds into the text of an answer. */
export function addTimeFunction(database: DatabaseSync, writeTime: (seconds: number) => string): void {
  database.function('write_time', (seconds) => (seconds === null ? null : writeTime(Number(seconds))))
}
