import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { environmentAt, sendJson, startService } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'

/** Answers in the shapes of the samples on the service's newer pages, which differ from the two documents. */
const SEGMENT = {
  city: 'Szeged',
  client_id: 4412098,
  content_id: 8123,
  content_type: 'live',
  country: 'HU',
  started_at: '2026-11-20T19:20:30+01:00',
  finished_at: '2026-11-20T19:25:40+01:00',
  from: 0,
  to: 0,
  is_mobile_view: false,
  view_session_id: '9a:bc',
  view_type: 'onsite',
}
const VIEWER = { last_activity: SEGMENT.finished_at, viewer_identifier: 'ada@example.com', videos_watched: 1 }
const POINT = { content_type: 'live', content_id: 8123, time: '2026-11-20T00:00:00+01:00', value: 12 }
const SERIES = { dimension_type: 'day', point: '2026-11-20T00:00:00+01:00', value: 12 }
const REPORTS: Readonly<Record<string, readonly [type: string, attributes: object]>> = {
  viewers: ['Viewer', { ...VIEWER, segments: [{ id: 'a-1', ...SEGMENT }] }],
  views: ['View', { view_id: 'b-1', viewer_identifier: 'ada@example.com', ...SEGMENT }],
  'total-views': ['Series', SERIES],
  'unique-devices': ['Series', SERIES],
  'authenticated-viewers': ['Series', SERIES],
  'peak-viewer-numbers': ['PeakSeries', POINT],
}
const CHANNEL = {
  id: '8123',
  title: 'Stage',
  url: 'https://video.example/channel/8123',
  status: 'offline',
  picture: {},
}
const LOCK = {
  type: 'advanced',
  url: 'https://login.example.com/',
  message: null,
  button_caption: null,
  popup_width: '0',
  popup_height: '0',
}
const token = (type: string) => ({ access_token: 'ab'.repeat(20), token_type: type, expires_in: 86_400 })

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost')
  const [, version, report = ''] = pathname.split('/')
  const form = new URLSearchParams((await req.toArray()).join(''))
  if (pathname === '/oauth2/token') return sendJson(res, token(form.get('token_type') ?? 'Bearer'))
  if (pathname.endsWith('/channels.json') && req.method === 'POST') return sendJson(res, { channel: CHANNEL })
  if (pathname.endsWith('/channels.json')) {
    const next = { href: `https://api.example${pathname}?pagesize=1&p=2` }
    if (searchParams.get('p') === '2') return sendJson(res, { channels: [{ ...CHANNEL, id: '8124' }], paging: {} })
    return sendJson(res, { channels: [CHANNEL], paging: { actual: next, next } })
  }
  if (version === 'v1') {
    const [type, attributes] = REPORTS[report] ?? []
    const link = { href: `/${report}?_page=1&_limit=1` }
    const pagination = { count: 1, first: link, last: link, next: null, prev: null, self: link }
    return sendJson(res, { data: [{ attributes, type }], pagination })
  }
  if (req.method === 'GET') return sendJson(res, { hashlock: LOCK })
  res.writeHead(req.method === 'DELETE' ? 200 : 204).end()
}

let env: Record<string, string>
beforeEach(async () => {
  const url = await startService((req, res) => void answer(req, res))
  env = { ...SETTINGS, PUBLIC_URL: LOCK.url, ...environmentAt(url) }
})
const run = (...args: string[]) => runHere(args, { cwd: temporaryFolder(), env })

const PERIOD = ['--from', '2026-11-20T00:00:00+01:00', '--to', '2026-11-20T23:59:59+01:00']
const FORMATS = [[], ['--json'], ['--csv'], ['--html', 'page.html']]
const QUESTIONS = Object.keys(REPORTS).flatMap((report) => [[report], [report, '--content', 'live', '--id', '8123']])
const TIMES = ['--by', 'day']

test.each(QUESTIONS.map((args) => [args.join(' '), args] as const))(
  'report %s reads the sample of the service in every format',
  async (_what, [report = '', ...scope]) => {
    const by = REPORTS[report]?.[0] === 'Series' ? TIMES : []
    for (const format of FORMATS) {
      const ended = await run('report', report, ...PERIOD, ...scope, ...by, ...format)
      expect(ended).toMatchObject({ status: 0, stderr: expect.stringMatching(/^(Warning: [^\n]*\n)?1 row /) })
    }
  },
)

test.each([
  ['token', /^(ab){20}\n$/],
  ['token --type jwt --json', /"access_token"/],
  ['channel list', /8123 .*\n8124 /],
  ['channel list --json', /"id":"8124"/],
  ['channel create Stage', /8123: https:\/\/video\.example\/channel\/8123\n$/],
  ['lock set --channel 8123 --yes', /./],
  ['lock show --channel 8123', /./],
  ['lock set --video 91 --yes', /./],
  ['lock remove --channel 8123 --yes', /./],
])('%s reads the samples of the service', async (command, printed) => {
  const { status, stdout, stderr } = await run(...command.split(' '))
  expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(printed), expect.not.stringContaining('Failed')])
})

test('doctor reads the samples of the service', async () => {
  const { findings } = JSON.parse((await run('doctor', '--channel', '8123', '--json')).stdout)
  const codes = findings.map(({ code }: { code: string }) => code)
  expect(codes).toContain('client-accepted')
  for (const code of ['service-unexpected', 'channel-unknown', 'channels-unlisted']) expect(codes).not.toContain(code)
})
