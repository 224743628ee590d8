import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../server/sqlite-file.ts'

const TABLES = readFileSync(new URL('tables.sql', import.meta.url), 'utf8')

/**
 * Opens the emulator's database and creates missing tables.
 * @param file a path, or ":memory:".
 * @param ofFeatures the SQL of the tables of features.
 */
export function openDatabase(file: string, ofFeatures: readonly string[] = []): DatabaseSync {
  // In WAL mode a commit survives a killed process. Only a power cut can lose the last commit.
  const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON'
  const database = openSqlite(file, { creates: true, timeoutMs: 5_000, pragmas })
  for (const tables of [TABLES, ...ofFeatures]) database.exec(tables)
  return database
}
