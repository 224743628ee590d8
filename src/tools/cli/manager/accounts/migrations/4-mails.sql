-- Times are UNIX times in seconds. Mails of one person alone have batch 0.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  username TEXT NOT NULL,
  manager TEXT NOT NULL,
  entry_point TEXT NOT NULL,
  language TEXT NOT NULL,
  batch INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'refused')),
  fault TEXT,
  UNIQUE (kind, key, entry_point)
) STRICT;
CREATE INDEX waiting_mails ON mails (due_at) WHERE state = 'waiting';
INSERT INTO mails (kind, key, username, manager, entry_point, language, batch, added_at, due_at, tries, state, fault)
  SELECT 'invitation', key, username, manager, '', '', 1, added_at, due_at, tries, state, fault FROM invitations ORDER BY id;
DROP TABLE invitations;
