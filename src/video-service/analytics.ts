import { z } from 'zod'
import type { AccessToken } from './access-token.ts'
import { AnswerTooLarge, ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceAnswer } from './service-request.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readJson, type Transport } from './transport.ts'

export type ContentType = 'live' | 'recorded'
export type Dimension = 'month' | 'day' | 'hour' | 'location' | 'device' | 'view-source'
export const DIMENSIONS: readonly Dimension[] = ['month', 'day', 'hour', 'location', 'device', 'view-source']

/** From and to in ISO 8601 with an offset; whatever has none would be taken as the time of Los Angeles. */
export interface Period {
  readonly from: string
  readonly to: string
}

interface Scope {
  /** Without it all content is reported. */
  readonly contentType?: ContentType
  /** Only with a content type. */
  readonly contentIds?: readonly string[]
}

/** Every question of the analytics API, one member an endpoint pair. */
export type Question =
  | ({
      readonly report: 'viewers'
      readonly period?: Partial<Period>
      /** A part of the identifier is enough. */
      readonly viewerIdentifier?: string
      readonly listUnfinishedSegments?: boolean
    } & Scope)
  | ({
      readonly report: 'views'
      readonly period: Period
      readonly listUnfinishedSegments?: boolean
      readonly inclusiveRange?: boolean
    } & Scope)
  | ({
      readonly report: 'total-views' | 'unique-devices' | 'authenticated-viewers'
      readonly period: Period
      readonly dimension: Dimension | 'summary'
    } & Scope)
  | ({
      readonly report: 'peak-viewer-numbers'
      readonly period: Period
      readonly granularity?: 'hour' | 'minute'
    } & Scope)

const NullableText = z.string().nullable().optional()
const DeviceInfo = z.object({
  browser: z.object({ family: z.string(), major: NullableText, minor: NullableText, patch: NullableText }),
  os: z.object({
    family: z.string(),
    major: NullableText,
    minor: NullableText,
    patch: NullableText,
    patch_minor: NullableText,
  }),
  device: z.object({ family: z.string(), brand: NullableText, model: NullableText }),
})
/** `content_id` is a string in the documented example of a view and an integer in a segment: read as a string. */
const SegmentFields = {
  content_type: z.enum(['live', 'recorded']),
  content_id: z.coerce.string(),
  started_at: z.string(),
  /** Null, or absent, for a segment that is not finished. */
  finished_at: z.string().nullable().optional(),
  from: z.number().nullable().optional(),
  to: z.number().nullable().optional(),
  client_id: z.string(),
  view_session_id: z.string(),
  country: z.string().nullable().optional(),
  city: z.string().nullable().optional(),
  is_mobile_view: z.boolean(),
  view_type: z.string(),
  device_info: DeviceInfo,
}
const Segment = z.object({ id: z.string(), ...SegmentFields })
const ViewRecord = z.object({
  view_id: z.string(),
  viewer_identifier: z.string().nullable().optional(),
  ...SegmentFields,
})
const ViewerRecord = z.object({
  viewer_identifier: z.string(),
  last_activity: z.string(),
  videos_watched: z.number(),
  segments: z.array(Segment),
})
const SeriesRecord = z.object({ dimension_type: z.string(), point: z.string(), value: z.number() })
const PeakRecord = z.object({
  content_type: z.enum(['live', 'recorded']),
  content_id: z.coerce.string(),
  time: z.string(),
  value: z.number(),
})

export type ViewerRow = z.output<typeof ViewerRecord>
export type ViewRow = z.output<typeof ViewRecord>
export type SeriesRow = z.output<typeof SeriesRecord>
export type PeakRow = z.output<typeof PeakRecord>
/** The rows that a question is answered with. */
export type RowOf<Q extends Question> = Q extends { report: 'viewers' }
  ? ViewerRow
  : Q extends { report: 'views' }
    ? ViewRow
    : Q extends { report: 'peak-viewer-numbers' }
      ? PeakRow
      : SeriesRow

const RECORDS = {
  viewers: ['Viewer', ViewerRecord],
  views: ['View', ViewRecord],
  'total-views': ['Series', SeriesRecord],
  'unique-devices': ['Series', SeriesRecord],
  'authenticated-viewers': ['Series', SeriesRecord],
  'peak-viewer-numbers': ['PeakSeries', PeakRecord],
} as const

const Link = z.object({ href: z.string() }).nullable().optional()

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** What the service calls `count`; the documentation does not say of what. */
  readonly count: number | null
  readonly number: number
}

