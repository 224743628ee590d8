-- All tables of the emulator but those of features. Times are UNIX seconds. Client secrets and lock secrets are stored in
-- plaintext, because /emulator/seed and the hash need them.
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY,
  username TEXT NOT NULL UNIQUE COLLATE NOCASE,
  password_hash TEXT NOT NULL,
  language TEXT,
  created_at_seconds INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS clients (
  client_id TEXT PRIMARY KEY,
  client_secret TEXT NOT NULL,
  name TEXT NOT NULL,
  -- One prefix, or several separated by blanks.
  redirect_uri_prefix TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES users (id)
) STRICT;
CREATE TABLE IF NOT EXISTS channels (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  url TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  created_at_seconds INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS videos (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  owner_id INTEGER NOT NULL REFERENCES users (id),
  created_at_seconds INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS locks (
  content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
  content_id INTEGER NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  message TEXT,
  button_caption TEXT,
  popup_width TEXT,
  popup_height TEXT,
  PRIMARY KEY (content_type, content_id)
) STRICT;
CREATE TABLE IF NOT EXISTS viewer_auth (
  content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
  content_id INTEGER NOT NULL,
  auth_url TEXT NOT NULL,
  -- The public key of the channel or video, in PEM form.
  public_key TEXT NOT NULL,
  PRIMARY KEY (content_type, content_id)
) STRICT;

-- The seed, so that ids and secrets survive a restart and a reset.
CREATE TABLE IF NOT EXISTS emulator_state (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Tokens as SHA-256 digests. MAC keys are derived from their token.
CREATE TABLE IF NOT EXISTS oauth_tokens (
  id INTEGER PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  refresh_token_hash TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('bearer', 'mac', 'jwt')),
  client_id TEXT NOT NULL REFERENCES clients (client_id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_level INTEGER NOT NULL,
  scope TEXT NOT NULL,
  device_name TEXT,
  code_hash TEXT,
  created_at_seconds INTEGER NOT NULL,
  expires_at_seconds INTEGER NOT NULL,
  revoked_at_seconds INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS oauth_tokens_by_user ON oauth_tokens (user_id, client_id);
CREATE INDEX IF NOT EXISTS oauth_tokens_by_code ON oauth_tokens (code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS oauth_tokens_by_expiry ON oauth_tokens (expires_at_seconds);

-- Authorization codes as SHA-256 digests.
CREATE TABLE IF NOT EXISTS oauth_authorization_codes (
  code_hash TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES clients (client_id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  device_name TEXT,
  -- Null without PKCE (RFC 7636).
  challenge TEXT,
  scope TEXT NOT NULL,
  expires_at_seconds INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Sessions of users on the pages of their account. `data` is from older releases.
CREATE TABLE IF NOT EXISTS oauth_sessions (
  id_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  data TEXT NOT NULL,
  signed_in_at_seconds INTEGER NOT NULL,
  used_at_seconds INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS oauth_sessions_by_user ON oauth_sessions (user_id);

-- A playback lets one player play one channel or video for a limited time. Only the digest of its token is stored.
CREATE TABLE IF NOT EXISTS playbacks (
  token_digest TEXT PRIMARY KEY,
  content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
  content_id INTEGER NOT NULL,
  viewer TEXT,
  lock_fingerprint TEXT NOT NULL,
  ends_at_seconds INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS playbacks_by_end ON playbacks (ends_at_seconds);

-- Messages of the chat and of the Q&A.
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL CHECK (conversation IN ('chat', 'qna')),
  content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
  content_id INTEGER NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  sent_at_seconds INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS messages_by_content ON messages (conversation, content_type, content_id, id);

-- A segment is one stretch of a channel or video that a viewer watched without a break. `finished_at` is null while the
-- segment runs. `last_heard_at` is the time of the last heartbeat of the player, and null for generated segments.
-- Older releases have their segments in other tables, which are not read.
CREATE TABLE IF NOT EXISTS watched_segments (
  id INTEGER PRIMARY KEY,
  segment_id TEXT NOT NULL UNIQUE,
  owner_id INTEGER NOT NULL,
  content_type TEXT NOT NULL CHECK (content_type IN ('live', 'recorded')),
  content_id INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER CHECK (finished_at >= started_at),
  last_heard_at INTEGER,
  from_position INTEGER,
  to_position INTEGER,
  view_type TEXT NOT NULL CHECK (view_type IN ('onsite', 'offsite')),
  viewer_identifier TEXT,
  client_id TEXT NOT NULL,
  view_session_id TEXT NOT NULL,
  country TEXT NOT NULL,
  city TEXT NOT NULL,
  device_info TEXT NOT NULL,
  is_mobile INTEGER NOT NULL
) STRICT;
-- Each report reads one of these indexes.
CREATE INDEX IF NOT EXISTS watched_by_start ON watched_segments (owner_id, started_at, id);
CREATE INDEX IF NOT EXISTS watched_by_viewer ON watched_segments (owner_id, viewer_identifier, started_at, id)
  WHERE viewer_identifier IS NOT NULL;
CREATE INDEX IF NOT EXISTS watched_by_content ON watched_segments
  (owner_id, content_type, content_id, started_at, finished_at, view_session_id);
CREATE INDEX IF NOT EXISTS watched_running ON watched_segments (last_heard_at) WHERE finished_at IS NULL;
