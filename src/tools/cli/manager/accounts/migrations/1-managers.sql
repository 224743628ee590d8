PRAGMA application_id = 0x5677724d;
CREATE TABLE managers (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('event-manager', 'help-desk', 'reader')),
  entry_points TEXT,
  password_hash TEXT NOT NULL,
  step_secret BLOB,
  last_period INTEGER NOT NULL DEFAULT -1
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL REFERENCES managers (key) ON DELETE CASCADE,
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
  started_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  form_token TEXT NOT NULL,
  step_secret BLOB,
  notice TEXT
) STRICT, WITHOUT ROWID;
