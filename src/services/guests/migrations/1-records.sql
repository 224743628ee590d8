PRAGMA application_id = 0x56777247;
CREATE TABLE records (
  kind TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, version INTEGER NOT NULL, ends_at REAL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX records_by_end ON records (ends_at) WHERE ends_at IS NOT NULL;
CREATE TABLE last_version (number INTEGER NOT NULL) STRICT;
INSERT INTO last_version VALUES (0);
