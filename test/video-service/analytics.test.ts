import { describe, expect, test } from 'vitest'
import { pages, type Question } from '../../src/video-service/analytics.ts'
import { UnexpectedAnswer } from '../../src/video-service/service-errors.ts'
import type { ServiceRequest } from '../../src/video-service/transport.ts'

const settings = { analyticsUrl: 'https://analytics.service.example/v1' }
const period = { from: '2026-11-01T00:00:00+01:00', to: '2026-11-02T00:00:00+01:00' }
const question: Question = { report: 'total-views', period, dimension: 'day' }
const row = { type: 'Series', attributes: { dimension_type: 'day', point: period.from, value: 7 } }

/** Answers with these bodies, one a request. */
function service(...bodies: unknown[]) {
  const sent: ServiceRequest[] = []
  const send = (request: ServiceRequest) => {
    sent.push(request)
    const body = JSON.stringify(bodies[sent.length - 1])
    return Promise.resolve({ status: 200, contentType: 'application/json', body })
  }
  const token = () => Promise.resolve({ type: 'jwt', value: 'a.b.c', expiresAtSeconds: 1 } as const)
  return { deps: { settings, send, token }, sent }
}

async function all(deps: Parameters<typeof pages>[0], asked: Question = question) {
  const found = []
  for await (const page of pages(deps, asked, 2)) found.push(page)
  return found
}

describe('the pages of a report', () => {
  test('are fetched one after the other, the token as it is, the offset of the period kept', async () => {
    const next = { href: '/v1/total-views/day?_page=2&_limit=2' }
    const { deps, sent } = service(
      { data: [row, row], pagination: { count: 3, next } },
      { data: [row], pagination: { count: 3, next: null } },
    )
    expect((await all(deps)).map(({ rows, count, number }) => [rows.length, count, number])).toEqual([
      [2, 3, 1],
      [1, 3, 2],
    ])
    expect(sent.map(({ url }) => url.searchParams.get('_page'))).toEqual(['1', '2'])
    expect(sent[1]?.url.searchParams.get('date_time_from')).toBe(period.from)
    expect(sent[0]?.headers).toMatchObject({ Authorization: 'a.b.c' })
    expect(sent[0]?.timeoutMs).toBeGreaterThan(60_000)
  })

  test.each([
    ['https://evil.example/v1/total-views/day?_page=2'],
    ['//evil.example/v1/total-views/day?_page=2'],
    ['?_page=1'],
    ['?_page=3'],
    ['https://['],
  ])('a link to %s is not followed', async (href) => {
    const { deps, sent } = service({ data: [row], pagination: { next: { href } } })
    await expect(all(deps)).rejects.toThrow(UnexpectedAnswer)
    expect(sent).toHaveLength(1)
  })

  test.each([
    ['records of another type', { data: [{ ...row, type: 'View' }], pagination: {} }],
    ['no pagination', { data: [row] }],
    ['an array', [row]],
  ])('%s are refused', async (_case, body) => {
    await expect(all(service(body).deps)).rejects.toThrow(UnexpectedAnswer)
  })

  test('content ids go with a content type only', async () => {
    const { deps, sent } = service()
    await expect(all(deps, { ...question, contentIds: ['7'] })).rejects.toThrow(RangeError)
    expect(sent).toEqual([])
  })
})
