import { describe, expect, test } from 'vitest'
import { pages } from '../../../src/tools/video-service/analytics/analytics.ts'
import type { Question } from '../../../src/tools/video-service/analytics/report-question.ts'
import { ServiceRefusal, UnexpectedAnswer } from '../../../src/tools/video-service/service-errors.ts'
import type { ServiceRequest } from '../../../src/tools/video-service/service-request.ts'

const settings = { analyticsUrl: 'https://analytics.service.example/v1' }
const period = { from: '2026-11-01T00:00:00+01:00', to: '2026-11-02T00:00:00+01:00' }
const question: Question = { report: 'total-views', period, dimension: 'day' }
const rowAt = (point: string) => ({ type: 'Series', attributes: { dimension_type: 'day', point, value: 7 } })
const row = rowAt(period.from)

/** A service that gives one of these answers, or fails with one of these errors, for each request. */
function service(...bodies: unknown[]) {
  const sent: ServiceRequest[] = []
  const send = (request: ServiceRequest) => {
    sent.push(request)
    const answer = bodies[sent.length - 1]
    if (answer instanceof Error) return Promise.reject(answer)
    const body = JSON.stringify(answer)
    return Promise.resolve({ status: 200, contentType: 'application/json', body })
  }
  const token = (_signal?: AbortSignal, refused?: object) =>
    Promise.resolve({ type: 'jwt', value: refused ? 'd.e.f' : 'a.b.c', expiresAtSeconds: 1 } as const)
  return { deps: { settings, send, token }, sent }
}

async function all(deps: Parameters<typeof pages>[0], asked: Question = question) {
  const found = []
  for await (const page of pages(deps, asked)) found.push(page)
  return found
}

describe('a paged report', () => {
  test('pages are fetched one after the other, with the token alone in the header and the UTC offset in the period', async () => {
    const next = { href: '/v1/total-views/day?_page=2' }
    const { deps, sent } = service(
      { data: [row, row], pagination: { count: 3, next } },
      { data: [rowAt(period.to)], pagination: { count: 3, next: null } },
    )
    expect((await all(deps)).map(({ rows, cursor }) => [rows.length, cursor?.page])).toEqual([
      [2, 2],
      [1, undefined],
    ])
    expect(sent.map(({ url }) => url.searchParams.get('_page'))).toEqual(['1', '2'])
    expect(sent[1]?.url.searchParams.get('date_time_from')).toBe(period.from)
    expect(sent[0]?.headers).toMatchObject({ Authorization: 'a.b.c' })
    expect(sent[0]?.timeoutMs).toBeGreaterThan(60_000)
  })

  test('a page has 1,000 rows, or 24 viewers with all their segments, and at most 64 MiB', async () => {
    const none = { data: [], pagination: { next: null } }
    const { deps, sent } = service(none, none)
    await all(deps)
    await all(deps, { report: 'viewers' })
    expect(sent.map(({ url }) => url.searchParams.get('_limit'))).toEqual(['1000', '24'])
    expect(sent.map(({ mostBytes }) => mostBytes)).toEqual([64 * 2 ** 20, 64 * 2 ** 20])
  })

  test.each([
    ['https://evil.example/v1/total-views/day?_page=2'],
    ['//evil.example/v1/total-views/day?_page=2'],
    ['?_page=1'],
    ['?_page=3'],
    ['https://['],
  ])('a link to %s instead of the next page is not followed', async (href) => {
    const { deps, sent } = service({ data: [row], pagination: { next: { href } } })
    await expect(all(deps)).rejects.toThrow(UnexpectedAnswer)
    expect(sent).toHaveLength(1)
  })

  const to = (page: number) => ({ data: [row], pagination: { next: { href: `?_page=${page}` } } })
  const last = { data: [rowAt(period.to)], pagination: { next: null } }
  test('an expired token is replaced once for each page, but not for the first page', async () => {
    const expired = new ServiceRefusal('unauthorized', 401)
    const { deps, sent } = service(to(2), expired, last)
    expect(await all(deps)).toHaveLength(2)
    expect(sent.map(({ headers }) => headers?.Authorization)).toEqual(['a.b.c', 'a.b.c', 'd.e.f'])
    await expect(all(service(to(2), expired, expired).deps)).rejects.toThrow(expired)
    const fromTheStart = service(expired, last)
    await expect(all(fromTheStart.deps)).rejects.toThrow(expired)
    expect(fromTheStart.sent).toHaveLength(1)
  })

  test('99 empty pages in a row are accepted, 100 are not', async () => {
    const empty = (page: number) => ({ ...to(page), data: [] })
    const few = Array.from({ length: 99 }, (_, index) => empty(index + 2))
    expect(await all(service(...few, last).deps)).toHaveLength(100)
    await expect(all(service(...few, empty(101), last).deps)).rejects.toThrow(/100 empty pages/)
  })

  test.each([
    ['records of another type', { data: [{ ...row, type: 'View' }], pagination: {} }],
    ['no pagination', { data: [row] }],
    ['an array at the top', [row]],
  ])('a page with %s is refused', async (_case, body) => {
    await expect(all(service(body).deps)).rejects.toThrow(UnexpectedAnswer)
  })

  test('content ids without a content type are refused', async () => {
    const { deps, sent } = service()
    await expect(all(deps, { ...question, contentIds: ['7'] })).rejects.toThrow(RangeError)
    expect(sent).toEqual([])
  })
})

const view = {
  view_id: 'v1',
  viewer_identifier: 'ada',
  content_type: 'live',
  content_id: 1001,
  started_at: '2026-11-20T10:00:00+00:00',
  client_id: 'c1',
  view_session_id: 's1',
  is_mobile_view: false,
  view_type: 'onsite',
  device_info: { browser: { family: 'Firefox' }, os: { family: 'Linux' }, device: { family: 'Other' } },
}

describe('a report with odd fields', () => {
  const views: Question = { report: 'views', period }
  const answer = (...rows: object[]) => ({
    data: rows.map((attributes) => ({ type: 'View', attributes })),
    pagination: { next: null },
  })

  test('missing and odd fields of a view are null and counted, and a number stays as text', async () => {
    const { client_id: _id, device_info: _info, is_mobile_view: _mobile, view_type: _type, ...bare } = view
    const odd = {
      ...view,
      client_id: 7,
      device_info: { ...view.device_info, os: { family: null, major: 5 } },
      from: 'x',
    }
    const [page] = await all(service(answer(view, bare, bare, odd)).deps, views)
    expect(page?.rows).toMatchObject([
      { client_id: 'c1', device_info: { os: { family: 'Linux' } } },
      { client_id: null, device_info: null, is_mobile_view: null, view_type: null },
      { device_info: null },
      { client_id: '7', device_info: { os: { family: null, major: '5' } }, from: null },
    ])
    expect(Object.fromEntries(page?.odd ?? [])).toEqual({
      'client_id is missing': 2,
      'view_type is missing': 2,
      'is_mobile_view is missing': 2,
      'device_info is missing': 2,
      'client_id is not of the documented type': 1,
      'os.major is not of the documented type': 1,
      'from is not of the documented type': 1,
    })
  })

  test('a view as documented is not counted', async () => {
    const [page] = await all(service(answer(view)).deps, views)
    expect(page?.odd.size).toBe(0)
  })

  test.each(['view_id', 'content_type', 'started_at'])('a view without its %s ends the report', async (name) => {
    const broken = answer({ ...view, [name]: undefined })
    await expect(all(service(broken).deps, views)).rejects.toThrow(`data.0.attributes.${name}`)
  })
})
