import { type BenchRow, isMet } from './bench-row.ts'

const NAME_WIDTH = 58
const VALUE_WIDTH = 24
const RATIO_WIDTH = 36

export const TABLE_HEAD = line('', 'measured', 'ratio to the baseline', 'target')

/** Formats one row for people: its figures, and the note on a second line. */
export function lineOf(row: BenchRow): string {
  const { name, value, unit, baseline, ratio, spread, target, note } = row
  const range = spread === undefined ? '' : ` (${spread.map((figure) => precise(figure, ratio)).join('–')})`
  const figures = [
    `${rounded(value)} ${unit}${ratio === undefined ? range : ''}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}${range} of ${rounded(baseline ?? 0)}`,
  ] as const
  const goal = target === undefined ? '' : 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`
  const met = isMet(row)
  const verdict = met === null ? '' : met ? 'met' : 'MISSED'
  return line(name, ...figures, `${goal} ${verdict}`) + (note === undefined ? '' : `\n  ${note}`)
}

/** Formats a row of two checkouts: the ratio only, since the figures of a shared machine say little. */
export function ratioLineOf({ name, ratio, spread = [0, 0] }: BenchRow): string {
  return `${name.padEnd(NAME_WIDTH)} ${ratio?.toFixed(2)} (${spread.map((figure) => figure.toFixed(2)).join('–')})`
}

function line(name: string, value: string, ratio: string, target: string): string {
  return `${name.padEnd(NAME_WIDTH)} ${value.padEnd(VALUE_WIDTH)} ${ratio.padEnd(RATIO_WIDTH)} ${target}`.trimEnd()
}

function precise(figure: number, ratio: number | undefined): string {
  return ratio === undefined ? rounded(figure) : figure.toFixed(2)
}

/** Three digits, because the measurement is no more precise. */
function rounded(figure: number): string {
  return Math.abs(figure) >= 100 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(3)
}
