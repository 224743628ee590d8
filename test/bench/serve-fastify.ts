import { readFileSync } from 'node:fs'
import cookie from '@fastify/cookie'
import fastifySession from '@fastify/session'
import ejs from 'ejs'
import fastify from 'fastify'
import { plainDuties } from './plain-duties.ts'
import { type PlainSettings, plainReturnAddress } from './plain-express.ts'
import { sayStarted } from './report-usage.ts'
import { readSessionList } from './session-list.ts'

declare module 'fastify' {
  interface Session {
    viewer?: { username: string }
  }
}

/** The same app by fastify, with the duties of the login app. Arguments: settings, list of sessions, file, headers. */
const [settingsJson = '', sessionList = '', file = '', headersJson = '{}'] = process.argv.slice(2)
const settings = JSON.parse(settingsJson) as PlainSettings
const headers = JSON.parse(headersJson) as Record<string, string>
const { store, findViewer, logSignIn } = plainDuties(file, readSessionList(sessionList))
const page = ejs.compile(readFileSync(new URL('plain-sign-in.ejs', import.meta.url), 'utf8'))

const app = fastify({ trustProxy: '127.0.0.1' })
await app.register(cookie)
await app.register(fastifySession, {
  secret: settings.sessionSecret,
  cookieName: 'connect.sid',
  cookiePrefix: 's:',
  cookie: { secure: true, sameSite: 'none', partitioned: true, maxAge: 28_800_000 },
  saveUninitialized: false,
  rolling: false,
  store: {
    get: (id, callback) => store.get(id, (error, data) => callback(error, data as never)),
    set: (id, data, callback) => store.set(id, data as never, callback),
    destroy: (id, callback) => store.destroy(id, callback),
  },
})
app.get('/', (req, reply) => {
  reply.headers(headers)
  const viewer = req.session.viewer && findViewer(req.session.viewer.username)
  if (!viewer)
    return reply.type('text/html; charset=utf-8').send(page({ title: 'Log in to watch', alert: null, username: '' }))
  // @fastify/session does not call touch.
  store.touch?.(req.session.sessionId, {} as never)
  logSignIn(viewer.username)
  return reply.redirect(plainReturnAddress(settings, viewer.username), 303)
})
app.listen({ port: 0, host: '127.0.0.1' }, () => sayStarted(app.server))
