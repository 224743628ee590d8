import { expect, onTestFinished, test } from 'vitest'
import { machineTimeZone } from '../../../../src/tools/cli/output/time-zone.ts'
import { localPieces, type SeriesQuestion } from '../../../../src/tools/cli/report/local-pieces.ts'
import { type LocalSeriesRow, localSeries } from '../../../../src/tools/cli/report/local-rows.ts'
import { tableCells } from '../../../../src/tools/cli/report/table/report-table.ts'
import type { OddFields } from '../../../../src/tools/video-service/analytics/report-rows.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { startReportService } from './report-service.ts'

const OVER_THE_CHANGE: SeriesQuestion = {
  report: 'total-views',
  dimension: 'day',
  period: { from: '2026-10-24T00:00:00+02:00', to: '2026-10-27T23:59:59+01:00' },
}

/** Returns the rows of a report from a service that always answers with these points. */
async function rowsFor(
  question: SeriesQuestion,
  zone: string,
  points: readonly string[],
  odd: OddFields = new Map(),
): Promise<LocalSeriesRow[]> {
  const given = points.map((point) => ({ dimension_type: 'day', point, value: 1 }))
  async function* ask() {
    yield await Promise.resolve({ rows: given, cursor: null, odd })
  }
  const rows: LocalSeriesRow[] = []
  for await (const page of localSeries(question, zone, ask)) rows.push(...page.rows)
  return rows
}

test('a period without a change of the clocks is one question with its offset', () => {
  expect(localPieces(OVER_THE_CHANGE, 'Africa/Lagos').map(({ question }) => question)).toEqual([OVER_THE_CHANGE])
})

test('a period that ends in the hour that comes twice is asked with its offsets', () => {
  const period = { from: '2026-10-30T00:00:00-07:00', to: '2026-11-01T01:30:00-08:00' }
  const pieces = localPieces({ ...OVER_THE_CHANGE, period }, 'America/Los_Angeles')
  expect(pieces.flatMap(({ question }) => [question.period.from, question.period.to])).toEqual([
    '2026-10-30T00:00:00-07:00',
    // A view that started before the period counts in its first day, so the first question goes to the end.
    '2026-11-01T02:30:00-07:00',
    '2026-10-31T23:59:59-07:00',
    '2026-11-01T02:30:00-07:00',
  ])
})

test('a service that counts by the days of another zone is refused across a change of the clocks', async () => {
  const points = ['2026-10-25T00:00:00+00:00', '2026-10-26T00:00:00+00:00']
  await expect(rowsFor(OVER_THE_CHANGE, 'Europe/Berlin', points)).rejects.toMatchObject({ name: 'UnexpectedAnswer' })
})

test.each([
  [
    'day',
    '2026-11-20',
    '2026-11-22',
    ['2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'],
    [true, false, false, true],
  ],
  ['month', '2026-11-01', '2026-12-31', ['2026-10-01', '2026-11-01', '2026-12-01'], [true, false, true]],
] as const)(
  'a point of another time zone by %s stays as sent, and is counted',
  async (dimension, from, to, days, parts) => {
    const period = { from: `${from}T00:00:00+01:00`, to: `${to}T23:59:59+01:00` }
    const points = days.map((day) => `${day}T00:00:00+00:00`)
    const odd: OddFields = new Map()
    const rows = await rowsFor({ ...OVER_THE_CHANGE, dimension, period }, 'Europe/Berlin', points, odd)
    expect(rows.map(({ point }) => point)).toEqual(points)
    expect(rows.map(({ is_partial }) => is_partial)).toEqual(parts)
    expect([...odd]).toEqual([[expect.stringMatching(/^point is not the start of a (day|month) /), points.length]])
  },
)

test('a point at the start of the period stays as sent, and is a part', async () => {
  const period = { from: '2026-11-20T10:00:00+01:00', to: '2026-11-20T22:59:59+01:00' }
  const odd: OddFields = new Map()
  const rows = await rowsFor({ ...OVER_THE_CHANGE, period }, 'Europe/Berlin', [period.from], odd)
  expect(rows).toMatchObject([{ point: period.from, is_partial: true }])
  expect(odd.size).toBe(0)
})

test('the first and the last day of a period are marked as parts if the period has only a part of them', async () => {
  const period = { from: '2026-11-20T10:00:00+01:00', to: '2026-11-22T22:59:59+01:00' }
  const points = ['2026-11-20T00:00:00+01:00', '2026-11-21T00:00:00+01:00', '2026-11-22T00:00:00+01:00']
  const rows = await rowsFor({ ...OVER_THE_CHANGE, period }, 'Europe/Berlin', points)
  expect(rows.map(({ point, is_partial }) => [point, is_partial])).toEqual(
    points.map((point, index) => [point, index !== 1]),
  )
})

test('a table marks parts of days, and days that also count running views, with words', () => {
  const look = { zone: 'Europe/Berlin', nowMs: 0, titles: new Map() }
  const row = { dimension_type: 'day', point: '2026-10-25T00:00:00+02:00', value: 1 }
  expect(tableCells({ ...row, is_partial: true }, look)[0]).toMatch(/ \(part\)$/)
  expect(tableCells({ ...row, has_running_views: true }, look)[0]).toMatch(/ \(with views running at its start\)$/)
})

test('a table is printed without fetching a page that it does not show', async () => {
  let requests = 0
  const data = Array.from({ length: 1_000 }, () => ({
    type: 'PeakSeries',
    attributes: { content_type: 'live', content_id: 1001, time: '2026-11-20T10:00:00Z', value: 1 },
  }))
  const env = await startReportService((req, res) => {
    if (req.url?.startsWith('/v1/')) requests += 1
    sendJson(res, { data, pagination: { next: { href: '/v1/peak-viewer-numbers?_page=2&_limit=1000' } } })
  })
  const { status, stdout, stderr } = await runHere(['report', 'peak-viewer-numbers'], { cwd: temporaryFolder(), env })
  expect([status, requests, stdout.trimEnd().split('\n').length]).toEqual([0, 1, 1_001])
  expect(stderr).toMatch(/^The first 1,000 rows\./)
})

test('the days of a report are those of the time zone of this machine', async () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  // Node has no name for the zone of an empty setting.
  process.env.TZ = ''
  expect(machineTimeZone()).toBe('UTC')
  process.env.TZ = 'Europe/Berlin'
  const asked: (string | null)[] = []
  const env = await startReportService((req, res) => {
    asked.push(new URL(req.url ?? '', 'http://localhost').searchParams.get('date_time_from'))
    sendJson(res, { data: [], pagination: { next: null } })
  })
  const args = ['report', 'total-views', '--by', 'day', '--from', '2026-10-24', '--to', '2026-10-27', '--json']
  expect((await runHere(args, { cwd: temporaryFolder(), env })).stdout).toBe('[]\n')
  expect(asked).toEqual(['2026-10-24T00:00:00+02:00', '2026-10-24T23:59:59+02:00', '2026-10-25T23:59:59+01:00'])
})
