import { expect, test } from 'vitest'
import { chartParts } from '../../../../src/tools/cli/html-page/chart-parts.ts'
import { chartSpec } from '../../../../src/tools/cli/html-page/chart-spec.ts'
import { drawChart } from '../../../../src/tools/cli/html-page/draw-chart.ts'

const range = { fromMs: Date.parse('2026-11-20T00:00:00Z'), toMs: Date.parse('2026-11-21T00:00:00Z') }
const rows = Array.from({ length: 10 }, (_, at) => ({
  ...{ name: `viewer-${at}`, aside: '1 h' },
  points: [{ ...range, values: [at] }],
}))

test('a chart with many rows has parts with all rows in order, and a time axis above the first and below the last', () => {
  const parts = chartParts({ kind: 'timelines', range, rows: rows.map((row) => ({ ...row, spans: [] })) })
  const names = parts.flatMap((part) => ('rows' in part ? part.rows.map(({ name }) => name) : []))
  expect(names).toEqual(rows.map(({ name }) => name))
  expect(parts.length).toBeGreaterThan(2)
  const axes = parts.map((part) => chartSpec(part, 880).axes?.map(({ orient }) => orient))
  expect(axes).toEqual([['top'], ...Array(parts.length - 2).fill([]), ['bottom']])
})

test('the parts of a chart have one scale', () => {
  const [first, ...others] = chartParts({ kind: 'curves', range, rows })
  expect(first).toMatchObject({ part: { most: 9 } })
  expect(others.every((part) => 'part' in part && part.part?.most === 9)).toBe(true)
})

test('a chart with few rows has one part with one time axis', () => {
  const chart = { kind: 'timelines' as const, range, rows: rows.slice(0, 3).map((row) => ({ ...row, spans: [] })) }
  expect(chartParts(chart)).toEqual([chart])
  expect(chartSpec(chart, 880).axes?.map(({ orient }) => orient)).toEqual(['bottom'])
})

test('a time near an end of the axis stays in the drawing', async () => {
  const near = { fromMs: range.fromMs + 22_050, toMs: range.fromMs + 23_550 }
  const { inner } = await drawChart({ kind: 'timelines', range: near, rows: [] }, 340)
  const anchors = [...inner.matchAll(/text-anchor="(\w+)"[^>]*>[\d:]{8}</g)].map(([, anchor]) => anchor)
  expect(anchors).toEqual(['middle', 'end'])
})
