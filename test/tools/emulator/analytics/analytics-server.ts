import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { analyticsRoutes } from '../../../../src/tools/emulator/analytics/routes.ts'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape of the body
  readonly body: any
}

export type AnalyticsServer = Awaited<ReturnType<typeof startAnalytics>>

/** Two owners: 1 has channels 11 and 12 and videos 21 and 22; 2 has channel 13 and video 23. */
export const OWNED = [
  { ownerId: 1, contentType: 'live', contentId: 11 },
  { ownerId: 1, contentType: 'live', contentId: 12 },
  { ownerId: 1, contentType: 'recorded', contentId: 21 },
  { ownerId: 1, contentType: 'recorded', contentId: 22 },
  { ownerId: 2, contentType: 'live', contentId: 13 },
  { ownerId: 2, contentType: 'recorded', contentId: 23 },
] as const

export function openAnalyticsDatabase(file = ':memory:'): DatabaseSync {
  const database = openDatabase(file)
  database.exec(`
    INSERT INTO users (id, username, password_hash, created_at_seconds) VALUES (1, 'studio', '-', 0), (2, 'newsroom', '-', 0);
    INSERT INTO channels (id, title, url, owner_id, created_at_seconds)
      VALUES (11, 'a', 'a', 1, 0), (12, 'b', 'b', 1, 0), (13, 'c', 'c', 2, 0);
    INSERT INTO videos (id, title, channel_id, owner_id, created_at_seconds)
      VALUES (21, 'd', 11, 1, 0), (22, 'e', 12, 1, 0), (23, 'f', 13, 2, 0);
    INSERT INTO locks (content_type, content_id, url, secret) VALUES ('live', 11, 'http://localhost/', 'secret')`)
  return database
}

/** Starts the routes of the API. The tokens "owner-1" and "owner-2" are valid. */
export async function startAnalytics(database = openAnalyticsDatabase()) {
  let nowSeconds = 0
  const faults: unknown[] = []
  const app = express()
  app.disable('x-powered-by')
  app.use(
    '/v1',
    analyticsRoutes({
      database,
      nowSeconds: () => nowSeconds,
      publicUrl: 'http://localhost',
      onError: (error) => faults.push(error),
      verifyToken: (header) => {
        const [, owner] = /^owner-(\d)$/.exec(header ?? '') ?? []
        return owner === undefined
          ? { ok: false, reason: 'The token is not valid' }
          : { ok: true, ownerId: Number(owner) }
      },
    }),
  )
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    database,
    url,
    faults,
    setNow(seconds: number) {
      nowSeconds = seconds
    },
    /** Sends a GET below /v1. */
    async get(
      path: string,
      { token = 'owner-1', ...init }: RequestInit & { token?: string | null } = {},
    ): Promise<Answer> {
      const response = await fetch(`${url}${path}`, {
        ...init,
        headers: { ...(token !== null && { authorization: token }), ...init.headers },
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      database.close()
    },
  }
}
