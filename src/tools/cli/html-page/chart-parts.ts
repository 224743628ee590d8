import type { Chart, RowsChart } from './chart.ts'

/** Height of a row in pixels. */
export const ROW_PIXELS = { bars: 43, timelines: 47, curves: 86 }
const PART_PIXELS = 175

/** Splits a chart with many rows, so that a printed page can end between two parts. */
export function chartParts(chart: Chart): Chart[] {
  if (chart.kind === 'columns') return [chart]
  const most = mostOf(chart)
  const rowsPerPart = Math.floor(PART_PIXELS / ROW_PIXELS[chart.kind])
  const parts: Chart[] = []
  for (let row = 0; row < chart.rows.length; row += rowsPerPart) {
    const part = { isFirst: row === 0, isLast: row + rowsPerPart >= chart.rows.length, most }
    // The type of the rows follows from the kind.
    parts.push({ ...chart, rows: chart.rows.slice(row, row + rowsPerPart), part } as RowsChart)
  }
  return parts.length > 1 ? parts : [chart]
}

/** Returns the value with the full width of a bar or the full height of a curve. */
export function mostOf(chart: RowsChart): number {
  switch (chart.kind) {
    case 'bars':
      return Math.max(...chart.rows.map(({ value }) => value), Number.MIN_VALUE)
    case 'curves':
      return Math.max(...chart.rows.flatMap(({ points }) => points.map(({ values }) => values[0] ?? 0)), 1)
    case 'timelines':
      return 1
  }
}
