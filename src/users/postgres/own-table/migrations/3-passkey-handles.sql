CREATE TABLE viewer_auth.passkey_handles (
  key text COLLATE "C" PRIMARY KEY REFERENCES viewer_auth.viewers ON DELETE CASCADE,
  handle text NOT NULL UNIQUE
);
