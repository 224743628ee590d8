import type { Chart } from '../chart/chart.ts'

/** A number that the reader takes away. */
export interface Figure {
  readonly value: string
  readonly label: string
}

export interface PageTable {
  readonly columns: readonly string[]
  /** A number is set to the right. */
  readonly rows: readonly (readonly (string | number)[])[]
}

export interface Section {
  readonly title: string
  /** What the chart shows, for who cannot see it too. */
  readonly words: string
  readonly chart: Chart
  /** Null where the numbers are too many to be read. */
  readonly table: PageTable | null
  /** What the colours mean, where there are two. */
  readonly hasLegend: boolean
  /** Of half the page's width. */
  readonly isHalf: boolean
}

/** What a page says, before it is drawn. */
export interface PageModel {
  readonly title: string
  /** The whole in one or two sentences. */
  readonly summary: string
  readonly figures: readonly Figure[]
  readonly sections: readonly Section[]
  /** What the numbers mean. */
  readonly notes: readonly string[]
}

/** Takes rows as they come, and keeps of them no more than the page shows. */
export interface PageCollector<Row> {
  add(row: Row): void
  model(): PageModel
}

export const MOST_TABLE_ROWS = 200

export function nothing(title: string): PageModel {
  return { title, summary: 'Nobody watched in this period.', figures: [], sections: [], notes: [] }
}
