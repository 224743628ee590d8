import type { TimeRange } from '../output/time-range.ts'
import type { RowsChart } from './rows-chart.ts'

/** A large number at the top of the page. */
export interface Figure {
  readonly value: string
  readonly label: string
}

export interface PageTable {
  readonly columns: readonly string[]
  /** Numbers are right-aligned. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Numbers over time. The script of the page draws them from their table. */
export interface TimesChart {
  readonly kind: 'times'
  /** The first column has the words for the times. */
  readonly timesTitle: string
  /** Areas are stacked, the first one on top. Null: only in the table. */
  readonly columns: readonly { readonly title: string; readonly draw: 'area' | 'line' | null }[]
  readonly range: TimeRange
  /** Moments with a line of their own, as UNIX time in milliseconds. */
  readonly marks?: readonly { readonly atMs: number; readonly words: string }[]
  /** In the order of time. */
  readonly rows: readonly (TimeRange & { readonly words: string; readonly values: readonly number[] })[]
}

export interface Section {
  readonly title: string
  readonly words: string
  readonly chart: TimesChart | RowsChart
  /** More numbers than the chart has. */
  readonly table?: PageTable
  /** Explains the two colors of a chart with rows. */
  readonly legend?: readonly [first: string, second: string]
  /** True for half the width of the page. */
  readonly isHalf?: boolean
}

/** The content of a page, before it is rendered. */
export interface PageModel {
  readonly title: string
  /** The report in one or two sentences. */
  readonly summary: string
  readonly figures: readonly Figure[]
  /** The results of checks, one sentence each. */
  readonly checks?: readonly { readonly isMet: boolean; readonly isTried?: boolean; readonly text: string }[]
  readonly sections: readonly Section[]
  /** Explain the numbers. */
  readonly notes: readonly string[]
}
