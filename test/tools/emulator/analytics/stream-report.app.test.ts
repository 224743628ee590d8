import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ReportQuestion } from '../../../../src/tools/emulator/analytics/reports/report-question.ts'
import { openReports, type StreamReport } from '../../../../src/tools/emulator/analytics/reports/stream-report.ts'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'
import { type AnalyticsServer, openAnalyticsDatabase, startAnalytics } from './analytics-server.ts'
import { sampleSegment, storeSegments } from './sample-segments.ts'

const MANY = 4_000
const PAGE = 3_000
const START = Date.parse('2026-03-10T00:00:00Z') / 1000
const views: ReportQuestion = {
  report: { kind: 'views', insideOnly: false },
  selection: { ownerId: 1, contentType: null, contentIds: null, fromSeconds: 0, toSeconds: 2e9, finishedOnly: false },
  nowSeconds: START,
  timeZone: '+00:00',
  page: { number: 1, limit: PAGE },
  link: { path: '/v1/views', parameters: [] },
}

let template: string
let folder: string
let database: ReturnType<typeof openAnalyticsDatabase>
let streamReport: StreamReport

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'analytics-template-'))
  const made = openAnalyticsDatabase(join(template, 'emulator.db'))
  made.exec('BEGIN')
  storeSegments(
    made,
    Array.from({ length: MANY }, (_, second) => {
      const at = new Date((START + second) * 1000).toISOString()
      return sampleSegment(at, at)
    }),
  )
  made.exec('COMMIT')
  made.close()
  return () => rmSync(template, { recursive: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'analytics-'))
  copyFileSync(join(template, 'emulator.db'), join(folder, 'emulator.db'))
  database = openDatabase(join(folder, 'emulator.db'), [])
  streamReport = openReports(database)
})
afterEach(() => {
  if (database.isOpen) database.close()
  rmSync(folder, { recursive: true })
})

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function whole(question: ReportQuestion) {
  return JSON.parse((await bytesOf(streamReport(question))).toString())
}

describe('reports on a file', () => {
  test('a report lets other work run between its steps', async () => {
    let turns = 0
    const count = () => {
      turns += 1
      timer = globalThis.setImmediate(count)
    }
    let timer = globalThis.setImmediate(count)
    const { data } = await whole({ ...views, report: { kind: 'series', metric: 'total-views', dimension: 'summary' } })
    clearImmediate(timer)
    expect(data[0].attributes.value).toBe(MANY)
    expect(turns).toBeGreaterThanOrEqual(2)
  })
  test('a page of 3,000 rows comes in chunks of 32 kB', async () => {
    const answer = streamReport(views)
    const first = await answer.next()
    expect(first.value?.length).toBeGreaterThan(30_000)
    expect(first.value?.length).toBeLessThan(40_000)
    let chunks = 1
    for await (const chunk of answer) {
      chunks += 1
      expect(chunk.length).toBeLessThan(40_000)
    }
    expect(chunks).toBeGreaterThan(30)
  })
  test('a report does not show changes made after its start', async () => {
    const answer = streamReport(views)
    const first = (await answer.next()).value ?? new Uint8Array()
    database.exec('DELETE FROM segments')
    const body = Buffer.concat([first, await bytesOf(answer)]).toString()
    expect(JSON.parse(body).data).toHaveLength(PAGE)
    expect((await whole(views)).pagination.count).toBe(0)
  })
  test('a cancelled report closes its connection to the file', async () => {
    const answer = streamReport(views)
    await answer.next()
    await answer.return()
    await whole({ ...views, page: { number: 1, limit: 1 } })
    // An open read transaction would keep SQLite from emptying its log.
    expect(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 })
  })
})

describe('over HTTP', () => {
  let server: AnalyticsServer
  beforeEach(async () => {
    server = await startAnalytics(database)
  })
  afterEach(() => server.close())

  const path = '/views?date_time_from=2026-03-10T00:00:00Z&date_time_to=2026-03-11T00:00:00Z&_limit=3000'
  test('a report that fails before its first byte is a 500 without internals', async () => {
    database.exec('DROP INDEX segments_by_start')
    const { status, headers, body } = await server.get(path)
    expect(status).toBe(500)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body).toMatchObject({ errors: [{ parameter: 'path', in: 'path', message: 'The report failed' }] })
    expect(String(server.faults[0])).toContain('segments_by_start')
  })
})

test('a report waits for a slow client, and ends when the client closes the connection', async () => {
  let made = 0
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const server = await startAnalytics(openAnalyticsDatabase(), async function* () {
    try {
      for (; made < 1_000_000; made += 1) yield await Promise.resolve(new Uint8Array(32_768))
    } finally {
      end()
    }
  })
  const sent = get(`${server.url}/viewers`, { headers: { authorization: 'owner-1' } })
  const [response] = await once(sent, 'response')
  let before: number
  do {
    before = made
    for (let turn = 0; turn < 200; turn += 1) await setImmediate()
  } while (made > before && made < 10_000)
  // The sockets of both sides hold some of the 32 GB.
  expect(made).toBeLessThan(10_000)
  response.destroy()
  await ended
  await server.close()
})
