import { expect, test } from 'vitest'
import { localIso } from '../../../../../src/tools/cli/output/time-zone.ts'
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
    rows.push(rowAt(localIso(atMs - offsetMs, from.slice(19))))
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
    'Europe/Berlin',
    ({ period, dimension }, place) =>
      hoursOf(period, place, dimension === 'hour' ? HOUR_MS : 24 * HOUR_MS, (point) => ({
        dimension_type: dimension,
        point,
        value: 1,
      })),
    start,
  )

async function pagesOf(pages: AsyncIterable<PlacedPage<object>>): Promise<PlacedPage<object>[]> {
  const found: PlacedPage<object>[] = []
  for await (const page of pages) found.push(page)
  return found
}

test('days over a change of the clocks have the same rows when the report is continued after any page', async () => {
  const whole = await pagesOf(series())
  expect(whole.length).toBeGreaterThan(4)
  for (const [index, { next }] of whole.entries()) {
    if (next === null) continue
    const rest = await pagesOf(series(next))
    expect(rest).toEqual(whole.slice(index + 1))
  }
  expect(whole.at(-1)?.next).toBeNull()
})
