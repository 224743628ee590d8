import { ConfigError } from '../errors.ts'
import { endAllSessions, endSessions, readSessions } from '../sessions/session-file.ts'
import { openMemoryCounter } from '../sign-in-limits/memory-counters.ts'
import type { StoredSessions, StoreKind } from './store-kind.ts'
import { type VisitedSessions, visitFile } from './who-is-in/all-sessions.ts'

/** The address of a file: `sqlite:FILE`. */
export const FILE_FORM = /^sqlite:(?!\/\/|:)(.+)$/
const IN_MEMORY =
  'LIMITS_STORE_URL is memory:, so failed sign-ins are counted in the memory of the app, which no command can reach. ' +
  'Restart the app to reset them all, or count in a file or a shared store. The longest wait is a day from the first failure.'

/** Sessions in a file of one machine. */
export const sqliteStore: StoreKind<{ readonly kind: 'sqlite'; readonly file: string }> = {
  kind: 'sqlite',
  urlForm: 'sqlite:FILE',
  isUrl: (url) => FILE_FORM.test(url),
  at: (url) => ({ kind: 'sqlite', file: FILE_FORM.exec(url)?.[1] ?? '' }),
  sessions: ({ file }) => sessionsIn(file),
}

function sessionsIn(file: string): StoredSessions & VisitedSessions {
  return {
    async open(limits, { nowSeconds, log }) {
      const { openSqliteSessionStore } = await import('../sessions/sqlite-store.ts')
      const sessionStore = openSqliteSessionStore(file, limits, nowSeconds, (message) => log.warn(message))
      return { sessionStore, optionalStores: [sessionStore] }
    },
    end: async (usernames, haveIdentity) => endSessions(file, usernames, haveIdentity),
    endAll: async () => endAllSessions(file),
    list: async (username) => readSessions(file, username),
    visitAll: (visit) => visitFile(file, visit),
  }
}

/** Failed sign-ins in the memory of one copy of the app. */
export const memoryStore: StoreKind = {
  kind: 'memory',
  urlForm: 'memory:',
  isUrl: (url) => url === 'memory:',
  at: () => ({ kind: 'memory' }),
  counts: () => ({
    open: async () => ({ openCounter: openMemoryCounter, optionalStores: [], close: () => {} }),
    unlock: () => Promise.reject(new ConfigError(IN_MEMORY)),
    failedSignIns: async () => null,
  }),
}
