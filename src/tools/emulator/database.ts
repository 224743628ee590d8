import type { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../server/sqlite-file.ts'

/**
 * Tables that several rooms use. A room with tables of its own exports their SQL, and `openDatabase` runs it. Times are
 * UNIX seconds. Client secrets and lock secrets are stored in plaintext, because `/emulator/seed` and the hash need
 * them.
 */
const SHARED_TABLES = `
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
`

/**
 * Opens the emulator's database and creates missing tables.
 * @param file a path, or ":memory:".
 * @param roomTables the SQL of each room's tables.
 */
export function openDatabase(file: string, roomTables: readonly string[]): DatabaseSync {
  // In WAL mode a commit survives a killed process. Only a power cut can lose the last commit.
  const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON'
  const database = openSqlite(file, { creates: true, timeoutMs: 5_000, pragmas })
  for (const tables of [SHARED_TABLES, ...roomTables]) database.exec(tables)
  return database
}
