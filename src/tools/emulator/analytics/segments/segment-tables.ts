/**
 * A segment is one stretch of a channel or video that a viewer watched without a break. Values that many segments share
 * (viewer, device, place) have tables of their own, so that a report over a million segments compares only numbers.
 * Times are UNIX seconds. `finished_at` is null while the segment runs. `last_heard_at` is the time of the last
 * heartbeat of the player, and null for generated segments.
 */
export const SEGMENT_TABLES = `
  CREATE TABLE IF NOT EXISTS segment_viewers (
    id INTEGER PRIMARY KEY,
    viewer_identifier TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_clients (
    id INTEGER PRIMARY KEY,
    client_id TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_view_sessions (
    id INTEGER PRIMARY KEY,
    view_session_id TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_places (
    id INTEGER PRIMARY KEY,
    country TEXT NOT NULL,
    city TEXT NOT NULL,
    UNIQUE (country, city)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segment_devices (
    id INTEGER PRIMARY KEY,
    info TEXT NOT NULL,
    family TEXT NOT NULL,
    is_mobile INTEGER NOT NULL,
    UNIQUE (info, is_mobile)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS segments (
    id INTEGER PRIMARY KEY,
    segment_id TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL,
    content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
    content_id INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER CHECK (finished_at >= started_at),
    last_heard_at INTEGER,
    from_position INTEGER,
    to_position INTEGER,
    view_type TEXT NOT NULL CHECK (view_type IN ('onsite', 'offsite')),
    viewer INTEGER REFERENCES segment_viewers (id),
    client INTEGER NOT NULL REFERENCES segment_clients (id),
    view_session INTEGER NOT NULL REFERENCES segment_view_sessions (id),
    place INTEGER NOT NULL REFERENCES segment_places (id),
    device INTEGER NOT NULL REFERENCES segment_devices (id)
  ) STRICT;
  -- Each report reads one of these covering indexes. It reads the table only for the rows that it shows.
  CREATE INDEX IF NOT EXISTS segments_by_start ON segments
    (owner_id, started_at, id, finished_at, content_type, content_id, viewer, client, place, device, view_type);
  CREATE INDEX IF NOT EXISTS segments_by_viewer ON segments
    (owner_id, viewer, started_at, id, finished_at, content_type, content_id) WHERE viewer IS NOT NULL;
  CREATE INDEX IF NOT EXISTS segments_by_content ON segments
    (owner_id, content_type, content_id, started_at, finished_at, view_session);
  CREATE INDEX IF NOT EXISTS segments_running ON segments (last_heard_at) WHERE finished_at IS NULL;
`

export type ContentType = 'live' | 'recorded'
export type ViewType = 'onsite' | 'offsite'
