export type ContentType = 'live' | 'recorded'
export const DIMENSIONS = ['month', 'day', 'hour', 'location', 'device', 'view-source'] as const
export type Dimension = (typeof DIMENSIONS)[number]
export const GRANULARITIES = ['minute', 'hour'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** ISO 8601 times with an offset. The service reads a time without an offset as Los Angeles time. */
export interface Period {
  readonly from: string
  readonly to: string
}

interface Scope {
  /** All channels and videos if left out. */
  readonly contentType?: ContentType | undefined
  /** Only together with a content type. */
  readonly contentIds?: readonly string[] | undefined
}

/** One report of the analytics API with its parameters. */
export type Question =
  | ({
      readonly report: 'viewers'
      readonly period?: Partial<Period> | undefined
      /** A whole identifier, or a part of it. */
      readonly viewerIdentifier?: string | undefined
    } & Scope)
  | ({
      readonly report: 'views'
      readonly period: Period
    } & Scope)
  | ({
      readonly report: 'total-views' | 'unique-devices' | 'authenticated-viewers'
      readonly period: Period
      readonly dimension: Dimension | 'summary'
    } & Scope)
  | ({
      readonly report: 'peak-viewer-numbers'
      readonly period: Period
      readonly granularity?: Granularity
    } & Scope)

/**
 * Builds the address of a report, without `_page` and `_limit`.
 * @throws RangeError for content ids without a content type.
 */
export function reportUrl(analyticsUrl: string, question: Question): URL {
  const { report, contentType, contentIds } = question
  if (contentIds !== undefined && contentType === undefined) throw new RangeError('Content ids need a content type')
  const dimension = 'dimension' in question ? question.dimension : undefined
  const url = new URL([analyticsUrl, report, contentType, dimension].filter((part) => part !== undefined).join('/'))
  const parameters = {
    content_id: contentIds?.join(','),
    date_time_from: question.period?.from,
    date_time_to: question.period?.to,
    viewer_identifier: 'viewerIdentifier' in question ? question.viewerIdentifier : undefined,
    granularity: 'granularity' in question ? question.granularity : undefined,
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}
