import { z } from 'zod'
import { type RefusesBeyond, strictRefusal } from '../../http/beyond-documents.ts'
import type { Selection } from '../segments/segment-selection.ts'
import type { ContentType } from '../segments/segment-writer.ts'
import type { Report, ReportQuestion, SeriesDimension, SeriesMetric } from './report-question.ts'
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
  | { readonly kind: Exclude<Report['kind'], 'series'> }
  | { readonly kind: 'series'; readonly metric: SeriesMetric; readonly dimension: SeriesDimension }
)

/** The values by name: a text, or a list of texts for a repeated parameter. */
type QueryParameters = Readonly<Record<string, string | string[] | undefined>>

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

const Identifier = SingleValue.max(MAX_IDENTIFIER_LENGTH, `must not be longer than ${MAX_IDENTIFIER_LENGTH} characters`)
const Granularity = SingleValue.pipe(z.enum(['minute', 'hour'], { error: 'must be minute or hour' }))
const Page = {
  _page: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(1),
  _limit: wholeNumber(1, MAX_LIMIT).default(10),
}
const Unfinished = { list_unfinished_segments: Switch.default(true) }
const Range = { date_time_from: Time, date_time_to: Time }
const OptionalRange = { date_time_from: Time.optional(), date_time_to: Time.optional() }

/** The parameters of each endpoint in the analytics document. All others are ignored. */
const SCHEMA = {
  viewers: z.object({ ...Page, ...Unfinished, viewer_identifier: Identifier.optional(), ...OptionalRange }),
  views: z.object({ ...Page, ...Range, ...Unfinished, inclusive_range: Switch.default(true) }),
  series: z.object({ ...Page, ...Range }),
  peaks: z.object({ ...Page, ...Range, granularity: Granularity.default('minute') }),
}
/** For endpoints with a content type in the path. */
const ContentFilter = { content_id: ContentIds.optional() }

/** The values of all endpoints. An endpoint has only those of its schema. */
interface Values {
  readonly _page: number
  readonly _limit: number
  readonly date_time_from?: TimeParameter | undefined
  readonly date_time_to?: TimeParameter | undefined
  readonly content_id?: readonly number[] | undefined
  readonly list_unfinished_segments?: boolean
  readonly viewer_identifier?: string | undefined
  readonly inclusive_range?: boolean
  readonly granularity?: z.infer<typeof Granularity>
}

/** Reads the query of one endpoint. Lists all mistakes at once. */
export function readParameters(
  endpoint: Endpoint,
  query: QueryParameters,
  refusesBeyond: RefusesBeyond,
): ParameterCheck {
  const { contentType, kind } = endpoint
  const schema = contentType === null ? SCHEMA[kind] : SCHEMA[kind].extend(ContentFilter)
  const parsed: z.ZodSafeParseResult<Values> = schema.safeParse(query)
  const issues = parsed.error?.issues ?? []
  const mistakes = issues.map(({ path, message }) => describeError(String(path[0]), message, query))
  const errors = [...mistakes, ...reversedRange(query)]
  if (!parsed.success || errors.length > 0) return { ok: false, errors }
  const refused = undocumentedIn(endpoint, query, Object.keys(schema.shape)).filter(({ what }) => refusesBeyond(what))
  if (refused.length > 0) {
    const named = refused.map(({ name, what }) => ({ ...describeError(name, '', query), message: strictRefusal(what) }))
    return { ok: false, errors: named }
  }
  const { _page, _limit, date_time_from: from, date_time_to: to, ...values } = parsed.data
  return {
    ok: true,
    question: {
      report: reportOf(endpoint, values),
      selection: {
        contentType,
        contentIds: values.content_id ?? null,
        fromSeconds: from?.seconds ?? null,
        toSeconds: to?.seconds ?? null,
        finishedOnly: values.list_unfinished_segments === false,
      },
      timeZone: from?.timeZone ?? to?.timeZone ?? '+00:00',
      page: { number: _page, limit: _limit },
    },
  }
}

function reportOf(endpoint: Endpoint, values: Omit<Values, '_page' | '_limit'>): Report {
  const { kind } = endpoint
  if (kind === 'series') return { kind, metric: endpoint.metric, dimension: endpoint.dimension }
  if (kind === 'viewers') return { kind, viewerIdentifier: values.viewer_identifier ?? null }
  if (kind === 'views') return { kind, insideOnly: values.inclusive_range === false }
  return { kind, granularity: values.granularity ?? 'minute' }
}

/** Lists what a valid query has beyond the document. */
function undocumentedIn(
  endpoint: Endpoint,
  query: QueryParameters,
  documented: readonly string[],
): { name: string; what: string }[] {
  const found = Object.keys(query).flatMap((name) => {
    if (!documented.includes(name)) {
      return [{ name, what: `the parameter ${JSON.stringify(name.slice(0, 40))} of this endpoint` }]
    }
    const unusual = /^date_time_/.test(name) ? unusualTime(String(query[name])) : null
    return unusual === null ? [] : [{ name, what: unusual }]
  })
  if (endpoint.kind === 'peaks' && query.granularity === undefined) {
    found.push({ name: 'granularity', what: 'peak viewer numbers without granularity' })
  }
  return found
}

function reversedRange(query: QueryParameters): ParameterError[] {
  const from = Time.safeParse(query.date_time_from)
  const to = Time.safeParse(query.date_time_to)
  if (!from.success || !to.success || from.data.seconds <= to.data.seconds) return []
  return [describeError('date_time_to', 'must not be before date_time_from', query)]
}

function describeError(parameter: string, problem: string, query: QueryParameters): ParameterError {
  const value = query[parameter]
  const isShown = typeof value === 'string' && value.length <= MAX_SHOWN_VALUE_LENGTH
  return { parameter, in: 'query', ...(isShown && { value }), message: `${parameter} ${problem}` }
}
