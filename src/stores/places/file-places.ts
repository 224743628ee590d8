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

/**
 * Opens places in a file of `node:sqlite`, so that a restart frees none. For an app with one copy. After a fault, the app
 * does not use the file for a minute; after a fault at the start, places are in memory.
 */
export function openFilePlaces(file: string, warn: (message: string) => void): PlaceStore {
  try {
    return openFile(file, warn)
  } catch (error) {
    warn(`${(error as Error).message} Screens are counted in memory until a restart.`)
    return openMemoryPlaces()
  }
}

function openFile(file: string, warn: (message: string) => void): PlaceStore {
  const database = openDataFile(file, PLACES_FILE, warn)
  const select = database.prepare('SELECT text FROM places WHERE key = ?')
  const upsert = database.prepare(
    'INSERT INTO places VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET text = ?2, ends_at = ?3',
  )
  const removeEnded = database.prepare('DELETE FROM places WHERE ends_at <= ?')
  let usableAtMs = 0

  function run<T>(work: () => T): T {
    if (performance.now() < usableAtMs) throw new Error('The file of screens has failed')
    try {
      return work()
    } catch (error) {
      usableAtMs = performance.now() + PAUSE_MS
      warn(`LIMITS_STORE_URL: the file of screens fails (${error}), so ${WITHOUT_PLACES}, for a minute.`)
      throw error
    }
  }
  function pruneEnded(): void {
    try {
      run(() => removeEnded.run(Math.floor(Date.now() / 1000)))
    } catch {
      // Logged, or in the minute after a fault.
    }
  }
  const timer = setInterval(pruneEnded, PRUNE_EVERY_MS).unref()
  return {
    claim: (key, claim) =>
      run(() => {
        const { result, text } = claimPlace(String(select.get(key)?.text ?? ''), claim)
        // The newest place ends last, but for a shorter lifetime in changed settings.
        if (text !== null) upsert.run(key, text, claim.endsAtSeconds)
        return result
      }),
    optionalStores: [{ setting: 'LIMITS_STORE_URL', isAvailable: () => performance.now() >= usableAtMs }],
    close() {
      clearInterval(timer)
      if (database.isOpen) database.close()
    },
  }
}
