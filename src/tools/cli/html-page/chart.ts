/** A span of time in which a viewer watched. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
  readonly isLive: boolean
}

export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** One value for each layer. Layers are stacked. */
export interface Point extends TimeRange {
  readonly values: readonly number[]
}

interface Row {
  /** Untrusted text from the service. */
  readonly name: string
  /** Our text at the end of the line. */
  readonly aside: string
}

/** A part of a chart with many rows. */
interface ChartPart {
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The highest value of the whole chart. */
  readonly most: number
}

export interface BarsChart {
  readonly kind: 'bars'
  readonly part?: ChartPart
  readonly rows: readonly (Row & { readonly value: number })[]
}
export interface ColumnsChart {
  readonly kind: 'columns'
  readonly range: TimeRange
  readonly points: readonly Point[]
  /** Label of the vertical axis. */
  readonly unit: string
  /** A line across the columns, with one value for each point. */
  readonly line?: { readonly label: string; readonly values: readonly number[] }
}
export interface TimelinesChart {
  readonly kind: 'timelines'
  readonly part?: ChartPart
  readonly range: TimeRange
  readonly rows: readonly (Row & { readonly spans: readonly Span[] })[]
}
export interface CurvesChart {
  readonly kind: 'curves'
  readonly part?: ChartPart
  readonly range: TimeRange
  readonly rows: readonly (Row & { readonly points: readonly Point[] })[]
}
/** The content of a chart, independent of its size. */
export type Chart = ColumnsChart | RowsChart
export type RowsChart = BarsChart | TimelinesChart | CurvesChart
