import { inTransaction } from '../../server/sqlite-transaction.ts'
import { type DataFile, openDataFile } from '../../sessions/sqlite-file.ts'
import { claimPlace } from './claim-place.ts'
import { openMemoryPlaces } from './memory-places.ts'
import { type PlaceStore, WITHOUT_PLACES } from './place-store.ts'

const PLACES_FILE: DataFile = {
  label: 'LIMITS_STORE_URL: the file of screens beside it,',
  loss: 'all places are then free',
  prepare: (database) =>
    database.exec(`CREATE TABLE IF NOT EXISTS places (
      key TEXT PRIMARY KEY, text TEXT NOT NULL, ends_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`),
}
const PRUNE_EVERY_MS = 600_000
const PAUSE_MS = 60_000
/** Claims within this time share one write, which costs more than they do. A killed process loses these claims. */
const WRITE_EVERY_MS = 1_000

/**
 * Opens places in a file of `node:sqlite`, so that a restart frees none. For an app with one copy: another process sees a
 * claim a second later. After a fault, the app does not use the file for a minute; after a fault at the start, places are
 * in memory.
 */
export function openFilePlaces(
  file: string,
  warn: (message: string) => void,
  writeEveryMs: number = WRITE_EVERY_MS,
): PlaceStore {
  try {
    return openFile(file, warn, writeEveryMs)
  } catch (error) {
    warn(`${(error as Error).message} Screens are counted in memory until a restart.`)
    return openMemoryPlaces()
  }
}

function openFile(file: string, warn: (message: string) => void, writeEveryMs: number): PlaceStore {
  const database = openDataFile(file, PLACES_FILE, warn)
  const select = database.prepare('SELECT text FROM places WHERE key = ?')
  const upsert = database.prepare(
    'INSERT INTO places VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET text = ?2, ends_at = ?3',
  )
  const removeEnded = database.prepare('DELETE FROM places WHERE ends_at <= ?')
  const unwritten = new Map<string, { readonly text: string; readonly endsAtSeconds: number }>()
  let usableAtMs = 0

  function run<T>(work: () => T): T {
    if (performance.now() < usableAtMs) throw new Error('The file of screens has failed')
    try {
      return work()
    } catch (error) {
      usableAtMs = performance.now() + PAUSE_MS
      unwritten.clear()
      warn(`LIMITS_STORE_URL: the file of screens fails (${error}), so ${WITHOUT_PLACES}, for a minute.`)
      throw error
    }
  }
  const change = (work: () => void) => {
    try {
      run(() => inTransaction(database, work))
    } catch {
      // Logged, or in the minute after a fault.
    }
  }
  function write(): void {
    const due = [...unwritten]
    if (due.length === 0) return
    // The newest place ends last, but for a shorter lifetime in changed settings.
    change(() => due.forEach(([key, { text, endsAtSeconds }]) => void upsert.run(key, text, endsAtSeconds)))
    unwritten.clear()
  }
  const prune = setInterval(
    () => change(() => void removeEnded.run(Math.floor(Date.now() / 1000))),
    PRUNE_EVERY_MS,
  ).unref()
  return {
    claim: (key, claim) =>
      Promise.try(() => {
        const before = run(() => unwritten.get(key)?.text ?? String(select.get(key)?.text ?? ''))
        const { result, text } = claimPlace(before, claim)
        if (text !== null) {
          if (unwritten.size === 0) setTimeout(write, writeEveryMs).unref()
          unwritten.set(key, { text, endsAtSeconds: claim.endsAtSeconds })
        }
        return result
      }),
    optionalStores: [{ setting: 'LIMITS_STORE_URL', isAvailable: () => performance.now() >= usableAtMs }],
    close() {
      clearInterval(prune)
      if (!database.isOpen) return
      write()
      database.close()
    },
  }
}
