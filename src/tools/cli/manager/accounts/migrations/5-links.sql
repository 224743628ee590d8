-- Links in mails to managers. Times are UNIX times in seconds.
CREATE TABLE links (
  digest TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  inviter TEXT NOT NULL REFERENCES managers (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('event-manager', 'help-desk', 'reader')),
  entry_points TEXT,
  is_reset INTEGER NOT NULL CHECK (is_reset IN (0, 1)),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- A new password ends the links that were sent before.
CREATE TRIGGER links_of_changed AFTER UPDATE OF password_hash ON managers
BEGIN DELETE FROM links WHERE key = old.key; END;
-- The invitations of other managers to the same person end too.
CREATE TRIGGER links_of_added AFTER INSERT ON managers
BEGIN DELETE FROM links WHERE key = new.key; END;
CREATE TRIGGER links_of_removed AFTER DELETE ON managers
BEGIN DELETE FROM links WHERE key = old.key; END;
