import { expect, test } from 'vitest'
import { isoWithOffset, openTimeZone } from '../../../../../src/tools/cli/output/time-zone.ts'
import { localPeaks } from '../../../../../src/tools/cli/report/local-peaks.ts'
import { localSeries } from '../../../../../src/tools/cli/report/local-rows.ts'
import type { Place, PlacedPage } from '../../../../../src/tools/cli/report/place.ts'
import type { Page } from '../../../../../src/tools/video-service/analytics/analytics.ts'
import { firstPage } from '../../../../../src/tools/video-service/analytics/moving-list.ts'
import type { Period } from '../../../../../src/tools/video-service/analytics/report-question.ts'

const HOUR_MS = 3_600_000
const ROWS = 5

/** Answers with the hours of a period, or with its days, in pages of five rows. */
async function* hoursOf<Row>({ from, to }: Period, { cursor }: Place, stepMs: number, rowAt: (time: string) => Row) {
  const offsetMs = Date.parse(`${from.slice(0, 19)}Z`) - Date.parse(from)
  const rows: Row[] = []
  const startMs = Date.parse(from) + offsetMs
  for (let atMs = startMs - (startMs % stepMs); atMs <= Date.parse(to) + offsetMs; atMs += stepMs) {
    rows.push(rowAt(isoWithOffset(atMs - offsetMs, offsetMs)))
  }
  for (let number = cursor?.page ?? 1; (number - 1) * ROWS < rows.length; number += 1) {
    const isLast = number * ROWS >= rows.length
    const page: Page<Row> = {
      rows: rows.slice((number - 1) * ROWS, number * ROWS),
      cursor: isLast ? null : { ...firstPage(ROWS), page: number + 1 },
      odd: new Map(),
    }
    yield await Promise.resolve(page)
  }
}

const series = (start?: Place) =>
  localSeries(
    {
      report: 'total-views',
      dimension: 'day',
      period: { from: '2026-10-20T00:00:00+02:00', to: '2026-10-30T23:59:59+01:00' },
    },
    openTimeZone('Europe/Berlin'),
    ({ period, dimension }, place) =>
      hoursOf(period, place, dimension === 'hour' ? HOUR_MS : 24 * HOUR_MS, (point) => ({
        dimension_type: dimension,
        point,
        value: 1,
      })),
    start,
  )
const peaks = (start?: Place) =>
  localPeaks(
    {
      report: 'peak-viewer-numbers',
      granularity: 'hour',
      period: { from: '2026-04-05T00:00:00+11:00', to: '2026-04-05T23:59:59+10:30' },
    },
    openTimeZone('Australia/Lord_Howe'),
    ({ period }, place) =>
      hoursOf(period, place, HOUR_MS, (time) => ({ content_type: 'live', content_id: '1', time, value: 1 })),
    start,
  )

async function pagesOf(pages: AsyncIterable<PlacedPage<object>>): Promise<PlacedPage<object>[]> {
  const found: PlacedPage<object>[] = []
  for await (const page of pages) found.push(page)
  return found
}

test.each([
  ['days over a change of the clocks', series],
  ['hours of peaks over a change by half an hour', peaks],
])('%s have the same rows when the report is continued after any page', async (_name, report) => {
  const whole = await pagesOf(report())
  expect(whole.length).toBeGreaterThan(4)
  for (const [index, { next }] of whole.entries()) {
    if (next === null) continue
    const rest = await pagesOf(report(next))
    expect(rest).toEqual(whole.slice(index + 1))
  }
  expect(whole.at(-1)?.next).toBeNull()
})
