import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnalyticsServer, startAnalytics } from './analytics-server.ts'

/** The rows of "Authentication", "Errors" and "Limits" of the analytics document, and other wrong requests. */
let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
})
afterAll(async () => {
  expect(server.faults).toEqual([])
  await server.close()
})

const RANGE = 'date_time_from=2026-03-10T10:00:00Z&date_time_to=2026-03-10T11:00:00Z'
const from = (time: string) => `/views?date_time_from=${time}&date_time_to=2099-01-01T00:00:00Z`

describe('authentication', () => {
  test.each([
    ['no token', null],
    ['an invalid token', 'nonsense'],
    ['a scheme before the token', 'Bearer owner-1'],
  ])('a request with %s is a 401 with a list of errors', async (_case, token) => {
    const { status, headers, body } = await server.get(`/views?${RANGE}`, { token })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('JWT realm="analytics"')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const message = 'The token is not valid'
    expect(body).toEqual({
      errors: [
        {
          parameter: 'Authorization',
          in: 'header',
          message,
          detail: message,
          source: { pointer: '/header/Authorization' },
        },
      ],
    })
  })
  test('a request without a valid token gets no errors about parameters', async () => {
    expect((await server.get('/views', { token: 'nonsense' })).status).toBe(401)
  })
})

describe('a bad request', () => {
  test.each<[string, string, ...[parameter: string, value?: string][]]>([
    ['no range', '/views', ['date_time_from'], ['date_time_to']],
    ['no range for a series', '/total-views/day', ['date_time_from'], ['date_time_to']],
    ['no range for peaks', '/peak-viewer-numbers/live', ['date_time_from'], ['date_time_to']],
    ['an empty time', from(''), ['date_time_from', '']],
    ['a day that does not exist', from('2026-02-30T00:00:00Z'), ['date_time_from', '2026-02-30T00:00:00Z']],
    ['a leap day in another year', from('2026-02-29T00:00:00Z'), ['date_time_from', '2026-02-29T00:00:00Z']],
    ['a week date', from('2026-W10-2T00:00:00Z'), ['date_time_from', '2026-W10-2T00:00:00Z']],
    ['an ordinal date', from('2026-069T00:00:00Z'), ['date_time_from', '2026-069T00:00:00Z']],
    ['a date without a time', from('2026-03-10'), ['date_time_from', '2026-03-10']],
    ['a time without seconds', from('2026-03-10T10:00Z'), ['date_time_from', '2026-03-10T10:00Z']],
    ['fractions of a second', from('2026-03-10T10:00:00.000Z'), ['date_time_from', '2026-03-10T10:00:00.000Z']],
    ['a space instead of the T', from('2026-03-10%2010:00:00Z'), ['date_time_from', '2026-03-10 10:00:00Z']],
    ['lower case', from('2026-03-10t10:00:00z'), ['date_time_from', '2026-03-10t10:00:00z']],
    ['the hour 24', from('2026-03-10T24:00:00Z'), ['date_time_from', '2026-03-10T24:00:00Z']],
    ['a leap second', from('2026-03-10T23:59:60Z'), ['date_time_from', '2026-03-10T23:59:60Z']],
    ['an offset without a colon', from('2026-03-10T10:00:00%2B0200'), ['date_time_from', '2026-03-10T10:00:00+0200']],
    ['an offset of a day', from('2026-03-10T10:00:00%2B24:00'), ['date_time_from', '2026-03-10T10:00:00+24:00']],
    ['the offset -00:00', from('2026-03-10T10:00:00-00:00'), ['date_time_from', '2026-03-10T10:00:00-00:00']],
    [
      'a zone by name',
      from('2026-03-10T10:00:00[Europe/Paris]'),
      ['date_time_from', '2026-03-10T10:00:00[Europe/Paris]'],
    ],
    ['five digits of a year', from('12026-03-10T10:00:00Z'), ['date_time_from', '12026-03-10T10:00:00Z']],
    ['a UNIX time', from('1773136800'), ['date_time_from', '1773136800']],
    ['a space after the time', from('2026-03-10T10:00:00Z%20'), ['date_time_from', '2026-03-10T10:00:00Z ']],
    [
      'a reversed range',
      '/views?date_time_from=2026-03-10T10:00:00Z&date_time_to=2026-03-10T09:59:59Z',
      ['date_time_to', '2026-03-10T09:59:59Z'],
    ],
    [
      'a range reversed by its offsets',
      '/viewers?date_time_from=2026-03-10T10:00:00-01:00&date_time_to=2026-03-10T10:00:00Z',
      ['date_time_to', '2026-03-10T10:00:00Z'],
    ],
    ['page 0', `/views?${RANGE}&_page=0`, ['_page', '0']],
    ['a negative page', `/views?${RANGE}&_page=-1`, ['_page', '-1']],
    ['a fraction as a page', `/views?${RANGE}&_page=1.5`, ['_page', '1.5']],
    ['a word as a page', `/views?${RANGE}&_page=one`, ['_page', 'one']],
    ['an empty page', `/views?${RANGE}&_page=`, ['_page', '']],
    ['a page above the safe integers', `/views?${RANGE}&_page=9007199254740992`, ['_page', '9007199254740992']],
    ['a hexadecimal page', `/views?${RANGE}&_page=0x1`, ['_page', '0x1']],
    ['limit 0', `/views?${RANGE}&_limit=0`, ['_limit', '0']],
    ['limit 10001', `/views?${RANGE}&_limit=10001`, ['_limit', '10001']],
    ['a limit with an exponent', `/views?${RANGE}&_limit=1e3`, ['_limit', '1e3']],
    ['a number as a flag', `/views?${RANGE}&list_unfinished_segments=1`, ['list_unfinished_segments', '1']],
    ['a flag in upper case', `/views?${RANGE}&inclusive_range=TRUE`, ['inclusive_range', 'TRUE']],
    ['an unknown granularity', `/peak-viewer-numbers?${RANGE}&granularity=week`, ['granularity', 'week']],
    ['a word as an id', `/views/live?${RANGE}&content_id=abc`, ['content_id', 'abc']],
    ['a gap in the list of ids', `/views/live?${RANGE}&content_id=1,,2`, ['content_id', '1,,2']],
    ['an empty list of ids', `/views/live?${RANGE}&content_id=`, ['content_id', '']],
    ['a negative id', `/views/live?${RANGE}&content_id=-1`, ['content_id', '-1']],
    [
      'an id above the safe integers',
      `/viewers/live?content_id=99999999999999999`,
      ['content_id', '99999999999999999'],
    ],
    ['a repeated time', `/views?${RANGE}&date_time_to=2026-03-10T11:00:00Z`, ['date_time_to']],
    ['a repeated page', `/views?${RANGE}&_page=1&_page=1`, ['_page']],
    ['a repeated id', `/views/live?${RANGE}&content_id=1&content_id=2`, ['content_id']],
    ['a repeated identifier', '/viewers?viewer_identifier=a&viewer_identifier=b', ['viewer_identifier']],
    ['a long identifier', `/viewers?viewer_identifier=${'a'.repeat(256)}`, ['viewer_identifier']],
    [
      'several mistakes',
      `/views/live?date_time_from=x&_page=0&_limit=0&content_id=y&inclusive_range=z`,
      ['_page', '0'],
      ['_limit', '0'],
      ['date_time_from', 'x'],
      ['date_time_to'],
      ['inclusive_range', 'z'],
      ['content_id', 'y'],
    ],
  ])('a request with %s is a 400 that names the parameter', async (_case, path, ...expected) => {
    const { status, headers, body } = await server.get(path)
    expect(status).toBe(400)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body.errors.map(({ message, detail, source, ...rest }: Record<string, unknown>) => rest)).toEqual(
      expected.map(([parameter, value]) => ({ parameter, in: 'query', ...(value !== undefined && { value }) })),
    )
    for (const { parameter, message } of body.errors) expect(message).toMatch(new RegExp(`^${parameter} (must|is) `))
  })
  test('all endpoints refuse with the same errors', async () => {
    const metrics = ['total-views', 'unique-devices', 'authenticated-viewers']
    const endpoints = [
      ...['viewers', 'views', 'peak-viewer-numbers'].flatMap((path) => [path, `${path}/live`]),
      ...metrics.flatMap((metric) =>
        ['summary', 'day', 'live/summary', 'recorded/hour'].map((rest) => `${metric}/${rest}`),
      ),
    ]
    expect(endpoints).toHaveLength(18)
    for (const endpoint of endpoints) {
      const { status, body } = await server.get(`/${endpoint}?${RANGE}&_limit=10001`)
      expect({ endpoint, status, body }).toMatchObject({
        endpoint,
        status: 400,
        body: {
          errors: [
            {
              parameter: '_limit',
              in: 'query',
              value: '10001',
              message: '_limit must be a whole number from 1 to 10000',
            },
          ],
        },
      })
    }
  })
})

