-- Times are UNIX times in seconds.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL,
  manager TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'refused')),
  fault TEXT
) STRICT;
