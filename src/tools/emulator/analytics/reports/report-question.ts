import type { Selection } from '../segments/segment-selection.ts'

export type SeriesMetric = 'total-views' | 'unique-devices' | 'authenticated-viewers'
export type GroupDimension = 'location' | 'device' | 'view-source'
export type SeriesDimension = 'summary' | 'month' | 'day' | 'hour' | GroupDimension
export type Granularity = 'minute' | 'hour'

/** The kind of a report, with the parameters of this kind only. */
export type Report =
  | { readonly kind: 'viewers'; readonly viewerIdentifier: string | null }
  | { readonly kind: 'views'; readonly insideOnly: boolean }
  | { readonly kind: 'series'; readonly metric: SeriesMetric; readonly dimension: SeriesDimension }
  | { readonly kind: 'peaks'; readonly granularity: Granularity }

/** A complete question to the reports. */
export interface ReportQuestion {
  readonly report: Report
  readonly selection: Selection
  /** Unfinished segments count until now. */
  readonly nowSeconds: number
  /** Zone of times, hours, days and months in the answer: an offset such as "+02:00", or an IANA name. */
  readonly timeZone: string
  readonly page: { readonly number: number; readonly limit: number }
  /** The parts of links to other pages. */
  readonly link: { readonly path: string; readonly parameters: readonly (readonly [name: string, value: string])[] }
}

export type QuestionOf<Kind extends Report['kind']> = ReportQuestion & {
  readonly report: Extract<Report, { kind: Kind }>
}

export interface Answer {
  /** The number of items on all pages. */
  readonly count: number
  /** The items of this page, as JSON. */
  readonly items: Iterable<string>
}
