import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { sendJson } from '../../video-service/test-service.ts'
import { runHere } from '../run-here.ts'
import { startReportService, viewOf } from './report-service.ts'

const ROWS = 2_500

/** Starts a service with views whose list changes before each request but the first. */
async function startMovingService(change: (list: string[], request: number) => unknown) {
  const list = Array.from({ length: ROWS }, (_, index) => `view-${index}`)
  let requests = 0
  return await startReportService((req, res) => {
    requests += 1
    if (requests > 1) change(list, requests)
    const query = new URL(req.url ?? '', 'http://localhost').searchParams
    const page = Number(query.get('_page'))
    const limit = Number(query.get('_limit'))
    const data = list
      .slice((page - 1) * limit, page * limit)
      .map((view_id) => ({ type: 'View', attributes: viewOf({ view_id, viewer_identifier: view_id }) }))
    const next = page * limit < list.length ? { href: `?_page=${page + 1}&_limit=${limit}` } : null
    sendJson(res, { data, pagination: { count: list.length, next } })
  })
}

const DAY = ['--from', '2026-11-20', '--to', '2026-11-20']
const REPORTS: [name: string, args: string[]][] = [
  ['views', ['report', 'views', ...DAY, '--json']],
  ['attendance', ['report', 'attendance', '--channel', '1001', ...DAY, '--json']],
]

test.each(REPORTS)('a report of %s on a list that changes is written, says so, and fails', async (_name, args) => {
  const env = await startMovingService((list, request) => request === 2 && list.unshift(...list.splice(2_000, 1)))
  const { status, stdout, stderr } = await runHere(args, { cwd: temporaryFolder(), env })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Warning: the list .* changed .*rows may be missing/)])
  const rows: { viewer_identifier?: string; viewer?: string }[] = JSON.parse(stdout)
  const names = rows.map((row) => row.viewer_identifier ?? row.viewer)
  expect(names.length).toBeGreaterThan(ROWS - 10)
  expect(new Set(names).size).toBe(names.length)
})

test('a wait that the service asks for is said with its end', async () => {
  const waits = [4]
  const env = await startReportService((_req, res) => {
    const seconds = waits.shift()
    if (seconds !== undefined) res.writeHead(429, { 'retry-after': String(seconds) }).end()
    else sendJson(res, { data: [], pagination: { next: null } })
  })
  const run = () => runHere(['report', 'views', '--last', '1d', '--csv'], { cwd: temporaryFolder(), env })
  expect(await run()).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/asks to wait until \d\d:\d\d:\d\d\.\n/),
  })
  waits.push(900)
  expect(await run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/no requests until \d\d:\d\d:\d\d\. /) })
})
