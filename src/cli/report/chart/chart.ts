/** A stretch of time that was watched. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
  readonly isLive: boolean
}

export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** One value a layer: the layers lie on top of each other. */
export interface Point extends TimeRange {
  readonly values: readonly number[]
}

interface Row {
  /** As it came from strangers. */
  readonly name: string
  /** Our own words at the end of the line. */
  readonly aside: string
}

export interface BarsChart {
  readonly kind: 'bars'
  readonly rows: readonly (Row & { readonly value: number })[]
}
export interface ColumnsChart {
  readonly kind: 'columns'
  readonly range: TimeRange
  readonly points: readonly Point[]
  /** What the vertical axis counts. */
  readonly unit: string
}
export interface TimelinesChart {
  readonly kind: 'timelines'
  readonly range: TimeRange
  readonly rows: readonly (Row & { readonly spans: readonly Span[] })[]
}
export interface CurvesChart {
  readonly kind: 'curves'
  readonly range: TimeRange
  readonly rows: readonly (Row & { readonly points: readonly Point[] })[]
}
/** What is to be seen, whatever the size it is drawn in. */
export type Chart = ColumnsChart | RowsChart
export type RowsChart = BarsChart | TimelinesChart | CurvesChart
