import { expect, test } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { createTokenCache, requestToken } from '../../../../src/tools/video-service/access-token.ts'
import { pages } from '../../../../src/tools/video-service/analytics.ts'
import { DIMENSIONS, type Question } from '../../../../src/tools/video-service/report-question.ts'
import type { RowOf } from '../../../../src/tools/video-service/report-rows.ts'
import { addFault, emulatorOfTest, nowSeconds, send, settingsFor } from '../../video-service/client.ts'

const period = (() => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, '+00:00')
  return { from: at(-90), to: at(1) }
})()

function depsFor(emulator: RunningEmulator) {
  const settings = settingsFor(emulator)
  const question = { grant: 'client_credentials', type: 'jwt' } as const
  const obtain = () => requestToken({ settings, send, nowSeconds }, question)
  return { settings, send, token: createTokenCache(obtain, nowSeconds) }
}

async function rowsOf<Q extends Question>(emulator: RunningEmulator, question: Q) {
  const rows: RowOf<Q>[] = []
  for await (const page of pages(depsFor(emulator), question)) rows.push(...page.rows)
  return rows
}

test('every report endpoint answers in the documented format', async () => {
  const emulator = await emulatorOfTest(300)
  const questions: Question[] = [
    { report: 'viewers' },
    { report: 'viewers', period, viewerIdentifier: 'a', listUnfinishedSegments: false, contentType: 'live' },
    { report: 'views', period, inclusiveRange: false, listUnfinishedSegments: true },
    { report: 'views', period, contentType: 'recorded', contentIds: ['2001', '2002'] },
    { report: 'peak-viewer-numbers', period, granularity: 'hour' },
    { report: 'peak-viewer-numbers', period, granularity: 'hour', contentType: 'live', contentIds: ['1001'] },
  ]
  for (const report of ['total-views', 'unique-devices', 'authenticated-viewers'] as const) {
    for (const dimension of ['summary', ...DIMENSIONS] as const) {
      questions.push({ report, period, dimension }, { report, period, dimension, contentType: 'recorded' })
    }
  }
  const counts = await Promise.all(questions.map(async (question) => (await rowsOf(emulator, question)).length))
  expect(counts.slice(0, 1)).not.toContain(0)
  expect(Math.max(...counts)).toBeGreaterThan(10)
})

test('a report of several pages has every row once', async () => {
  const emulator = await emulatorOfTest(2_600)
  const rows = await rowsOf(emulator, { report: 'views', period })
  expect(rows.length).toBeGreaterThan(2_000)
  expect(new Set(rows.map(({ view_id: id }) => id)).size).toBe(rows.length)
})

test('a refused report gives the reason of the service', async () => {
  const emulator = await emulatorOfTest()
  const question = { report: 'views', period: { from: 'yesterday', to: period.to } } as const
  await expect(rowsOf(emulator, question)).rejects.toMatchObject({
    name: 'ServiceRefusal',
    error: 'bad_request',
    status: 400,
    description: expect.stringContaining('date_time_from'),
  })
})

test('a report is retried twice after a 503', async () => {
  const emulator = await emulatorOfTest(10)
  const question = { report: 'total-views', period, dimension: 'summary' } as const
  await addFault(emulator, { path: '/v1/*', status: 503, count: 2 })
  expect(await rowsOf(emulator, question)).toHaveLength(1)
  await addFault(emulator, { path: '/v1/*', status: 503, count: 3 })
  await expect(rowsOf(emulator, question)).rejects.toMatchObject({ error: 'server_error', status: 503 })
})
