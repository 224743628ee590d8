import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, beforeEach } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { inOneHour, makeResponse } from './tiny-login-app.ts'

export const SECRET = '5e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b'

/** Seeded contents: two with a lock, one that inherits the lock of channel 1001, one without a lock. */
export const LOCKED_CHANNEL = { content_type: 'live', content_id: '1001' } as const
export const LOCKED_VIDEO = { content_type: 'recorded', content_id: '2001' } as const
export const INHERITING_VIDEO = { content_type: 'recorded', content_id: '2002' } as const
export const OPEN_CHANNEL = { content_type: 'live', content_id: '1002' } as const

export type Service = Awaited<ReturnType<typeof startService>>

/** Starts an emulator on a new data file. */
export async function startService(options: Partial<EmulatorOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'emulator-'))
  const dataFile = join(folder, 'emulator.db')
  const seed = { lock: { url: 'http://localhost:9/login?tenant=a%20b', secret: SECRET } }
  const emulator = await startEmulator({ port: 0, dataFile, seed, ...options })
  const database = new DatabaseSync(dataFile)
  database.exec('PRAGMA busy_timeout = 5000; CREATE TEMP TABLE seeded_locks AS SELECT * FROM locks')
  const request = (path: string, init?: RequestInit) => fetch(emulator.url + path, { redirect: 'manual', ...init })
  return {
    emulator,
    /** A second connection to the data of the emulator. */
    database,
    request,
    post: (path: string, body: unknown) =>
      request(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    /** Restores the seeded locks, and deletes what viewers did. Much faster than a new service. */
    clear() {
      database.exec(`
        DELETE FROM locks; INSERT INTO locks SELECT * FROM seeded_locks;
        DELETE FROM playbacks; DELETE FROM watched_segments;
        DELETE FROM messages; DELETE FROM sqlite_sequence WHERE name = 'messages'`)
    },
    async close() {
      database.close()
      await emulator.close()
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * Starts a service for all tests of a file. Each test begins with the seeded data, at the present time.
 * @returns `clock.seconds`, the time of the service, which a test may change.
 */
export function serviceForFile() {
  const clock = { seconds: 0 }
  const service = {} as Service
  beforeAll(async () => {
    Object.assign(service, await startService({ nowSeconds: () => clock.seconds }))
    return () => service.close()
  })
  beforeEach(() => {
    clock.seconds = Math.floor(Date.now() / 1000)
    service.clear()
  })
  return { service, clock }
}

export function goodResponse(secret = SECRET, expiresAtSeconds = inOneHour()): string {
  return makeResponse([['user', 'ada@example.com']], expiresAtSeconds, secret)
}

export interface Opened {
  valid: boolean
  viewer: string | null
  expires_at: number | null
  playback: string
  playback_seconds: number
  media_url: string
}

/** Returns the answer of the validation endpoint. */
export async function validate(
  service: Service,
  content: { content_type: string; content_id: string },
  response: string | null,
): Promise<Opened> {
  const answer = await service.post('/embed/hashlock/validate', { ...content, response })
  return (await answer.json()) as Opened
}
