import Table from 'cli-table3'
import { type BenchRow, isMet } from './bench-row.ts'

/** Formats the rows for people: one line each, with baseline and target. */
export function tableOf(rows: readonly BenchRow[]): string {
  const table = new Table({
    head: ['', 'measured', 'compared with', 'ratio', 'target', ''],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
    style: { head: [], border: [] },
  })
  for (const row of rows) {
    const { name, value, unit, baseline, ratio, target } = row
    table.push([
      row.note === undefined ? name : `${name}\n${row.note}`,
      `${rounded(value)} ${unit}`,
      baseline === undefined ? '' : rounded(baseline),
      ratio === undefined ? '' : ratio.toFixed(2),
      target === undefined ? '' : 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`,
      verdictOf(row),
    ])
  }
  return table.toString()
}

function verdictOf(row: BenchRow): string {
  const met = isMet(row)
  return met === null ? '' : met ? 'met' : 'MISSED'
}

/** Three digits, because the measurement is no more precise. */
function rounded(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(3)
}
