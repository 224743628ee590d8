import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AnalyticsServer, startAnalytics } from './analytics-server.ts'
import { sampleSegment, storeSegments } from './sample-segments.ts'

/** The rows of "Parameter definitions", "Endpoints", "Limits" and "Versioning" of the analytics document. */
let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
})
afterAll(() => server.close())

const RANGE = 'date_time_from=2026-03-10T10:00:00Z&date_time_to=2026-03-10T11:00:00Z'
const at = (time: string) => `2026-03-10T${time}:00Z`

async function sessionsOf(path: string): Promise<string[]> {
  const { status, body } = await server.get(path)
  expect(status).toBe(200)
  return body.data.map((item: { attributes: { view_session_id: string } }) => item.attributes.view_session_id)
}
async function first(path: string) {
  const { status, body } = await server.get(path)
  expect(status).toBe(200)
  return body.data[0]?.attributes
}

const spanning = { viewSessionId: 'started before, finished after' }
const a = { viewSessionId: 'started before, finished inside' }
const b = { viewSessionId: 'started inside, finished inside' }
const bc = { viewSessionId: 'started inside, unfinished' }
const c = { viewSessionId: 'started inside, finished after' }
const earlier = { viewSessionId: 'started before, unfinished' }

beforeEach(() => {
  server.setNow(Date.parse(at('12:00')) / 1000)
  storeSegments(server.database, [
    sampleSegment(at('08:00'), at('09:59'), { viewSessionId: 'before' }),
    sampleSegment(at('09:00'), at('11:30'), spanning),
    sampleSegment(at('09:10'), null, earlier),
    sampleSegment(at('09:30'), at('10:10'), { ...a, contentType: 'recorded', contentId: 21, viewerIdentifier: 'Bob' }),
    sampleSegment(at('10:20'), at('10:40'), { ...b, contentId: 12, clientId: 'other', viewerIdentifier: 'bobby' }),
    sampleSegment(at('10:30'), null, bc),
    sampleSegment(at('10:50'), at('11:20'), { ...c, contentType: 'recorded', contentId: 22, viewerIdentifier: null }),
    sampleSegment(at('11:10'), at('11:15'), { viewSessionId: 'after' }),
  ])
})

describe('the default range rule', () => {
  test('views are listed by the rules (a), (b) and (c)', async () => {
    expect(await sessionsOf(`/views?${RANGE}`)).toEqual([a, b, bc, c].map(({ viewSessionId }) => viewSessionId))
  })
  test('a range includes both ends, for starts and for finishes', async () => {
    const exact = (from: string, to: string) => `/views?date_time_from=${at(from)}&date_time_to=${at(to)}`
    expect(await sessionsOf(exact('10:40', '10:50'))).toEqual([b, c].map(({ viewSessionId }) => viewSessionId))
    expect(await sessionsOf(exact('10:00', '10:10'))).toEqual([a.viewSessionId])
    expect(await sessionsOf(`${exact('10:20', '10:40')}&inclusive_range=false`)).toEqual([b.viewSessionId])
  })
  test('list_unfinished_segments=false leaves out unfinished segments', async () => {
    expect(await sessionsOf(`/views?${RANGE}&list_unfinished_segments=false`)).toEqual(
      [a, b, c].map(({ viewSessionId }) => viewSessionId),
    )
  })
  test.each(['true', 'false'])(
    'inclusive_range=false lists only segments that started and finished in the range (list_unfinished_segments=%s)',
    async (unfinished) => {
      const flags = `inclusive_range=false&list_unfinished_segments=${unfinished}`
      expect(await sessionsOf(`/views?${RANGE}&${flags}`)).toEqual([b.viewSessionId])
    },
  )
})

