import type { IncomingMessage, ServerResponse } from 'node:http'
import { environmentAt, sendJson, startService } from '../../video-service/test-service.ts'

/** Starts a service that issues a token to every client, and lets the test answer reports. */
export async function startReportService(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Record<string, string>> {
  const url = await startService((req, res) => {
    if (req.url !== '/oauth2/token') return answer(req, res)
    sendJson(res, { access_token: 'a.b.c', token_type: 'jwt', expires_in: 3600 })
  })
  return environmentAt(url)
}

/** Starts a service whose reports have these rows on one page. */
export function serviceWithRows(type: string, rows: readonly object[]): Promise<Record<string, string>> {
  const data = rows.map((attributes) => ({ type, attributes }))
  return startReportService((_req, res) => sendJson(res, { data, pagination: { count: rows.length, next: null } }))
}

/** Returns a view in the format of the service. */
export function viewOf(given: object = {}): object {
  return {
    view_id: '00000000-0000-4000-8000-000000000001',
    viewer_identifier: 'ada@example.com',
    content_type: 'live',
    content_id: '1001',
    started_at: '2026-11-20T10:00:00+00:00',
    finished_at: '2026-11-20T11:30:00+00:00',
    client_id: 'client-1',
    view_session_id: 'session-1',
    country: 'Hungary',
    city: 'Budapest',
    is_mobile_view: false,
    view_type: 'onsite',
    device_info: { browser: { family: 'Firefox' }, os: { family: 'Linux' }, device: { family: 'Other' } },
    ...given,
  }
}
