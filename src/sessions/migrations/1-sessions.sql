CREATE TABLE sessions (
  id TEXT PRIMARY KEY, username TEXT NOT NULL, data TEXT NOT NULL,
  signed_in_at INTEGER NOT NULL, used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_username ON sessions (username);
