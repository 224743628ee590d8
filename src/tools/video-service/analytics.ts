import { z } from 'zod'
import type { AccessToken } from './access-token.ts'
import { type Question, reportUrl } from './report-question.ts'
import { type OddFields, type RowOf, recordsOf } from './report-rows.ts'
import { ServiceRefusal, UnexpectedAnswer } from './service-errors.ts'
import type { ServiceAnswer } from './service-request.ts'
import type { ServiceSettings } from './service-settings.ts'
import { readJson, type Transport } from './transport.ts'

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The service's `count`. The documentation does not say what it counts. */
  readonly count: number | null
  readonly number: number
  /** True if the service announced no further page. */
  readonly isLast: boolean
  /** Fields that were missing or odd, of this page and those before it. */
  readonly odd: OddFields
}

export interface AnalyticsDeps {
  readonly settings: Pick<ServiceSettings, 'analyticsUrl'>
  readonly send: Transport
  /** Returns a token of type `jwt`; not `refused`, if given, which the service has rejected. */
  readonly token: (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken>
}

/** Larger pages are hardly faster, and need more memory. */
const ROWS_PER_PAGE = 1_000
/** A viewer has all their segments in one row, so a page holds fewer viewers. */
const VIEWERS_PER_PAGE = 20
/** Reading a page takes about twelve times its size in memory. */
const MOST_PAGE_BYTES = 64 * 2 ** 20
/** The documentation says that an answer can take about a minute. */
const TIMEOUT_MS = 120_000
const MOST_EMPTY_PAGES = 100
const Link = z.object({ href: z.string() }).nullable().optional()

/**
 * Fetches a report page by page, each page when the caller asks for it.
 *
 * @param first the number of the first page to fetch.
 * @throws ServiceRefusal `bad_request` with the reason that the service gives; other errors as Transport.
 * @throws UnexpectedAnswer for a link that is not the next page of this report, and for 100 empty pages in a row.
 */
export async function* pages<Q extends Question>(
  deps: AnalyticsDeps,
  question: Q,
  signal?: AbortSignal,
  first = 1,
): AsyncGenerator<Page<RowOf<Q>>> {
  const odd: OddFields = new Map()
  const [type, record] = recordsOf(odd)[question.report]
  const schema = pageSchema(type, record)
  let url: URL | null = pageUrl(deps.settings.analyticsUrl, question, first)
  let emptyInARow = 0
  for (let number = first; url !== null; number += 1) {
    // The text of the answer is kept in no variable, so that it is freed before the rows are used.
    const { data, pagination } = readJson(
      schema,
      await fetchPage(deps, url, number > first, signal),
      `the report ${question.report}`,
    )
    const rows = data.map(({ attributes }) => attributes) as unknown as RowOf<Q>[]
    // The link is checked before the rows are used, so that no report goes on after a wrong one.
    url = nextPage(url, pagination.next?.href ?? null)
    yield { rows, count: pagination.count ?? null, number, isLast: url === null, odd }
    emptyInARow = rows.length === 0 ? emptyInARow + 1 : 0
    if (url !== null && emptyInARow === MOST_EMPTY_PAGES) {
      throw new UnexpectedAnswer(`The service sent ${MOST_EMPTY_PAGES} empty pages in a row and announced more`)
    }
  }
}

/**
 * @param canExpire true if an earlier page was fetched. Only then a 401 means an expired token, which is replaced once.
 */
async function fetchPage(
  { send, token }: AnalyticsDeps,
  url: URL,
  canExpire: boolean,
  signal: AbortSignal | undefined,
): Promise<ServiceAnswer> {
  const get = ({ value }: { value: string }) => {
    const headers = { Authorization: value, 'Content-Type': 'application/json' }
    const limits = { timeoutMs: TIMEOUT_MS, mostBytes: MOST_PAGE_BYTES }
    return send({ method: 'GET', url, headers, ...limits, isQuestion: true, signal })
  }
  const current = await jwt(token, signal)
  try {
    return await get(current)
  } catch (error) {
    if (!canExpire || !(error instanceof ServiceRefusal) || error.status !== 401) throw error
    return await get(await jwt(token, signal, current))
  }
}

function pageSchema(type: string, record: z.ZodType) {
  return z.object({
    data: z.array(z.object({ type: z.literal(type), attributes: record })),
    pagination: z.object({ count: z.number().nullable().optional(), next: Link }),
  })
}

/** Returns the number of rows of a page that the service is asked for. */
export function rowsPerPage({ report }: Question): number {
  return report === 'viewers' ? VIEWERS_PER_PAGE : ROWS_PER_PAGE
}

function pageUrl(analyticsUrl: string, question: Question, number: number): URL {
  const url = reportUrl(analyticsUrl, question)
  url.searchParams.set('_page', String(number))
  url.searchParams.set('_limit', String(rowsPerPage(question)))
  return url
}

/** Takes only the page number from the link, so that the token goes to no other address. */
function nextPage(current: URL, href: string | null): URL | null {
  if (href === null) return null
  const link = URL.canParse(href, current.href) ? new URL(href, current) : null
  const from = Number(current.searchParams.get('_page'))
  if (link === null || link.origin !== current.origin || Number(link.searchParams.get('_page')) !== from + 1) {
    throw new UnexpectedAnswer(`The link on page ${from} does not lead to the next page; it was not followed`)
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
  if (current.type === 'mac') throw new RangeError('The analytics API needs a token of type jwt')
  return current
}
