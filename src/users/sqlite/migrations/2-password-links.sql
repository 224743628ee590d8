CREATE TABLE password_links (
  key TEXT NOT NULL REFERENCES viewers (key) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('reset', 'invitation')),
  digest TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL,
  is_sent INTEGER NOT NULL DEFAULT 0 CHECK (is_sent IN (0, 1)),
  PRIMARY KEY (key, purpose)
) STRICT, WITHOUT ROWID;
