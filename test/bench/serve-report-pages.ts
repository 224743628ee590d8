import { createServer } from 'node:http'
import { sayStarted } from './report-usage.ts'

/**
 * Serves pages of views, and of viewers with 25 segments each. Argument: the number of segments. Rows are generated per
 * page, so that every page costs the same.
 */
const segments = Number(process.argv[2])
const SEGMENTS_OF_VIEWER = 25
const VIEWERS_OF_VIEWS = 60_000
const WEEK_MS = 7 * 86_400_000
const endMs = Date.now()

const server = createServer((req, res) => {
  res.setHeader('content-type', 'application/json')
  const url = new URL(req.url ?? '', 'http://localhost')
  if (url.pathname === '/oauth2/token') {
    res.end('{"access_token":"a.b.c","token_type":"jwt","expires_in":3600}')
    return
  }
  const isViewers = url.pathname === '/v1/viewers'
  const count = isViewers ? segments / SEGMENTS_OF_VIEWER : segments
  const page = Number(url.searchParams.get('_page'))
  const limit = Number(url.searchParams.get('_limit'))
  const first = (page - 1) * limit
  const end = Math.min(count, page * limit)
  const rows = Array.from({ length: end - first }, (_, at) => (isViewers ? viewer : view)(first + at))
  const next = end < count ? `{"href":"?_page=${page + 1}&_limit=${limit}"}` : 'null'
  res.end(`{"data":[${rows.join()}],"pagination":{"count":${count},"next":${next}}}`)
})
server.listen(0, '127.0.0.1', () => sayStarted(server))

function view(at: number): string {
  const who = `"view_id":"${uuid(at)}","viewer_identifier":"${nameOf(scattered(at) % VIEWERS_OF_VIEWS)}"`
  return `{"type":"View","attributes":{${who},${segment(at)}}}`
}

function viewer(at: number): string {
  const first = at * SEGMENTS_OF_VIEWER
  const parts = Array.from(
    { length: SEGMENTS_OF_VIEWER },
    (_, of) => `{"id":"${uuid(first + of)}",${segment(first + of)}}`,
  )
  const about = `"viewer_identifier":"${nameOf(at)}","last_activity":"${time(endMs)}","videos_watched":4`
  return `{"type":"Viewer","attributes":{${about},"segments":[${parts.join()}]}}`
}

function segment(at: number): string {
  const isLive = at % 3 !== 0
  const who = scattered(at) % VIEWERS_OF_VIEWS
  const startMs = endMs - WEEK_MS * (1 - at / segments)
  return [
    ...(isLive
      ? ['"content_type":"live"', `"content_id":${1000 + (at % 5)}`]
      : ['"content_type":"recorded"', `"content_id":${2000 + (at % 40)}`]),
    `"started_at":"${time(startMs)}","finished_at":"${time(startMs + (at % 900) * 1000)}"`,
    isLive ? '"from":null,"to":null' : '"from":10,"to":500',
    `"client_id":"${uuid(who)}","view_session_id":"${uuid(at >> 1)}"`,
    `"country":"Country ${who % 60}","city":"City ${who % 900}","is_mobile_view":${who % 3 === 0},"view_type":"offsite"`,
    '"device_info":{"browser":{"family":"Chrome","major":"120","minor":"0","patch":"0"}',
    `"os":{"family":"System ${who % 9}","major":"10","minor":null,"patch":null,"patch_minor":null}`,
    '"device":{"family":"Other","brand":null,"model":null}}',
  ].join()
}

function nameOf(number: number): string {
  return `viewer.number.${number}@example.com`
}

/** Returns numbers without a useful order, the same in every run. */
function scattered(at: number): number {
  return Math.imul(at + 1, 0x9e3779b1) >>> 0
}

function uuid(number: number): string {
  return `0f0e0d0c-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z/, '+00:00')
}
