CREATE TABLE viewer_auth.password_links (
  key text COLLATE "C" NOT NULL REFERENCES viewer_auth.viewers ON DELETE CASCADE,
  purpose text NOT NULL CHECK (purpose IN ('reset', 'invitation')),
  digest text NOT NULL UNIQUE,
  expires_at bigint NOT NULL,
  is_sent boolean NOT NULL DEFAULT false,
  PRIMARY KEY (key, purpose)
);
