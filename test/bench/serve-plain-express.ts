import { createServer } from 'node:http'
import session from 'express-session'
import { threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { plainDuties } from './plain-duties.ts'
import { type PlainDuties, type PlainSettings, plainExpress } from './plain-express.ts'
import { sayStarted } from './report-usage.ts'
import { readSessionList } from './session-list.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Arguments: the settings as JSON, the list of sessions, a file for the duties of the login app (none without it), and
 * the hash of the password of all viewers of the installation.
 */
const [settings = '', sessionList = '', file, passwordHash = ''] = process.argv.slice(2)
const sessions = readSessionList(sessionList)
const duties = file === undefined ? noDuties() : plainDuties(file, sessions, passwordHash)
const server = createServer(plainExpress(JSON.parse(settings) as PlainSettings, duties))
server.listen(0, '127.0.0.1', () => sayStarted(server))

/** Sessions in memory, no look-up, no log. */
function noDuties(): PlainDuties {
  const store = new session.MemoryStore()
  for (const { id, data } of sessions) store.set(id, data)
  return { store, findViewer: (username) => ({ username }), passwordHashOf: () => null, logSignIn: () => {} }
}