describe('parameters', () => {
  test('content_type in the path is live or recorded', async () => {
    expect(await sessionsOf(`/views/live?${RANGE}`)).toEqual([b.viewSessionId, bc.viewSessionId])
    expect(await sessionsOf(`/views/recorded?${RANGE}`)).toEqual([a.viewSessionId, c.viewSessionId])
  })
  test('content_id is one id, or several separated by commas', async () => {
    expect(await sessionsOf(`/views/live?${RANGE}&content_id=12`)).toEqual([b.viewSessionId])
    expect(await sessionsOf(`/views/recorded?${RANGE}&content_id=22,21`)).toEqual([a.viewSessionId, c.viewSessionId])
    expect(await sessionsOf(`/views/live?${RANGE}&content_id=13,99`)).toEqual([])
  })
  test('viewer_identifier matches a part of the identifier, case-sensitively', async () => {
    const names = async (text: string) => {
      const { body } = await server.get(`/viewers?viewer_identifier=${text}`)
      return body.data.map((item: { attributes: { viewer_identifier: string } }) => item.attributes.viewer_identifier)
    }
    expect(await names('bobby')).toEqual(['bobby'])
    expect(await names('ob')).toEqual(['Bob', 'bobby'])
    expect(await names('b')).toEqual(['Bob', 'bobby'])
    expect(await names('B')).toEqual(['Bob'])
    expect(await names('')).toEqual(['Bob', 'ada@example.com', 'bobby'])
    expect(await names('%25')).toEqual([])
    expect(await names('_')).toEqual([])
  })
  test('granularity is minute by default', async () => {
    const minutes = await server.get(`/peak-viewer-numbers?${RANGE}`)
    const hours = await server.get(`/peak-viewer-numbers?${RANGE}&granularity=hour`)
    expect(minutes.body.data[1].attributes.time).toBe('2026-03-10T10:01:00+00:00')
    expect(minutes.body).toEqual({
      ...minutes.body,
      data: (await server.get(`/peak-viewer-numbers?${RANGE}&granularity=minute`)).body.data,
    })
    expect(hours.body.pagination.count).toBe(4)
  })
  test('_page and _limit are 1 and 10 by default, and 10000 items fit on a page', async () => {
    const { body } = await server.get(`/peak-viewer-numbers?${RANGE}`)
    expect(body.data).toHaveLength(10)
    expect(body.pagination.self.href).toMatch(/_page=1&_limit=10$/)
    const { body: greatest } = await server.get(`/peak-viewer-numbers?${RANGE}&_limit=10000`)
    expect(greatest.data).toHaveLength(body.pagination.count)
  })
})

describe('times without an offset', () => {
  const view = (path: string) => `${path}date_time_from=2026-03-10T03:00:00&date_time_to=2026-03-10T04:00:00`
  test.each([
    '/views?',
    '/views/live?',
    '/viewers?',
    '/viewers/live?',
    '/total-views/summary?',
    '/peak-viewer-numbers?granularity=hour&',
  ])('%s reads times without an offset as Los Angeles time, and answers in this zone', async (path) => {
    const { body } = await server.get(view(path))
    expect(JSON.stringify(body.data)).toContain('-07:00')
    const { body: inUtc } = await server.get(
      `${path}date_time_from=2026-03-10T10:00:00Z&date_time_to=2026-03-10T11:00:00Z`,
    )
    expect(body.pagination.count).toBe(inUtc.pagination.count)
  })
})

describe('viewer and view listings', () => {
  test.each([
    ['/viewers', 3],
    ['/viewers/live', 2],
    ['/viewers/recorded', 1],
    ['/viewers/recorded?content_id=22', 0],
    [`/viewers?${RANGE}`, 3],
    ['/viewers?date_time_from=2026-03-10T10:45:00Z', 1],
    ['/viewers?date_time_to=2026-03-10T08:30:00Z', 1],
    ['/viewers?list_unfinished_segments=false', 3],
  ])('%s lists %d viewers', async (path, count) => {
    const { status, body } = await server.get(path)
    expect(status).toBe(200)
    expect(body.pagination.count).toBe(count)
  })
  test('a viewer is listed only with the segments that the range selects', async () => {
    const { segments } = await first('/viewers?date_time_from=2026-03-10T10:45:00Z&viewer_identifier=ada')
    expect(segments.map((segment: { view_session_id: string }) => segment.view_session_id)).toEqual([
      spanning.viewSessionId,
      'after',
    ])
  })
})

