ALTER TABLE sessions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
DROP INDEX sessions_by_username;
CREATE INDEX sessions_by_viewer ON sessions (username, number);
