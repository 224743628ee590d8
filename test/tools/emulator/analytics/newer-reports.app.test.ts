import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnalyticsServer, startAnalytics } from './analytics-server.ts'
import { sampleSegment, storeSegments } from './sample-segments.ts'

/** Reports that the analytics document does not have, and newer pages of the service do. */
let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
  server.setNow(Date.parse('2026-05-01T00:00:00Z') / 1000)
  storeSegments(server.database, [
    sampleSegment('2026-03-07T23:30:00Z', '2026-03-08T00:30:00Z', { viewSessionId: 'a' }),
    sampleSegment('2026-03-08T00:10:00Z', '2026-03-08T00:20:00Z', { viewSessionId: 'b', city: 'Munich' }),
    sampleSegment('2026-03-08T00:15:00Z', '2026-03-08T00:25:00Z', { viewSessionId: 'b' }),
    sampleSegment('2026-04-02T10:00:00Z', '2026-04-02T10:00:30Z', { contentId: 12, country: 'France', city: 'Paris' }),
  ])
})
afterAll(() => server.close())

const rowsOf = async (path: string, zone = '%2B00:00') => {
  const range = `date_time_from=2026-03-01T00:00:00${zone}&date_time_to=2026-04-30T00:00:00${zone}`
  const { status, body } = await server.get(`${path}${path.includes('?') ? '&' : '?'}${range}`)
  expect(status).toBe(200)
  return body.data as { type: string; attributes: { content_id: number; time: string; value: number } }[]
}

test.each([
  [
    'day',
    '%2B00:00',
    ['11 2026-03-07T00:00:00+00:00 1800', '11 2026-03-08T00:00:00+00:00 2700', '12 2026-04-02T00:00:00+00:00 30'],
  ],
  ['month', '%2B00:00', ['11 2026-03-01T00:00:00+00:00 4500', '12 2026-04-01T00:00:00+00:00 30']],
  ['hour', '%2B05:30', ['11 2026-03-08T05:00:00+05:30 4500', '12 2026-04-02T15:00:00+05:30 30']],
  // Los Angeles: the clocks change on 8 March.
  ['day', '', ['11 2026-03-07T00:00:00-08:00 4500', '12 2026-04-02T00:00:00-07:00 30']],
])('viewer seconds by %s in the zone "%s" add up the time of all sessions', async (unit, zone, expected) => {
  const rows = await rowsOf(`/viewer-seconds/live?granularity=${unit}`, zone)
  expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['ViewerSecondSeries']))
  const lines = rows.map(({ attributes: { content_id, time, value } }) => `${content_id} ${time} ${value}`)
  expect(lines).toEqual(expected)
})

test('viewer seconds of each minute add up to those of the month', async () => {
  const minutes = await rowsOf('/viewer-seconds?granularity=minute&_limit=10000')
  expect(minutes.length).toBeGreaterThan(60)
  expect(minutes.reduce((sum, { attributes }) => sum + attributes.value, 0)).toBe(4_530)
})

test('peaks have one number for each day and month', async () => {
  const valuesBy = async (unit: string) =>
    (await rowsOf(`/peak-viewer-numbers?granularity=${unit}`)).map(({ attributes }) => attributes.value)
  expect(await valuesBy('day')).toEqual([1, 2, 1])
  expect(await valuesBy('month')).toEqual([2, 1])
})

test('total views count by country and by region', async () => {
  const groupsBy = async (dimension: string) =>
    (await rowsOf(`/total-views/${dimension}`)).map(({ attributes }) => attributes)
  expect(await groupsBy('country')).toMatchObject([
    { dimension_type: 'country:Germany', value: 3 },
    { dimension_type: 'country:France', value: 1 },
  ])
  expect(await groupsBy('region')).toMatchObject([
    { dimension_type: 'region:Berlin', value: 2 },
    { dimension_type: 'region:Bavaria', value: 1 },
    { dimension_type: 'region:Île-de-France', value: 1 },
  ])
})
