import { redisStore } from './redis/kind.ts'
import { countsFile } from './stores/counts-file/kind.ts'
import { memoryStore, sqliteStore } from './stores/local-stores.ts'
import { storeList } from './stores/store-list.ts'

/** The stores that SESSION_STORE_URL and LIMITS_STORE_URL can choose. */
// biome-ignore format: a store is one line, so that it can be removed
export const stores = storeList([
  sqliteStore, // sqlite:FILE, for sessions
  countsFile, // sqlite:FILE, for limits
  memoryStore, // memory:, for limits
  redisStore, // redis://…
])
