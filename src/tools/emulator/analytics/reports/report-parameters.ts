import { z } from 'zod'
import { type RefusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'
import type { Selection } from '../segments/segment-selection.ts'
import type { ContentType } from '../segments/segment-tables.ts'
import type { ReportKind, ReportQuestion, SeriesDimension, SeriesMetric } from './report-question.ts'
import { readTimeParameter, type TimeParameter, unusualTime } from './report-times.ts'

/** An item of the `errors` of an answer. */
export interface ParameterError {
  readonly parameter: string
  readonly in: 'query' | 'path' | 'header'
  /** As received; absent if the parameter is missing, repeated or too long. */
  readonly value?: string
  readonly message: string
}

/** An endpoint, with the parameters in its path. */
export type Endpoint = { readonly contentType: ContentType | null } & (
  | { readonly kind: 'viewers' | 'views' }
  | { readonly kind: 'peaks' | 'watched' }
  | { readonly kind: 'series'; readonly metric: SeriesMetric; readonly dimension: SeriesDimension }
)

/** The values by name: a text, or a list of texts for a repeated parameter. */
export type QueryParameters = Readonly<Record<string, string | string[] | undefined>>

type ParsedQuestion = Pick<ReportQuestion, 'report' | 'timeZone' | 'page'> & {
  readonly selection: Omit<Selection, 'ownerId'>
}
export type ParameterCheck =
  | { readonly ok: true; readonly question: ParsedQuestion }
  | { readonly ok: false; readonly errors: readonly ParameterError[] }

const MAX_LIMIT = 10_000
const MAX_IDENTIFIER_LENGTH = 255
const MAX_SHOWN_VALUE_LENGTH = 100

const SingleValue = z.string({
  error: ({ input }) => (Array.isArray(input) ? 'must be given only once' : 'is required'),
})
const Time = SingleValue.transform((text, context): TimeParameter => {
  const time = readTimeParameter(text)
  if (time !== null) return time
  context.addIssue({ code: 'custom', message: 'must be a time like 2026-01-31T23:59:59+00:00 that exists' })
  return z.NEVER
})
const Switch = SingleValue.pipe(z.enum(['true', 'false'], { error: 'must be true or false' })).transform(
  (text) => text === 'true',
)
const ContentIds = SingleValue.transform((text, context): readonly number[] => {
  const ids = text.split(',').map((id) => (/^\d{1,16}$/.test(id) ? Number(id) : Number.NaN))
  if (ids.every(Number.isSafeInteger)) return [...new Set(ids)]
  context.addIssue({ code: 'custom', message: 'must be a number, or several separated by commas' })
  return z.NEVER
})

function wholeNumber(least: number, greatest: number) {
  const message = `must be a whole number from ${least} to ${greatest}`
  return SingleValue.transform((text, context): number => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= greatest) return number
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

const Page = {
  _page: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(1),
  _limit: wholeNumber(1, MAX_LIMIT).default(10),
}
const RequiredRange = { date_time_from: Time, date_time_to: Time }
const Unfinished = { list_unfinished_segments: Switch.default(true) }

/** The parameters of each endpoint in the analytics document. All others are ignored. */
const Viewers = z.object({
  ...Page,
  ...Unfinished,
  viewer_identifier: SingleValue.max(
    MAX_IDENTIFIER_LENGTH,
    `must not be longer than ${MAX_IDENTIFIER_LENGTH} characters`,
  ).optional(),
  date_time_from: Time.optional(),
  date_time_to: Time.optional(),
})
const Views = z.object({ ...Page, ...RequiredRange, ...Unfinished, inclusive_range: Switch.default(true) })
const Series = z.object({ ...Page, ...RequiredRange })
const Peaks = z.object({
  ...Page,
  ...RequiredRange,
  granularity: SingleValue.pipe(
    z.enum(['minute', 'hour', 'day', 'month'], { error: 'must be minute, hour, day or month' }),
  ).default('minute'),
})
const SCHEMA = { viewers: Viewers, views: Views, series: Series, peaks: Peaks, watched: Peaks } as const
/** For endpoints with a content type in the path. */
const ContentFilter = z.object({ content_id: ContentIds.optional() })

/** Reads the query of one endpoint. Lists all mistakes at once. */
export function readParameters(
  endpoint: Endpoint,
  query: QueryParameters,
  refusesBeyond: RefusesBeyond,
): ParameterCheck {
  const checked = readDocumented(endpoint, query)
  if (!checked.ok) return checked
  const errors = undocumentedIn(endpoint, query)
    .filter(({ what }) => refusesBeyond(what))
    .map(({ name, what }) => ({ ...describeError(name, '', query), message: strictRefusal(what) }))
  return errors.length === 0 ? checked : { ok: false, errors }
}

/** Lists what a valid query has beyond the document. */
function undocumentedIn(endpoint: Endpoint, query: QueryParameters): { name: string; what: string }[] {
  const { kind, contentType } = endpoint
  if (kind === 'watched') return [{ name: 'path', what: 'the report viewer-seconds' }]
  const known = new Set(Object.keys({ ...SCHEMA[kind].shape, ...(contentType !== null && ContentFilter.shape) }))
  const found = Object.keys(query).flatMap((name) => {
    if (!known.has(name)) return [{ name, what: `the parameter ${JSON.stringify(name.slice(0, 40))} of this endpoint` }]
    const unusual = /^date_time_/.test(name) ? unusualTime(String(query[name])) : null
    return unusual === null ? [] : [{ name, what: unusual }]
  })
  const { granularity = '' } = query
  if (granularity === 'day' || granularity === 'month')
    found.push({ name: 'granularity', what: `granularity ${granularity}` })
  if (endpoint.kind === 'series' && (endpoint.dimension === 'country' || endpoint.dimension === 'region')) {
    found.push({ name: 'dimension', what: `the dimension ${endpoint.dimension}` })
  }
  const isWithout = kind === 'peaks' && query.granularity === undefined
  return isWithout ? [...found, { name: 'granularity', what: 'peak viewer numbers without granularity' }] : found
}

function readDocumented(endpoint: Endpoint, query: QueryParameters): ParameterCheck {
  switch (endpoint.kind) {
    case 'viewers':
      return check(Viewers, endpoint, query, ({ viewer_identifier }) => ({
        kind: 'viewers',
        viewerIdentifier: viewer_identifier ?? null,
      }))
    case 'views':
      return check(Views, endpoint, query, ({ inclusive_range }) => ({ kind: 'views', insideOnly: !inclusive_range }))
    case 'series': {
      const { metric, dimension } = endpoint
      return check(Series, endpoint, query, () => ({ kind: 'series', metric, dimension }))
    }
    case 'peaks':
    case 'watched': {
      const { kind } = endpoint
      return check(Peaks, endpoint, query, ({ granularity }) => ({ kind, granularity }))
    }
  }
}

interface Common {
  readonly _page: number
  readonly _limit: number
  readonly date_time_from?: TimeParameter | undefined
  readonly date_time_to?: TimeParameter | undefined
  readonly list_unfinished_segments?: boolean
}

function check<Parameters extends Common>(
  schema: z.ZodType<Parameters>,
  { contentType }: Endpoint,
  query: QueryParameters,
  toReport: (parameters: Parameters) => ReportKind,
): ParameterCheck {
  const parsed = schema.safeParse(query)
  const content = ContentFilter.safeParse(contentType === null ? {} : query)
  const errors = [...issuesOf(parsed, query), ...issuesOf(content, query), ...reversedRange(query)]
  if (!parsed.success || !content.success || errors.length > 0) return { ok: false, errors }
  const { _page, _limit, date_time_from: from, date_time_to: to, list_unfinished_segments } = parsed.data
  return {
    ok: true,
    question: {
      report: toReport(parsed.data),
      selection: {
        contentType,
        contentIds: content.data.content_id ?? null,
        fromSeconds: from?.seconds ?? null,
        toSeconds: to?.seconds ?? null,
        finishedOnly: list_unfinished_segments === false,
      },
      timeZone: from?.timeZone ?? to?.timeZone ?? '+00:00',
      page: { number: _page, limit: _limit },
    },
  }
}

function issuesOf({ error }: z.ZodSafeParseResult<unknown>, query: QueryParameters): ParameterError[] {
  return (error?.issues ?? []).map(({ path, message }) => describeError(String(path[0]), message, query))
}

function reversedRange(query: QueryParameters): ParameterError[] {
  const [from, to] = [Time.safeParse(query.date_time_from), Time.safeParse(query.date_time_to)]
  if (!from.success || !to.success || from.data.seconds <= to.data.seconds) return []
  return [describeError('date_time_to', 'must not be before date_time_from', query)]
}

function describeError(parameter: string, problem: string, query: QueryParameters): ParameterError {
  const value = query[parameter]
  const isShown = typeof value === 'string' && value.length <= MAX_SHOWN_VALUE_LENGTH
  return { parameter, in: 'query', ...(isShown && { value }), message: `${parameter} ${problem}` }
}
