-- Private keys in PKCS#8. accepted_until_seconds is null for the newest key. A reset keeps the keys.
CREATE TABLE IF NOT EXISTS service_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kid TEXT NOT NULL UNIQUE,
  private_key TEXT NOT NULL,
  created_at_seconds INTEGER NOT NULL,
  accepted_until_seconds INTEGER
) STRICT;

-- Only digests of tokens are stored.
CREATE TABLE IF NOT EXISTS used_viewer_tokens (
  token_digest TEXT NOT NULL,
  component TEXT NOT NULL,
  expires_at_seconds INTEGER NOT NULL,
  PRIMARY KEY (token_digest, component)
) STRICT;
CREATE INDEX IF NOT EXISTS used_viewer_tokens_by_expiry ON used_viewer_tokens (expires_at_seconds);
