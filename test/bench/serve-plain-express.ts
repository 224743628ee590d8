import { createServer } from 'node:http'
import session from 'express-session'
import { plainDuties } from './plain-duties.ts'
import { type PlainDuties, type PlainSettings, plainExpress } from './plain-express.ts'
import { sayStarted } from './report-usage.ts'
import { readSessionList } from './session-list.ts'

/** Arguments: the settings as JSON, the list of sessions, and a file for the duties of the login app; none without it. */
const [settings = '', sessionList = '', file] = process.argv.slice(2)
const sessions = readSessionList(sessionList)
const duties = file === undefined ? noDuties() : plainDuties(file, sessions)
const server = createServer(plainExpress(JSON.parse(settings) as PlainSettings, duties))
server.listen(0, '127.0.0.1', () => sayStarted(server))

/** Sessions in memory, no look-up, no log. */
function noDuties(): PlainDuties {
  const store = new session.MemoryStore()
  for (const { id, data } of sessions) store.set(id, data)
  return { store, findViewer: (username) => ({ username }), logSignIn: () => {} }
}
