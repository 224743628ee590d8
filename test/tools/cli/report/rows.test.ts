import { expect, test } from 'vitest'
import { csvHeader, csvLine } from '../../../../src/tools/cli/report/rows.ts'
import type { ViewRow } from '../../../../src/tools/video-service/analytics/report-rows.ts'

const view: ViewRow = {
  view_id: 'v1',
  viewer_identifier: '=cmd|"x"!A1',
  content_type: 'live',
  content_id: '1001',
  started_at: '2026-11-20T10:00:00-05:00',
  finished_at: null,
  client_id: 'c',
  view_session_id: 's',
  country: 'Côte d’Ivoire, West',
  city: 'line\nbreak',
  is_mobile_view: false,
  view_type: 'onsite',
  from: -5,
  device_info: { browser: { family: '@home', major: null }, os: { family: 'Linux' }, device: { family: 'Other' } },
}

test('a view is one CSV record with a cell for each column, and no cell is a formula', () => {
  expect(csvLine(view)).toBe(
    `v1,"'=cmd|""x""!A1",live,1001,2026-11-20T10:00:00-05:00,,-5,,c,s,"Côte d’Ivoire, West",line\\u000abreak,false,onsite,'@home,,,,Linux,,,,,Other,,\r\n`,
  )
  const cells = csvLine({ ...view, viewer_identifier: 'ada', country: 'Ghana' }).split(',')
  expect(cells).toHaveLength(csvHeader('views').split(',').length)
})

/** Returns the records as objects. No cell of these tests has a comma. */
function records(header: string, lines: Iterable<string>): Record<string, string>[] {
  const names = header.trim().split(',')
  return [...lines].map((line) => {
    const cells = line.slice(0, -2).split(',')
    expect(cells).toHaveLength(names.length)
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
  })
}

const DEVICE = {
  browser: { family: 'Chrome Mobile', major: '141', minor: '0', patch: '7390' },
  os: { family: 'Android', major: '16', minor: '1', patch: '2', patch_minor: '3' },
  device: { family: 'SM-S911B', brand: 'Samsung', model: 'S23' },
}
const DEVICE_CELLS = {
  'browser.family': 'Chrome Mobile',
  'browser.major': '141',
  'browser.minor': '0',
  'browser.patch': '7390',
  'os.family': 'Android',
  'os.major': '16',
  'os.minor': '1',
  'os.patch': '2',
  'os.patch_minor': '3',
  'device.family': 'SM-S911B',
  'device.brand': 'Samsung',
  'device.model': 'S23',
}

test('a view in CSV has every field of its device', () => {
  const plain = { ...view, viewer_identifier: 'ada', country: 'Ghana', device_info: DEVICE }
  expect(records(csvHeader('views'), [csvLine(plain)])).toMatchObject([DEVICE_CELLS])
})

test.each([
  ['+1', "'+1"],
  [' -1', " '-1"],
  ['\t@SUM(1)', '\\u0009@SUM(1)'],
  ['＝1+1', "'＝1+1"],
  ['x;=1+1', "x;'=1+1"],
  ['x, "=1+1"', `"x, ""'=1+1"${'""'}`],
  ['\u001b[2J\u202ecod', '\\u001b[2J\\u202ecod'],
  ['jean-luc+tv@example.com', 'jean-luc+tv@example.com'],
  ['佐藤', '佐藤'],
])('the name %j is safe in a spreadsheet and at a terminal', (name, cell) => {
  const row = { viewer_identifier: name, last_activity: '', videos_watched: 1, segments: [] }
  expect(csvLine(row)).toBe(`${cell},,1,0\r\n`)
})
