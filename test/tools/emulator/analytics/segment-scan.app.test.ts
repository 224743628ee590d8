import { expect, test } from 'vitest'
import { scanSegments } from '../../../../src/tools/emulator/analytics/segments/segment-scan.ts'
import { openAnalyticsDatabase } from './analytics-server.ts'
import { sampleSegment, storeSegments } from './sample-segments.ts'

/** Hours of the starts: several segments start at the same time. */
const HOURS = [1, 2, 2, 2, 2, 2, 3, 3, 4]

test.each([1, 2, 3, 5, 9, 10])('a scan of %d rows a step visits each segment once, in order', (rowsPerStep) => {
  const database = openAnalyticsDatabase()
  storeSegments(
    database,
    HOURS.map((hour) => sampleSegment(`2026-03-10T0${hour}:00:00Z`, null)),
  )
  const seen: [hour: number, id: number][] = []
  const selection = { where: 'owner_id = :owner', parameters: { owner: 1 } }
  const steps = scanSegments(
    database,
    { index: 'segments_by_start', selection, columns: ['id', '0'] },
    (startedAt, id) => seen.push([new Date(startedAt * 1000).getUTCHours(), id]),
    rowsPerStep,
  )
  const pauses = [...steps]
  expect(seen.map(([hour]) => hour)).toEqual(HOURS)
  expect(new Set(seen.map(([, id]) => id)).size).toBe(HOURS.length)
  expect(pauses).toHaveLength(Math.floor(HOURS.length / rowsPerStep) + 1)
  database.close()
})
