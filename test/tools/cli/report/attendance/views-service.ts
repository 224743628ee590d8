import { sendJson } from '../../../video-service/test-service.ts'
import { startReportService, viewOf } from '../report-service.ts'

/** A raw segment. Times are UNIX seconds. */
export interface RawSegment {
  /** The name that the service has, or null. */
  readonly name: string | null
  readonly client: string
  readonly type: 'live' | 'recorded'
  readonly content: string
  readonly startSeconds: number
  /** Null while the segment is watched. */
  readonly endSeconds: number | null
}

const ROWS = 7

/**
 * Starts a service with these segments, which answers `views` by the default range rule of the document, in pages of seven
 * rows. Times have the offset of the question. `asked` has the addresses.
 */
export async function startViewsService(segments: readonly RawSegment[]) {
  const state = { segments, asked: [] as string[], statusAt: (_count: number) => 200 }
  const env = await startReportService((req, res) => {
    const url = new URL(req.url ?? '', 'http://localhost')
    state.asked.push(url.pathname + url.search)
    const status = state.statusAt(state.asked.length)
    if (status !== 200) {
      res.statusCode = status
      return sendJson(res, { error: 'bad_request' })
    }
    const [from = '', to = ''] = ['date_time_from', 'date_time_to'].map((name) => url.searchParams.get(name) ?? '')
    const fromSeconds = Date.parse(from) / 1000
    const toSeconds = Date.parse(to) / 1000
    const isIn = (seconds: number) => seconds >= fromSeconds && seconds <= toSeconds
    const ids = url.searchParams.get('content_id')?.split(',')
    const listed = state.segments.filter(
      ({ type, content, startSeconds, endSeconds }) =>
        url.pathname.endsWith(`/views/${type}`) &&
        (ids?.includes(content) ?? true) &&
        (isIn(startSeconds) || (startSeconds < fromSeconds && endSeconds !== null && isIn(endSeconds))),
    )
    const page = Number(url.searchParams.get('_page'))
    const data = listed
      .slice((page - 1) * ROWS, page * ROWS)
      .map((segment) => ({ type: 'View', attributes: viewFrom(segment, from.slice(19)) }))
    const next = page * ROWS < listed.length ? { href: `?_page=${page + 1}` } : null
    sendJson(res, { data, pagination: { next } })
  })
  return { env, state }
}

function viewFrom({ name, client, type, content, startSeconds, endSeconds }: RawSegment, offset: string): object {
  const sign = offset.startsWith('-') ? -1 : 1
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  const offsetSeconds = sign * (hours * 3600 + minutes * 60)
  const iso = (seconds: number) => new Date((seconds + offsetSeconds) * 1000).toISOString().slice(0, 19) + offset
  return viewOf({
    view_id: JSON.stringify([name, client, type, content, startSeconds]),
    viewer_identifier: name,
    client_id: client,
    content_type: type,
    content_id: content,
    started_at: iso(startSeconds),
    finished_at: endSeconds === null ? null : iso(endSeconds),
  })
}
