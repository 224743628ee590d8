import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refreshDemoWeeks } from '../../../../src/tools/emulator/analytics/demo-views/demo-weeks.ts'
import { openSegmentRecorder } from '../../../../src/tools/emulator/analytics/segments/segment-recorder.ts'
import { openAnalyticsDatabase } from './analytics-server.ts'

const DAY = 86_400
const SUNDAY = Date.UTC(2026, 10, 22, 10, 30) / 1000

let database: DatabaseSync
beforeEach(() => {
  database = openAnalyticsDatabase()
})
afterEach(() => database.close())

const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {}).map(Number)

/** Greatest number of open segments of channel 11 at one moment, and this moment. Counted without the reports. */
function peak(): { viewers: number; atSeconds: number } {
  const rows = database.prepare('SELECT started_at, finished_at FROM watched_segments WHERE content_id = 11').all()
  const changes = rows.flatMap((row) => [
    { at: Number(row.started_at), by: 1 },
    { at: Number(row.finished_at), by: -1 },
  ])
  let now = 0
  let viewers = 0
  let atSeconds = 0
  for (const { at, by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    now += by
    if (now > viewers) [viewers, atSeconds] = [now, at]
  }
  return { viewers, atSeconds }
}

describe('the views of the demo', () => {
  test('four weeks until now have views every day, of all channels and videos, by many viewers on many devices', () => {
    refreshDemoWeeks(database, SUNDAY)
    const [days, contents, viewers, guests, devices, places] = one(`
      SELECT count(DISTINCT (${SUNDAY} - started_at) / ${DAY}), count(DISTINCT content_id), count(DISTINCT viewer_identifier),
        sum(viewer_identifier IS NULL), count(DISTINCT device_info), count(DISTINCT city) FROM watched_segments`) as number[]
    expect([days, contents]).toEqual([28, 6])
    expect(Math.min(viewers ?? 0, guests ?? 0)).toBeGreaterThan(50)
    expect([devices, places]).toEqual([9, 20])
    expect(one('SELECT min(started_at), max(finished_at), sum(finished_at IS NULL) FROM watched_segments')).toEqual([
      expect.closeTo(SUNDAY - 28 * DAY, -5),
      expect.closeTo(SUNDAY, -5),
      0,
    ])
  })

  test.each(Array.from({ length: 7 }, (_, day) => day))(
    '%d days after a Sunday, the last seven days have an event on a weekday, with its peak within its hour',
    (day) => {
      const now = SUNDAY + day * DAY
      refreshDemoWeeks(database, now)
      const { viewers, atSeconds } = peak()
      expect(viewers).toBeGreaterThan(90)
      expect(viewers).toBeLessThanOrEqual(150)
      const at = new Date(atSeconds * 1000)
      expect([2, 3, 4]).toContain(at.getUTCDay())
      expect(at.getUTCHours()).toBe(16)
      expect(atSeconds).toBeGreaterThan(now - 6 * DAY)
      expect(atSeconds).toBeLessThan(now - DAY)
      database.exec(`DELETE FROM watched_segments WHERE abs(started_at - ${atSeconds}) < ${DAY / 2}`)
      expect(peak().viewers).toBeLessThan(15)
    },
  )

  test('a start on the same day keeps the views; a start three days later moves them, and keeps what players reported', () => {
    refreshDemoWeeks(database, SUNDAY)
    const before = one('SELECT count(*), max(started_at) FROM watched_segments')
    refreshDemoWeeks(database, SUNDAY + 3_600)
    expect(one('SELECT count(*), max(started_at) FROM watched_segments')).toEqual(before)
    const segments = openSegmentRecorder(database)
    const reported = segments.start({
      contentType: 'live',
      contentId: 11,
      startedAtSeconds: SUNDAY + 60,
      fromSeconds: null,
      clientId: 'a client',
      viewSessionId: 'a session',
      viewerIdentifier: 'ada@example.com',
      viewType: 'onsite',
      userAgent: '',
      address: '127.0.0.1',
    })
    segments.finish(String(reported), { atSeconds: SUNDAY + 90, positionSeconds: null })
    const later = SUNDAY + 3 * DAY
    refreshDemoWeeks(database, later)
    expect(
      one(`SELECT max(started_at) > ${later - DAY}, min(started_at) > ${later - 29 * DAY} FROM watched_segments`),
    ).toEqual([1, 1])
    expect(one('SELECT count(*) FROM watched_segments WHERE last_heard_at IS NOT NULL')).toEqual([1])
  })

  test('a demo without a locked channel has everyday views only', () => {
    database.exec('DELETE FROM locks')
    refreshDemoWeeks(database, SUNDAY)
    expect(one('SELECT count(*) FROM watched_segments')).toEqual([2_000])
  })
})
