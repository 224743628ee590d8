import type { ContentTitles } from '../report/content-titles.ts'
import type { Chart } from './chart.ts'

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

export interface Section {
  readonly title: string
  /** Describes the chart, for screen readers too. */
  readonly words: string
  readonly chart: Chart
  /** Null if there are too many numbers to read. */
  readonly table: PageTable | null
  /** Explains the two colours of the chart. Null for a chart with one colour. */
  readonly legend: readonly [first: string, second: string] | null
  /** True for half the width of the page. */
  readonly isHalf: boolean
}

/** The content of a page, before it is rendered. */
export interface PageModel {
  readonly title: string
  /** The report in one or two sentences. */
  readonly summary: string
  readonly figures: readonly Figure[]
  /** The results of checks, one sentence each. */
  readonly checks?: readonly { readonly isMet: boolean; readonly text: string }[]
  readonly sections: readonly Section[]
  /** Explain the numbers. */
  readonly notes: readonly string[]
}

/** Takes rows one by one, and keeps only what the page shows. */
export interface PageCollector<Row> {
  add(row: Row): void
  model(titles: ContentTitles): PageModel
}

export const LIVE_AND_RECORDED = ['Live', 'Recorded'] as const
export const MOST_TABLE_ROWS = 200

/** Returns a page for a report without rows. */
export function nothing(title: string, summary = 'No views in this period.'): PageModel {
  return { title, summary, figures: [], sections: [], notes: [] }
}
