-- Figures of the security log, in a temporary database.
CREATE TABLE counts (
  minute INTEGER, entry_point TEXT, outcome TEXT, way_in TEXT, count INTEGER,
  PRIMARY KEY (minute, entry_point, outcome, way_in)
) WITHOUT ROWID;
CREATE TABLE viewers_in (viewer TEXT, entry_point TEXT, minute INTEGER, PRIMARY KEY (viewer, entry_point)) WITHOUT ROWID;
CREATE INDEX viewers_in_by_minute ON viewers_in (minute);
CREATE TABLE waiting (viewer TEXT PRIMARY KEY, entry_point TEXT) WITHOUT ROWID;
CREATE TABLE held_back (key TEXT PRIMARY KEY, viewer TEXT, address TEXT, entry_point TEXT, at INTEGER) WITHOUT ROWID;
CREATE TABLE failures (
  network TEXT, minute INTEGER, viewer TEXT, address TEXT, count INTEGER, PRIMARY KEY (network, minute, viewer)
) WITHOUT ROWID;
CREATE TABLE last_events (viewer TEXT PRIMARY KEY, sign_in TEXT, refusal TEXT) WITHOUT ROWID;
