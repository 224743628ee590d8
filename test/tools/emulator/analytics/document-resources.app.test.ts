import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeDevice } from '../../../../src/tools/emulator/analytics/segments/device.ts'
import { type AnalyticsServer, startAnalytics } from './analytics-server.ts'
import { IPHONE, sampleSegment, storeSegments } from './sample-segments.ts'

/** The rows of "What the service does" and "Resources and their fields" of the analytics document. */
let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
})
afterAll(() => server.close())

const DAY = 'date_time_from=2026-03-10T00:00:00Z&date_time_to=2026-03-10T23:59:59Z'
const VIDEO = { contentType: 'recorded', contentId: 21, fromSeconds: 30, toSeconds: 90 } as const
const phone = describeDevice(IPHONE)

const live = sampleSegment('2026-03-10T10:00:00Z', '2026-03-10T10:05:00Z')
const video = sampleSegment('2026-03-10T11:00:00Z', '2026-03-10T11:01:00Z', {
  ...VIDEO,
  viewType: 'offsite',
  country: 'Japan',
  city: 'Tokyo',
  clientId: 'c11e0000-0000-4000-8000-000000000002',
  deviceInfo: phone.info,
  isMobile: phone.isMobile,
})
const running = sampleSegment('2026-03-10T11:30:00Z', null, { viewerIdentifier: null })

beforeEach(() => {
  server.setNow(Date.parse('2026-03-10T12:00:00Z') / 1000)
  storeSegments(server.database, [live, video, running])
})

async function attributes(path: string) {
  const { body } = await server.get(path)
  return body.data.map((item: { attributes: object }) => item.attributes)
}