export interface AnalyticsDeps {
  readonly settings: Pick<ServiceSettings, 'analyticsUrl'>
  readonly send: Transport
  /** Of the type `jwt`; another than the one that the service refused, where there is such a one. */
  readonly token: (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken>
}

/** The documentation warns of answers that take about a minute. */
const TIMEOUT_MS = 120_000
/** A page takes some twelve times as much memory while it is read. */
const MOST_PAGE_BYTES = 6 * 2 ** 20
/** A row of viewers holds all that one has watched, and cannot be made smaller. */
const MOST_ROW_BYTES = 64 * 2 ** 20
const MOST_EMPTY_PAGES = 100

/**
 * The answer to a question, page by page, each fetched when it is asked for. Where a page turns out too large, it and
 * those that follow are asked for in smaller ones.
 *
 * @param rowsPerPage 1 to 10,000.
 * @throws ServiceRefusal `bad_request` with what the service found wrong; the others as Transport.
 * @throws UnexpectedAnswer for a link that leads elsewhere than to the next page: the token goes nowhere else; and for
 * empty pages that lead on and on.
 */
export async function* pages<Q extends Question>(
  deps: AnalyticsDeps,
  question: Q,
  rowsPerPage: number,
  signal?: AbortSignal,
): AsyncGenerator<Page<RowOf<Q>>> {
  const [type, record] = RECORDS[question.report]
  const schema = pageSchema(type, record)
  let wanted: URL | null = firstPage(deps.settings.analyticsUrl, question, rowsPerPage)
  let emptyInARow = 0
  for (let number = 1; wanted !== null; number += 1) {
    const { answer, url } = await fetchPage(deps, wanted, number > 1, signal)
    const { data, pagination } = readJson(schema, answer, `the report ${question.report}`)
    const rows = data.map(({ attributes }) => attributes) as unknown as RowOf<Q>[]
    yield { rows, count: pagination.count ?? null, number }
    emptyInARow = rows.length === 0 ? emptyInARow + 1 : 0
    wanted = nextPage(url, pagination.next?.href ?? null)
    if (wanted !== null && emptyInARow === MOST_EMPTY_PAGES) {
      throw new UnexpectedAnswer(`The service sent ${MOST_EMPTY_PAGES} empty pages and says that there are more`)
    }
  }
}

/**
 * @param canExpire whether the token has been good for a page before: it may have come to its end meanwhile.
 * @returns the answer, and the page that was asked for in the end.
 */
async function fetchPage(
  { send, token }: AnalyticsDeps,
  wanted: URL,
  canExpire: boolean,
  signal: AbortSignal | undefined,
): Promise<{ answer: ServiceAnswer; url: URL }> {
  let url = wanted
  let current = await jwt(token, signal)
  let mayRenew = canExpire
  for (;;) {
    const mostBytes = rowsAskedFor(url) === 1 ? MOST_ROW_BYTES : MOST_PAGE_BYTES
    const headers = { Authorization: current.value, 'Content-Type': 'application/json' }
    try {
      return { answer: await send({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS, mostBytes, signal }), url }
    } catch (error) {
      if (error instanceof AnswerTooLarge && rowsAskedFor(url) > 1) {
        url = inSmallerPages(url)
      } else if (mayRenew && error instanceof ServiceRefusal && error.status === 401) {
        mayRenew = false
        current = await jwt(token, signal, current)
      } else {
        throw error
      }
    }
  }
}

function rowsAskedFor(url: URL): number {
  return Number(url.searchParams.get('_limit'))
}

/** The page that begins at the same row, with the next smaller size in which one begins there. */
function inSmallerPages(url: URL): URL {
  const [page, rows] = [Number(url.searchParams.get('_page')), rowsAskedFor(url)]
  let fewer = Math.floor(rows / 2)
  while (rows % fewer !== 0) fewer -= 1
  const smaller = new URL(url)
  smaller.searchParams.set('_limit', String(fewer))
  smaller.searchParams.set('_page', String(((page - 1) * rows) / fewer + 1))
  return smaller
}

function pageSchema(type: string, record: z.ZodType) {
  return z.object({
    data: z.array(z.object({ type: z.literal(type), attributes: record })),
    pagination: z.object({ count: z.number().nullable().optional(), next: Link }),
  })
}

function firstPage(analyticsUrl: string, question: Question, rowsPerPage: number): URL {
  const { report, contentType, contentIds } = question
  if (contentIds !== undefined && contentType === undefined) {
    throw new RangeError('Content ids can be asked for together with their content type only')
  }
  const dimension = 'dimension' in question ? question.dimension : undefined
  const url = new URL([analyticsUrl, report, contentType, dimension].filter((part) => part !== undefined).join('/'))
  const parameters = {
    content_id: contentIds?.join(','),
    date_time_from: question.period?.from,
    date_time_to: question.period?.to,
    viewer_identifier: 'viewerIdentifier' in question ? question.viewerIdentifier : undefined,
    list_unfinished_segments: 'listUnfinishedSegments' in question ? question.listUnfinishedSegments : undefined,
    inclusive_range: 'inclusiveRange' in question ? question.inclusiveRange : undefined,
    granularity: 'granularity' in question ? question.granularity : undefined,
    _page: 1,
    _limit: rowsPerPage,
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** Of a link only the page number is news: everything else must be what we asked for. */
function nextPage(current: URL, href: string | null): URL | null {
  if (href === null) return null
  const link = URL.canParse(href, current.href) ? new URL(href, current) : null
  const from = Number(current.searchParams.get('_page'))
  if (link === null || link.origin !== current.origin || Number(link.searchParams.get('_page')) !== from + 1) {
    throw new UnexpectedAnswer(`The link to the page after page ${from} leads elsewhere; it was not followed`)
  }
  const next = new URL(current)
  next.searchParams.set('_page', String(from + 1))
  return next
}

async function jwt(
  token: AnalyticsDeps['token'],
  signal: AbortSignal | undefined,
  refused?: AccessToken,
): Promise<Exclude<AccessToken, { type: 'mac' }>> {
  const current = await token(signal, refused)
  if (current.type === 'mac') throw new RangeError('The analytics API takes a token of the type jwt')
  return current
}
