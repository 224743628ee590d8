import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { generateSegments } from '../../../../src/tools/emulator/analytics/demo-views/generate-segments.ts'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'

const NOW = Date.UTC(2026, 10, 20, 15) / 1000
const RANGE = 'date_time_from=2026-01-01T00:00:00Z&date_time_to=2026-12-31T00:00:00Z'

let now = NOW
let folder: string
let emulator: RunningEmulator
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emulator-analytics-'))
  const dataFile = join(folder, 'emulator.db')
  emulator = await startEmulator({ port: 0, dataFile, nowSeconds: () => now })
  const database = openDatabase(dataFile)
  generateSegments(database, { count: 700, seed: 1, nowSeconds: NOW })
  database.close()
})
beforeEach(() => {
  now = NOW
})
afterAll(async () => {
  await emulator.close()
  rmSync(folder, { recursive: true })
})

async function tokenOf(owner: string, tokenType: string): Promise<string> {
  const client = emulator.seed.clients.find((one) => one.owner === owner)
  const response = await fetch(`${emulator.url}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client?.client_id}:${client?.client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client?.client_id ?? '',
      token_type: tokenType,
    }),
  })
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token
}

async function count(authorization: string): Promise<number> {
  const response = await fetch(`${emulator.url}/v1/total-views/summary?${RANGE}`, { headers: { authorization } })
  expect(response.status).toBe(200)
  const Summary = z.object({ data: z.tuple([z.object({ attributes: z.object({ value: z.number() }) })]) })
  return Summary.parse(await response.json()).data[0].attributes.value
}

test('a token with token_type=jwt opens the reports on content of its owner', async () => {
  const [studio, newsroom] = await Promise.all([tokenOf('studio', 'jwt'), tokenOf('newsroom', 'jwt')])
  const counts = [await count(studio), await count(newsroom)] as const
  expect(counts[0] + counts[1]).toBe(700)
  expect(Math.min(...counts)).toBeGreaterThan(0)
})
