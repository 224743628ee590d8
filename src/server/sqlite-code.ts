export const SQLITE_BUSY = 5
export const SQLITE_CORRUPT = 11
export const SQLITE_NOTADB = 26

/** Returns the primary result code of SQLite; 0 for a closed file; null for other errors. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  if (error.code === 'ERR_INVALID_STATE') return 0
  // The upper bytes of an extended code are details.
  return error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error ? Number(error.errcode) & 0xff : null
}
