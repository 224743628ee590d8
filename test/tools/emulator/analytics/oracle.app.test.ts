import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openSegmentWriter,
  type StoredSegment,
} from '../../../../src/tools/emulator/analytics/segments/segment-writer.ts'
import { type AnalyticsServer, startAnalytics } from './analytics-server.ts'
import { askOracle } from './oracle.ts'
import { BASE_SECONDS, closeMoment, crowd, moment, segmentList } from './random-segments.ts'

let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
})
afterAll(() => server.close())

/** Runs per endpoint. */
const RUNS = Number(process.env.ANALYTICS_ORACLE_RUNS ?? 10)

const DIMENSIONS = ['summary', 'month', 'day', 'hour', 'location', 'device', 'view-source']
const ENDPOINTS = [
  ...['/viewers', '/views', '/peak-viewer-numbers'].flatMap((path) => [path, `${path}/live`, `${path}/recorded`]),
  ...['/total-views', '/unique-devices', '/authenticated-viewers'].flatMap((path) =>
    ['', '/live', '/recorded'].flatMap((type) => DIMENSIONS.map((dimension) => `${path}${type}/${dimension}`)),
  ),
]

/** Offsets in which a moment is written; an empty offset is Los Angeles time. */
const spelling = fc.constantFrom('Z', '+00:00', '+02:00', '-03:30', '+05:45', '')
const time = fc.tuple(moment, spelling).map(([seconds, offset]) => spell(seconds, offset))
function spell(seconds: number, offset: string): string {
  const zone = offset === '' ? 'America/Los_Angeles' : offset.replace('Z', '+00:00')
  const local = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
  return local.toString({ smallestUnit: 'second' }) + offset
}

const flag = fc.option(fc.constantFrom('true', 'false'), { nil: undefined })
const query = fc.record({
  range: fc.tuple(time, time),
  list_unfinished_segments: flag,
  inclusive_range: flag,
  viewer_identifier: fc.option(fc.constantFrom('', 'a', 'A', 'da', '%', '_', "'", 'ë', '葵', '@example', 'none'), {
    nil: undefined,
  }),
  content_id: fc.option(fc.constantFrom('11', '12,11', '21', '22,21,22', '13', '99'), { nil: undefined }),
  granularity: fc.option(fc.constantFrom('hour', 'minute'), { nil: undefined }),
  openStart: fc.boolean(),
  openEnd: fc.boolean(),
  _page: fc.option(fc.constantFrom('1', '2', '3', '40'), { nil: undefined }),
  _limit: fc.option(fc.constantFrom('1', '2', '7', '10000'), { nil: undefined }),
})

function store(segments: readonly StoredSegment[]): void {
  const { database } = server
  for (const table of ['segments', 'segment_viewers', 'segment_clients', 'segment_view_sessions', 'segment_devices']) {
    database.exec(`DELETE FROM ${table}`)
  }
  const write = openSegmentWriter(database)
  for (const segment of segments) write(segment)
}

function secondsOf(text: string): number {
  const zone = /(Z|[+-]\d\d:\d\d)$/.exec(text)?.[0].replace('Z', '+00:00') ?? 'America/Los_Angeles'
  return Temporal.PlainDateTime.from(text.slice(0, 19)).toZonedDateTime(zone).epochMilliseconds
}

describe.each(ENDPOINTS)('%s', (path) => {
  test('the endpoint answers as the oracle does, for random segments and flags', async () => {
    const property = fc.asyncProperty(
      segmentList,
      query,
      fc.constantFrom(1, 2),
      moment,
      async (segments, { range, openStart, openEnd, ...flags }, ownerId, nowSeconds) => {
        const [earlier, later] = range.toSorted((a, b) => secondsOf(a) - secondsOf(b)) as [string, string]
        const isViewers = path.startsWith('/viewers')
        const sent = Object.fromEntries(
          Object.entries({
            ...flags,
            date_time_from: isViewers && openStart ? undefined : earlier,
            date_time_to: isViewers && openEnd ? undefined : later,
          }).filter((entry): entry is [string, string] => entry[1] !== undefined),
        )
        store(segments)
        server.setNow(nowSeconds)
        const { status, body } = await server.get(`${path}?${new URLSearchParams(sent)}`, { token: `owner-${ownerId}` })
        expect(status).toBe(200)
        const { all } = askOracle(segments, { path, ownerId, nowSeconds, query: sent })
        const [page, limit] = [Number(sent._page ?? 1), Number(sent._limit ?? 10)]
        expect(body.pagination.count).toBe(all.length)
        expect(body.data).toEqual(all.slice((page - 1) * limit, page * limit))
      },
    )
    await fc.assert(property, { numRuns: RUNS })
  })
})

test.each(['hour', 'minute'])(
  'peaks by %s of many overlapping segments are the peaks of the oracle',
  async (granularity) => {
    const property = fc.asyncProperty(
      crowd,
      fc.tuple(closeMoment, closeMoment),
      closeMoment,
      async (segments, ends, now) => {
        const [from, to] = ends.toSorted((a, b) => a - b).map((seconds) => spell(seconds, 'Z')) as [string, string]
        const query = { date_time_from: from, date_time_to: to, granularity, _limit: '10000' }
        const path = '/peak-viewer-numbers'
        store(segments)
        server.setNow(now)
        const { body } = await server.get(`${path}?${new URLSearchParams(query)}`)
        expect(body.data).toEqual(askOracle(segments, { path, ownerId: 1, nowSeconds: now, query }).all)
      },
    )
    await fc.assert(property, { numRuns: RUNS * 10 })
  },
)

test('the random times include the hour that comes twice in Los Angeles', () => {
  const zoned = Temporal.Instant.fromEpochMilliseconds(BASE_SECONDS * 1000).toZonedDateTimeISO('America/Los_Angeles')
  expect(zoned.add({ days: 1 }).hoursInDay).toBe(25)
  expect(zoned.add({ hours: 40 }).offset).toBe('-08:00')
})
