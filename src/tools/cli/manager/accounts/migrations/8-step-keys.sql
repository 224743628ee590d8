-- Public keys of devices that managers use as second step. Times are UNIX times in seconds.
CREATE TABLE step_keys (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL REFERENCES managers (key) ON DELETE CASCADE,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  is_backed_up INTEGER NOT NULL CHECK (is_backed_up IN (0, 1)),
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX step_keys_of ON step_keys (key);
-- A reset of the second step forgets them too.
CREATE TRIGGER step_keys_of_reset AFTER UPDATE OF step_secret ON managers WHEN new.step_secret IS NULL
BEGIN DELETE FROM step_keys WHERE key = old.key; END;
-- The last question of a session to a device, until it is answered.
ALTER TABLE sessions ADD COLUMN challenge TEXT;
