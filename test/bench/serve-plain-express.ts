import { createServer } from 'node:http'
import session from 'express-session'
import { type PlainSettings, plainExpress } from './plain-express.ts'
import { sayStarted } from './report-usage.ts'
import { readSessionList } from './session-list.ts'

/** Arguments: the settings as JSON, and the list of sessions. */
const [settings = '', sessionList = ''] = process.argv.slice(2)
const store = new session.MemoryStore()
for (const { id, data } of readSessionList(sessionList)) store.set(id, data)
const server = createServer(plainExpress(JSON.parse(settings) as PlainSettings, store))
server.listen(0, '127.0.0.1', () => sayStarted(server))
