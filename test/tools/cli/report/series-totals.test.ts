import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seriesPage } from '../../../../src/tools/cli/report/page/series-page.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { textOf } from './make-page.ts'
import { startReportService } from './report-service.ts'

const TOTALS = { 'total-views': 300, 'unique-devices': 20, 'authenticated-viewers': 7 }

/** Runs `report total-views --html` with these options. Returns the text of the page and the paths of the requests. */
async function pageFor(...args: string[]): Promise<{ text: string; paths: string[] }> {
  const paths: string[] = []
  const env = await startReportService((req, res) => {
    const [, , report = '', dimension = ''] = (req.url ?? '').split(/[/?]/)
    paths.push(`${report}/${dimension}`)
    const total = TOTALS[report as keyof typeof TOTALS]
    const value = dimension === 'summary' ? total : 12
    const attributes = { dimension_type: dimension, point: '2026-11-20T00:00:00Z', value }
    sendJson(res, { data: [{ type: 'Series', attributes }], pagination: { next: null } })
  })
  const cwd = temporaryFolder()
  const file = join(cwd, 'page.html')
  const period = ['--from', '2026-11-18', '--to', '2026-11-21']
  const { status } = await runHere(['report', 'total-views', ...period, '--html', file, ...args], { cwd, env })
  expect(status).toBe(0)
  return { text: textOf(readFileSync(file, 'utf8')), paths: paths.toSorted() }
}

const SUMMARIES = ['authenticated-viewers/summary', 'total-views/summary', 'unique-devices/summary']

test('a page of total views is by day by default, with the totals of views, devices and signed-in viewers', async () => {
  const { text, paths } = await pageFor()
  expect(paths).toEqual(['total-views/day', ...SUMMARIES].toSorted())
  expect(text).toContain('300 views in the whole period. Busiest day: 12')
  expect(text).toContain('views 300 devices 20 signed-in viewers 7')
})

test.each([
  ['hour', ['total-views/hour', ...SUMMARIES]],
  ['summary', ['total-views/summary', ...SUMMARIES]],
  ['location', ['total-views/location']],
])('a page of total views by %s sends the requests %j', async (dimension, expected) => {
  const { paths } = await pageFor('--by', dimension)
  expect(paths).toEqual(expected.toSorted())
})

test('a page marks parts of days, and explains a day that also counts running views', () => {
  const range = { fromMs: Date.parse('2026-10-24T10:00:00Z'), toMs: Date.parse('2026-10-26T10:00:00Z') }
  const page = seriesPage({
    report: 'unique-devices',
    dimension: 'day',
    range,
    zone: 'Europe/Berlin',
    totals: TOTALS,
  })
  const row = (point: string, is_partial: boolean, has_running_views: boolean) =>
    page.add({ dimension_type: 'day', point, value: 3, is_partial, has_running_views })
  row('2026-10-24T00:00:00+02:00', true, false)
  row('2026-10-25T00:00:00+02:00', false, true)
  row('2026-10-26T00:00:00+01:00', true, false)
  const { sections, notes, summary } = page.model(new Map())
  const [section] = sections
  const rows = section?.chart.kind === 'times' ? section.chart.rows : []
  expect(rows.map(({ words }) => words.endsWith(' (part)'))).toEqual([true, false, true])
  expect(notes.filter((note) => note.includes('part of the day'))).toHaveLength(1)
  expect(notes.filter((note) => note.includes('running at its start'))).toHaveLength(1)
  expect(summary).toMatch(/^20 devices in the whole period\./)
  expect(rows.map(({ fromMs, toMs }) => (toMs - fromMs) / 3_600_000)).toEqual([24, 25, 24])
})