describe('what the service does', () => {
  test('reports cover only content of the caller (row 1)', async () => {
    const { body: own } = await server.get(`/views?${DAY}`)
    const { body: foreign } = await server.get(`/views?${DAY}`, { token: 'owner-2' })
    expect(own.pagination.count).toBe(3)
    expect(foreign).toMatchObject({ data: [], pagination: { count: 0 } })
  })
  test('answers are application/json with Cache-Control: no-store (row 3)', async () => {
    const { status, headers } = await server.get(`/views?${DAY}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
  })
  test('times are ISO 8601 with the offset of the range (row 5)', async () => {
    const range = 'date_time_from=2026-03-10T00:00:00%2B05:30&date_time_to=2026-03-11T00:00:00%2B05:30'
    expect(await attributes(`/views?${range}`)).toMatchObject([
      { started_at: '2026-03-10T15:30:00+05:30', finished_at: '2026-03-10T15:35:00+05:30' },
      { started_at: '2026-03-10T16:30:00+05:30', finished_at: '2026-03-10T16:31:00+05:30' },
      { started_at: '2026-03-10T17:00:00+05:30', finished_at: null },
    ])
  })
})

describe('the pagination object', () => {
  test('pagination links are relative, have _page and _limit, and keep the other parameters', async () => {
    const { body } = await server.get(`/views/live?${DAY}&_limit=1&_page=2&content_id=11,12&color=a%26b`)
    const link = (page: number) => ({
      href:
        '/v1/views/live?date_time_from=2026-03-10T00%3A00%3A00Z&date_time_to=2026-03-10T23%3A59%3A59Z' +
        `&content_id=11%2C12&color=a%26b&_page=${page}&_limit=1`,
    })
    expect(body.pagination).toEqual({
      count: 2,
      first: link(1),
      last: link(2),
      next: null,
      prev: link(1),
      self: link(2),
    })
  })
  test('the next links lead to each item once', async () => {
    const seen: string[] = []
    let href: string | undefined = `/v1/views?${DAY}&_limit=1`
    while (href !== undefined) {
      const { body } = await server.get(href.replace('/v1', ''))
      seen.push(...body.data.map((item: { attributes: { view_id: string } }) => item.attributes.view_id))
      href = body.pagination.next?.href
    }
    expect(seen).toEqual([live, video, running].map((segment) => segment.segmentId))
  })
  test('links keep a plus sign that was not URL-encoded', async () => {
    const { body } = await server.get(
      '/views?date_time_from=2026-03-10T00:00:00+01:00&date_time_to=2026-03-11T00:00:00+01:00&_limit=1',
    )
    const { body: next } = await server.get(body.pagination.next.href.replace('/v1', ''))
    expect(next.data).toHaveLength(1)
  })
  test('prev is null on the first page, next on the last', async () => {
    const { body } = await server.get(`/views?${DAY}`)
    expect(body.pagination).toMatchObject({ prev: null, next: null })
  })
  test('a page beyond the end is empty, and its prev link is the last page', async () => {
    const { body } = await server.get(`/views?${DAY}&_limit=2&_page=9007199254740991`)
    expect(body.data).toEqual([])
    expect(body.pagination.prev.href).toContain('_page=2&')
    expect(body.pagination.next).toBeNull()
  })
  test('a report without items has one page', async () => {
    const { body } = await server.get(`/views?${DAY}`, { token: 'owner-2' })
    expect(body.pagination.last).toEqual(body.pagination.first)
  })
})

describe('a Viewer', () => {
  test('a Viewer has an identifier, the last activity, the number of media watched and segments', async () => {
    const { body } = await server.get('/viewers')
    expect(body.data).toHaveLength(1)
    expect(body.data[0].type).toBe('Viewer')
    expect(body.data[0].attributes).toEqual({
      viewer_identifier: 'ada@example.com',
      last_activity: '2026-03-10T11:01:00+00:00',
      videos_watched: 2,
      segments: [expect.objectContaining({ id: live.segmentId }), expect.objectContaining({ id: video.segmentId })],
    })
  })
  test('the last activity of a viewer with an unfinished segment is now', async () => {
    storeSegments(server.database, [sampleSegment('2026-03-10T11:30:00Z', null)])
    expect(await attributes('/viewers')).toMatchObject([{ last_activity: '2026-03-10T12:00:00+00:00' }])
  })
})

/** The fields that a Segment and a View of the video have. */
function whatBothHave() {
  return {
    started_at: '2026-03-10T11:00:00+00:00',
    finished_at: '2026-03-10T11:01:00+00:00',
    from: 30,
    to: 90,
    client_id: 'c11e0000-0000-4000-8000-000000000002',
    view_session_id: video.viewSessionId,
    country: 'Japan',
    city: 'Tokyo',
    is_mobile_view: true,
    view_type: 'offsite',
    device_info: phone.info,
  }
}

describe('a Segment', () => {
  test('a Segment of a video has all fields, with content_id as an integer', async () => {
    const [viewer] = await attributes('/viewers/recorded')
    expect(viewer.segments).toEqual([
      { id: video.segmentId, content_type: 'recorded', content_id: 21, ...whatBothHave() },
    ])
  })
})

describe('a View', () => {
  test('a View is one segment with view_id, viewer_identifier, and content_id as a string', async () => {
    const { body } = await server.get(`/views/recorded?${DAY}`)
    expect(body.data).toEqual([
      {
        type: 'View',
        attributes: {
          view_id: video.segmentId,
          viewer_identifier: 'ada@example.com',
          content_type: 'recorded',
          content_id: '21',
          ...whatBothHave(),
        },
      },
    ])
  })
  test('a View has null for the end of an unfinished segment and for an anonymous viewer', async () => {
    const views = await attributes(`/views?${DAY}`)
    expect(views[2]).toMatchObject({ finished_at: null, viewer_identifier: null })
  })
})

describe('a Series', () => {
  test('a Series has a dimension_type, a time as its point, and a value', async () => {
    const { body } = await server.get(`/total-views/hour?${DAY}`)
    expect(body.data).toEqual([
      { type: 'Series', attributes: { dimension_type: 'hour', point: '2026-03-10T10:00:00+00:00', value: 1 } },
      { type: 'Series', attributes: { dimension_type: 'hour', point: '2026-03-10T11:00:00+00:00', value: 2 } },
    ])
  })
  test.each([
    ['location', ['location:Germany', 2], ['location:Japan', 1]],
    ['device', ['device:Other', 2], ['device:iPhone', 1]],
    ['view-source', ['view-source:onsite', 2], ['view-source:offsite', 1]],
  ])('a Series by %s has the group in dimension_type, and the greatest value first', async (dimension, ...expected) => {
    expect(await attributes(`/total-views/${dimension}?${DAY}`)).toEqual(
      expected.map(([dimension_type, value]) => ({ dimension_type, point: '2026-03-10T00:00:00+00:00', value })),
    )
  })
})

describe('a PeakSeries', () => {
  test('a PeakSeries has the channel or video, a time and the peak', async () => {
    const { body } = await server.get(`/peak-viewer-numbers/recorded?${DAY}&granularity=hour`)
    expect(body.data).toEqual([
      {
        type: 'PeakSeries',
        attributes: { content_type: 'recorded', content_id: 21, time: '2026-03-10T11:00:00+00:00', value: 1 },
      },
    ])
  })
})
