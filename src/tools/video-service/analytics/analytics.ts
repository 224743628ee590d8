import { z } from 'zod'
import type { AccessToken } from '../access-token.ts'
import { ServiceRefusal, UnexpectedAnswer } from '../service-errors.ts'
import type { ServiceAnswer } from '../service-request.ts'
import type { ServiceSettings } from '../service-settings.ts'
import { readJson, type Transport } from '../transport.ts'
import { type Cursor, firstPage, followList, MOVED, type SeenRows } from './moving-list.ts'
import { type Question, reportUrl } from './report-question.ts'
import { type OddFields, type RowOf, recordsOf } from './report-rows.ts'

export interface Page<Row> {
  /** The rows that no page before had. */
  readonly rows: readonly Row[]
  /** The place of the next page. Null after the last. */
  readonly cursor: Cursor | null
  /** Fields that were missing or odd, and changes of the list, of this page and those before it. */
  readonly odd: OddFields
}

/** The place where a list is read on, and the rows before it. */
export interface ListStart {
  readonly cursor: Cursor | null
  readonly seen: SeenRows
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
const VIEWERS_PER_PAGE = 24
/** Reading a page takes about twelve times its size in memory. */
const MOST_PAGE_BYTES = 64 * 2 ** 20
/** The documentation says that an answer can take about a minute. */
const TIMEOUT_MS = 120_000
const MOST_EMPTY_PAGES = 100
const Link = z.object({ href: z.string() }).nullable().optional()

/**
 * Fetches a report page by page, each page when the caller asks for it. A row of an earlier page is left out.
 *
 * @param start default: the first page.
 * @throws ServiceRefusal `bad_request` with the reason that the service gives; other errors as Transport.
 * @throws UnexpectedAnswer for a link that is not the next page of this report, and for 100 empty pages in a row.
 */
export async function* pages<Q extends Question>(
  deps: AnalyticsDeps,
  question: Q,
  signal?: AbortSignal,
  start: ListStart = { cursor: null, seen: new Set() },
): AsyncGenerator<Page<RowOf<Q>>> {
  const odd: OddFields = new Map()
  const [type, record] = recordsOf(odd)[question.report]
  const schema = pageSchema(type, record)
  let emptyInARow = 0
  let isFirst = true
  for (let cursor = start.cursor ?? firstPage(rowsPerPage(question)); ; ) {
    const url = pageUrl(deps.settings.analyticsUrl, question, cursor)
    // The text of the answer is kept in no variable, so that it is freed before the rows are used.
    const { data, pagination } = readJson(
      schema,
      await fetchPage(deps, url, !isFirst, signal),
      `the report ${question.report}`,
    )
    isFirst = false
    const all = data.map(({ attributes }) => attributes) as unknown as RowOf<Q>[]
    // The link is checked before the rows are used, so that no report goes on after a wrong one.
    const nextLimit = limitOfNext(url, pagination.next?.href ?? null)
    const page = { rows: all, count: pagination.count ?? null, nextLimit }
    const { rows, isMoved, next } = followList<RowOf<Q>>(cursor, page, start.seen)
    if (isMoved) odd.set(MOVED, (odd.get(MOVED) ?? 0) + 1)
    yield { rows, cursor: next, odd }
    emptyInARow = all.length === 0 ? emptyInARow + 1 : 0
    if (next === null) return
    if (emptyInARow === MOST_EMPTY_PAGES) {
      throw new UnexpectedAnswer(`The service sent ${MOST_EMPTY_PAGES} empty pages in a row and announced more`)
    }
    cursor = next
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

function pageUrl(analyticsUrl: string, question: Question, { page, limit }: Cursor): URL {
  const url = reportUrl(analyticsUrl, question)
  url.searchParams.set('_page', String(page))
  url.searchParams.set('_limit', String(limit))
  return url
}

/**
 * Checks that the link leads to the next page, and returns its limit, else that of this page. The link is not followed, so
 * that the token goes to no other address.
 */
function limitOfNext(current: URL, href: string | null): number | null {
  if (href === null) return null
  const link = URL.canParse(href, current.href) ? new URL(href, current) : null
  const from = Number(current.searchParams.get('_page'))
  if (link === null || link.origin !== current.origin || Number(link.searchParams.get('_page')) !== from + 1) {
    throw new UnexpectedAnswer(`The link on page ${from} does not lead to the next page; it was not followed`)
  }
  return Number(link.searchParams.get('_limit') ?? current.searchParams.get('_limit'))
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
