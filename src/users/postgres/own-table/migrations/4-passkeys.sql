CREATE TABLE viewer_auth.passkeys (
  key text COLLATE "C" NOT NULL REFERENCES viewer_auth.passkey_handles ON DELETE CASCADE,
  id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL CHECK (counter >= 0),
  device_type text NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
  is_backed_up boolean NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  PRIMARY KEY (key, id)
);
