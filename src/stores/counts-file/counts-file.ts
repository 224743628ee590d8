import { existsSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'
import { openSqlite } from '../../server/sqlite-file.ts'
import { type DataFile, openDataFile } from '../../sessions/sqlite-file.ts'
import { type OpenCounter, openMemoryCounter } from '../../sign-in-limits/memory-counters.ts'
import type { StoredCounts } from '../store-kind.ts'
import { eachStep } from '../stored-counts/each-step.ts'
import { type CountsInStore, failuresIn, unlock } from '../stored-counts/stored-counts.ts'
import { countersIn } from './file-counters.ts'

const COUNTS_FILE: DataFile = {
  label: 'LIMITS_STORE_URL: the file of failed sign-ins',
  loss: 'earlier failures are then forgotten',
  prepare(database, label) {
    const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {}
    if (version !== 0) throw new ConfigError(`${label} is the file of viewers or sessions.`)
  },
}
const IN_MEMORY = 'The app counts failed sign-ins in memory'
const PAUSE_MS = 60_000
/** Longer than in the app, because no viewer waits for a command. */
const COMMAND_TIMEOUT_MS = 15_000

/**
 * Counts in a file of `node:sqlite`, so that a restart forgets nothing, and commands reach the counts. No fault of the
 * file stops a sign-in: the app then counts in memory, for a minute or, after a fault at the start, until a restart.
 * @param warn called with each fault.
 */
export function openCountsFile(file: string, warn: (message: string) => void) {
  try {
    return openFile(file, warn)
  } catch (error) {
    warn(`${(error as Error).message} ${IN_MEMORY} until a restart.`)
    return { openCounter: openMemoryCounter, close: () => {} }
  }
}

function openFile(file: string, warn: (message: string) => void) {
  const database = openDataFile(file, COUNTS_FILE, warn)
  const inFile = countersIn(database)
  let usableAtMs = 0
  const openCounter: OpenCounter = (...given) => {
    const first = inFile(...given)
    const inMemory = openMemoryCounter(...given)
    return eachStep(async (_key, step) => {
      // A full disk still returns old counts. Reading these and counting in memory would reach no limit.
      if (performance.now() < usableAtMs) return await step(inMemory)
      try {
        return await step(first)
      } catch (error) {
        warn(`LIMITS_STORE_URL: the file fails (${error}). ${IN_MEMORY} for a minute.`)
        usableAtMs = performance.now() + PAUSE_MS
        return await step(inMemory)
      }
    })
  }
  return { openCounter, close: () => (database.isOpen ? database.close() : undefined) }
}

/** The counts in a file, for the app and for commands while it runs. */
export function countsInFile(file: string): StoredCounts {
  return {
    open: ({ log }) => Promise.resolve({ ...openCountsFile(file, (text) => log.warn(text)), optionalStores: [] }),
    unlock: (target) => withFile(file, { viewer: false, address: false }, (counts) => unlock(counts, target)),
    failedSignIns: (username) =>
      withFile(file, { count: 0, lockedSeconds: 0, addresses: [] }, (counts) => failuresIn(counts, username)),
  }
}

/** @param missing the result for a file that does not exist. */
async function withFile<T>(file: string, missing: T, work: (counts: CountsInStore) => Promise<T>): Promise<T> {
  if (!existsSync(file)) return missing
  try {
    using database = openSqlite(file, { timeoutMs: COMMAND_TIMEOUT_MS, pragmas: 'PRAGMA synchronous = NORMAL' })
    const keys = async (name: string, prefix: string) => {
      // Creates the table if it is missing: the app creates it with its first count.
      countersIn(database)(name, 1)
      const select = database.prepare(`SELECT key FROM ${JSON.stringify(name)} WHERE substr(key, 1, ?) = ?`)
      return await Promise.resolve(select.all(prefix.length, prefix).map(({ key }) => String(key)))
    }
    return await work({ openCounter: countersIn(database), keys })
  } catch (cause) {
    throw new ConfigError(`LIMITS_STORE_URL: ${file} cannot be used (${(cause as Error).message}).`, { cause })
  }
}
