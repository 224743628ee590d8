import type { Selection } from '../segments/segment-selection.ts'

export type SeriesMetric = 'total-views' | 'unique-devices' | 'authenticated-viewers'
export type SeriesDimension = 'summary' | 'month' | 'day' | 'hour' | 'location' | 'device' | 'view-source'
export type Granularity = 'hour' | 'minute'

/** What is asked, with the parameters that only this report knows. */
export type ReportKind =
  | { readonly kind: 'viewers'; readonly viewerIdentifier: string | null }
  | { readonly kind: 'views'; readonly insideOnly: boolean }
  | { readonly kind: 'series'; readonly metric: SeriesMetric; readonly dimension: SeriesDimension }
  | { readonly kind: 'peaks'; readonly granularity: Granularity }

/** A whole question about the segments; it can be sent to another thread as it is. */
export interface ReportQuestion {
  readonly report: ReportKind
  readonly selection: Selection
  /** Until when unfinished segments count. */
  readonly nowSeconds: number
  /** The zone of the times in the answer, and of the hours, days and months: an offset like "+02:00", or an IANA name. */
  readonly timeZone: string
  readonly page: { readonly number: number; readonly limit: number }
  /** What the links to other pages are made of. */
  readonly link: { readonly path: string; readonly parameters: readonly (readonly [name: string, value: string])[] }
}
