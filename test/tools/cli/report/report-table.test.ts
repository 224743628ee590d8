import { describe, expect, test } from 'vitest'
import { tableCells, tableColumns } from '../../../../src/tools/cli/report/table/report-table.ts'
import type { ViewRow } from '../../../../src/tools/video-service/analytics/report-rows.ts'

const titles = new Map([['Channel 1001', 'Town hall']])
const LOOK = { zone: 'Europe/Berlin', nowMs: Date.parse('2026-11-22T12:00:00Z'), titles }
const view: ViewRow = {
  view_id: 'v1',
  viewer_identifier: 'ada',
  content_type: 'live',
  content_id: '1001',
  started_at: '2026-10-25T17:03:00+00:00',
  finished_at: '2026-10-25T18:30:59+00:00',
  client_id: 'c',
  view_session_id: 's',
  country: 'Hungary',
  city: 'Budapest',
  is_mobile_view: false,
  view_type: 'onsite',
  device_info: { browser: { family: 'Firefox' }, os: { family: 'Linux' }, device: { family: 'Other' } },
}

describe('a table of a report', () => {
  test('times are short and local, another year is named, and a channel or video has its title', () => {
    expect(tableCells(view, LOOK)).toEqual([
      ...['25 Oct 18:03', '19:30', 'ada', 'Town hall', 'Budapest, Hungary', 'Linux, Firefox'],
    ])
    expect(tableCells({ ...view, started_at: '2025-10-25T17:03:00+00:00' }, LOOK)[0]).toBe('25 Oct 2025 19:03')
    const peak = { content_type: 'recorded', content_id: '2001', time: '2026-11-01T00:00:00Z', value: 7 } as const
    expect(tableCells(peak, LOOK)).toEqual([' 1 Nov 01:00', 'Video 2001', '7'])
  })

  test.each([
    ['another day', '2026-10-25T23:10:00+00:00', '00:10 +1'],
    ['no end', null, 'watching'],
    ['no time', 'soon', 'soon'],
  ])('a view that ends with %s shows it', (_case, finished_at, shown) => {
    expect(tableCells({ ...view, finished_at }, LOOK)[1]).toBe(shown)
  })

  test.each([
    ['month', '2026-10-01T00:00:00+02:00', 'Oct 2026'],
    ['day', '2026-10-25T00:00:00+02:00', 'Sun 25 Oct'],
    ['day', '2025-11-09T00:00:00+01:00', 'Sun  9 Nov 2025'],
    ['hour', '2026-10-25T02:00:00+01:00', '25 Oct 02:00'],
    ['summary', '2026-10-25T02:00:00+01:00', 'Whole period'],
    ['location:Côte: West', '2026-10-25T02:00:00+01:00', 'Côte: West'],
  ])('a number by %s from %s is shown as %s', (dimension_type, point, shown) => {
    expect(tableCells({ dimension_type, point, value: 12 }, LOOK)).toEqual([shown, '12'])
  })

  test('the columns of a series name its dimension and its number', () => {
    const period = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' }
    const question = { report: 'unique-devices', dimension: 'view-source', period } as const
    expect(tableColumns(question)).toEqual(['Player', 'Devices'])
  })
})
