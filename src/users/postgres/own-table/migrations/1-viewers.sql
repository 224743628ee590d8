CREATE TABLE viewer_auth.viewers (
  key text COLLATE "C" PRIMARY KEY,
  username text NOT NULL,
  password_hash text NOT NULL,
  disabled boolean NOT NULL DEFAULT false,
  group_names text[] NOT NULL DEFAULT '{}',
  attributes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(attributes) = 'object')
);
