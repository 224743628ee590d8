import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { oauthRoutes } from '../../../../src/tools/emulator/oauth/routes.ts'
import { restRoutes } from '../../../../src/tools/emulator/rest/routes.ts'
import { SERVICE_FEATURES } from '../../../../src/tools/emulator/service-features.ts'
import { openRoomDatabase } from './room-database.ts'

const START = 1_800_000_000

export type RoomApp = Awaited<ReturnType<typeof startRoomApp>>

/** Serves the authorization server and the REST API over HTTP. */
export async function startRoomApp(database: DatabaseSync = openRoomDatabase()) {
  let now = START
  let last: express.Response | undefined
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const app = express()
  app.set('query parser', 'simple')
  app.set('etag', false)
  app.disable('x-powered-by')
  app.use((_req, res, next) => {
    last = res
    next()
  })
  const deps = { database, nowSeconds: () => now, publicUrl: url }
  app.use(oauthRoutes(deps))
  const features = SERVICE_FEATURES.map((feature) => feature.open({ ...deps, keyBits: 2048 }))
  app.use(restRoutes({ ...deps, features }))
  server.on('request', app)
  return {
    url,
    database,
    /** The explanation of the last response, for the request log. */
    explanation: (): string | undefined => last?.locals.explanation,
    setClock(seconds: number) {
      now = seconds
    },
    nowSeconds: () => now,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
      database.close()
    },
  }
}

/** One app for all tests of a file; every test starts at the same time. */
export function roomAppForFile(): RoomApp {
  let app: RoomApp
  beforeAll(async () => {
    app = await startRoomApp()
  })
  beforeEach(() => app.setClock(START))
  afterAll(() => app.close())
  return {
    get url() {
      return app.url
    },
    get database() {
      return app.database
    },
    explanation: () => app.explanation(),
    setClock: (seconds) => app.setClock(seconds),
    nowSeconds: () => app.nowSeconds(),
    close: () => app.close(),
  }
}
