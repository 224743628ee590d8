PRAGMA application_id = 0x56777241;
CREATE TABLE viewers (
  key TEXT PRIMARY KEY,
  username TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  group_names TEXT NOT NULL DEFAULT '[]' CHECK (json_type(group_names) = 'array'),
  attributes TEXT NOT NULL DEFAULT '{}' CHECK (json_type(attributes) = 'object')
) STRICT, WITHOUT ROWID;
