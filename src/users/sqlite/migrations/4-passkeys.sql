CREATE TABLE passkeys (
  key TEXT NOT NULL REFERENCES passkey_handles (key) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL CHECK (counter >= 0),
  device_type TEXT NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
  is_backed_up INTEGER NOT NULL CHECK (is_backed_up IN (0, 1)),
  transports TEXT NOT NULL CHECK (json_type(transports) = 'array'),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  PRIMARY KEY (key, id)
) STRICT, WITHOUT ROWID;
