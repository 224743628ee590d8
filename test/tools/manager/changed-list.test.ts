import { expect, test } from 'vitest'
import { eventReports } from '../../../src/tools/manager/after/event-reports.ts'
import en from '../../../views/manager/texts/en.json' with { type: 'json' }
import { startReportService, viewOf } from '../cli/report/report-service.ts'
import { sendJson } from '../video-service/test-service.ts'

const EVENT = { channel: '1001', period: { from: '2026-11-20T10:00:00+00:00', to: '2026-11-20T20:00:00+00:00' } }

test.each([1, 2])('a list that changes in %i readings of an event is read again', async (changes) => {
  let readings = 0
  const env = await startReportService((req, res) => {
    const isFirst = req.url?.includes('_page=1&')
    if (isFirst) readings += 1
    const next = isFirst && readings <= changes ? { href: '?_page=2' } : null
    sendJson(res, { data: [{ type: 'View', attributes: viewOf() }], pagination: { count: next ? 2 : 1, next } })
  })
  expect(await eventReports(env).views(EVENT)).toMatchObject({ ok: true, data: [expect.anything()] })
  expect(readings).toBe(changes + 1)
})

test('no report of the page for managers has rows of a list that changed while it was read', async () => {
  const env = await startReportService((req, res) => {
    const isFirst = req.url?.includes('_page=1&')
    const next = isFirst ? { href: '?_page=2' } : null
    sendJson(res, { data: [{ type: 'View', attributes: viewOf() }], pagination: { count: 2, next } })
  })
  const { attendance, views } = eventReports(env)
  const refused = { ok: false, code: 'listChanged' }
  expect(en.faults.listChanged).toContain('changed while it was read')
  expect(await views(EVENT)).toMatchObject(refused)
  expect(await attendance({ ...EVENT, isOfStore: false, atLeastMs: null })).toMatchObject(refused)
})