describe('series', () => {
  test.each([
    ['/total-views/summary', 4],
    ['/total-views/live/summary', 2],
    ['/total-views/recorded/summary', 2],
    ['/total-views/recorded/summary?content_id=22', 1],
    ['/unique-devices/summary', 2],
    ['/unique-devices/recorded/summary', 1],
    ['/authenticated-viewers/summary', 3],
    ['/authenticated-viewers/live/summary', 2],
    ['/authenticated-viewers/recorded/summary', 1],
  ])('the summary %s is %d', async (path, value) => {
    expect(await first(`${path}${path.includes('?') ? '&' : '?'}${RANGE}`)).toEqual({
      dimension_type: 'summary',
      point: '2026-03-10T10:00:00+00:00',
      value,
    })
  })
  test('a summary without views is one item with the value 0', async () => {
    const { body } = await server.get(
      '/total-views/summary?date_time_from=2020-01-01T00:00:00Z&date_time_to=2020-01-02T00:00:00Z',
    )
    expect(body.data).toMatchObject([{ attributes: { value: 0 } }])
  })
  test.each(
    ['total-views', 'unique-devices', 'authenticated-viewers'].flatMap((metric) =>
      ['', '/live', '/recorded'].flatMap((type) =>
        ['month', 'day', 'hour', 'location', 'device', 'view-source'].map(
          (dimension) => `/${metric}${type}/${dimension}`,
        ),
      ),
    ),
  )('the items of %s have the dimension of the path', async (path) => {
    const { dimension_type } = await first(`${path}?${RANGE}`)
    expect(dimension_type.split(':')[0]).toBe(path.split('/').at(-1))
  })
  test('a view that started before the range counts in the first bucket', async () => {
    expect(await first(`/total-views/recorded/hour?${RANGE}`)).toMatchObject({
      point: '2026-03-10T10:00:00+00:00',
      value: 2,
    })
  })
  test('days and months are in the zone of the range', async () => {
    const points = async (range: string, dimension: string) => {
      storeSegments(server.database, [sampleSegment('2026-03-31T23:30:00Z', '2026-03-31T23:40:00Z')])
      return (await first(`/total-views/${dimension}?${range}`)).point
    }
    const east = 'date_time_from=2026-03-31T00:00:00%2B02:00&date_time_to=2026-04-02T00:00:00%2B02:00'
    const west = 'date_time_from=2026-03-31T00:00:00&date_time_to=2026-04-02T00:00:00'
    expect(await points(east, 'day')).toBe('2026-04-01T00:00:00+02:00')
    expect(await points(east, 'month')).toBe('2026-04-01T00:00:00+02:00')
    expect(await points(west, 'day')).toBe('2026-03-31T00:00:00-07:00')
    expect(await points(west, 'month')).toBe('2026-03-01T00:00:00-08:00')
  })
})

describe('peak concurrent viewers', () => {
  /** Stores segments such as `10:00-10:20/session`. One without an end is unfinished. */
  const crowd = (pieces: string) => {
    const segments = pieces.split(' ').map((piece) => {
      const [times = '', viewSessionId] = piece.split('/')
      const [from = '', to = ''] = times.split('-')
      return sampleSegment(at(from), to === '' ? null : at(to), viewSessionId === undefined ? {} : { viewSessionId })
    })
    storeSegments(server.database, segments)
  }
  test.each([
    ['concurrent sessions', '10:00-10:20 10:20-10:40 10:30-10:50', [2], '10:00', '11:00'],
    ['no segment that starts at the end of another', '10:00-10:20 10:20-10:40', [1], '10:00', '11:00'],
    ['a session once', '10:00-10:20/s 10:10-10:40/s 10:15-10:50/t', [2], '10:00', '11:00'],
    ['a segment through the whole range in each bucket', '08:00-13:00', [1, 1, 1], '10:00', '12:30'],
    ['an unfinished segment until now', '10:30-', [1, 1], '10:00', '20:00'],
    ['nothing in a range of length 0', '10:00-10:20', [], '10:10', '10:10'],
  ])('a peak counts %s', async (_what, pieces, expected, from, to) => {
    crowd(pieces)
    const range = `date_time_from=${at(from)}&date_time_to=${at(to)}`
    const { body } = await server.get(`/peak-viewer-numbers?${range}&granularity=hour`)
    expect(body.data.map((item: { attributes: { value: number } }) => item.attributes.value)).toEqual(expected)
  })
  test('peaks are listed per channel or video, in this order and then by time', async () => {
    const { body } = await server.get(`/peak-viewer-numbers?${RANGE}&granularity=hour`)
    expect(body.data.map((item: { attributes: object }) => item.attributes)).toEqual([
      { content_type: 'live', content_id: 11, time: '2026-03-10T10:00:00+00:00', value: 3 },
      { content_type: 'live', content_id: 12, time: '2026-03-10T10:00:00+00:00', value: 1 },
      { content_type: 'recorded', content_id: 21, time: '2026-03-10T10:00:00+00:00', value: 1 },
      { content_type: 'recorded', content_id: 22, time: '2026-03-10T10:00:00+00:00', value: 1 },
    ])
  })
  test('a segment that runs for centuries does not slow down the answer', async () => {
    crowd('10:00-')
    server.setNow(Date.parse('9999-12-31T00:00:00Z') / 1000)
    const { body } = await server.get(
      '/peak-viewer-numbers?date_time_from=2026-01-01T00:00:00Z&date_time_to=9999-12-31T00:00:00Z&_page=100000000&_limit=2',
    )
    expect(body.pagination.count).toBe((Date.parse('9999-12-31T00:00:00Z') - Date.parse(at('10:00'))) / 60_000)
    expect(body.data).toMatchObject([{ attributes: { value: 1 } }, { attributes: { value: 1 } }])
  })
})