describe('a wrong parameter in the path', () => {
  test.each([
    ['/views/dead', 'content_type', 'dead'],
    ['/views/LIVE', 'content_type', 'LIVE'],
    ['/viewers/summary', 'content_type', 'summary'],
    ['/total-views/year', 'dimension', 'year'],
    ['/total-views/live', 'dimension', 'live'],
    ['/unique-devices/live/year', 'dimension', 'year'],
    ['/authenticated-viewers/dead/day', 'content_type', 'dead'],
    ['/authenticated-viewers/dead/summary', 'content_type', 'dead'],
    ['/peak-viewer-numbers/hour', 'content_type', 'hour'],
    ['/peak-viewer-numbers/%3Cscript%3E', 'content_type', '<script>'],
  ])('the path %s is a 400 that names the parameter', async (path, parameter, value) => {
    const { status, headers, body } = await server.get(`${path}?${RANGE}`)
    expect(status).toBe(400)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body.errors).toMatchObject([
      { parameter, in: 'path', value, message: expect.stringMatching(`^${parameter} must be `) },
    ])
  })
})

describe('a wrong path or method', () => {
  test.each(['/', '/nothing', '/Views', '/views/', '/views/live/more', '/total-views'])(
    'the path %s is a 404',
    async (path) => {
      const { status, headers, body } = await server.get(`${path}?${RANGE}`)
      expect(status).toBe(404)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(body.errors).toMatchObject([{ parameter: 'path', in: 'path' }])
    },
  )
  test('a path that cannot be decoded is a 400', async () => {
    const { status, body } = await server.get(`/views/%E0%A4%A?${RANGE}`)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ parameter: 'path', in: 'path' }])
  })
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('the method %s is a 405 with Allow', async (method) => {
    const { status, headers, body } = await server.get(`/views?${RANGE}`, { method })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET, HEAD')
    expect(body.errors).toMatchObject([{ parameter: 'method' }])
  })
  test('parameters with names such as __proto__ are ordinary unknown parameters', async () => {
    const { status, body } = await server.get(`/views?${RANGE}&__proto__=1&constructor=2&toString=3`)
    expect(status).toBe(200)
    expect(body.pagination.self.href).toContain('__proto__=1&constructor=2&toString=3')
  })
})
