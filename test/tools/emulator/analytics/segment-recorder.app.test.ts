import { beforeEach, describe, expect, test } from 'vitest'
import {
  openSegmentRecorder,
  type SegmentRecorder,
  type SegmentStart,
} from '../../../../src/tools/emulator/analytics/segments/segment-recorder.ts'
import { openAnalyticsDatabase } from './analytics-server.ts'
import { IPHONE } from './sample-segments.ts'

let database: ReturnType<typeof openAnalyticsDatabase>
let recorder: SegmentRecorder
beforeEach(() => {
  database = openAnalyticsDatabase()
  recorder = openSegmentRecorder(database)
  return () => database.close()
})

const START: SegmentStart = {
  contentType: 'recorded',
  contentId: 21,
  startedAtSeconds: 1_000,
  fromSeconds: 30,
  clientId: 'browser',
  viewSessionId: 'session',
  viewerIdentifier: 'ada@example.com',
  viewType: 'offsite',
  userAgent: IPHONE,
  address: '127.0.0.7',
}
function start(rest: Partial<SegmentStart> = {}): string {
  const id = recorder.start({ ...START, ...rest })
  if (id === null) throw new Error('The segment was not started')
  return id
}
const stored = () =>
  database.prepare("SELECT *, device_info ->> '$.device.family' AS family FROM watched_segments ORDER BY id").all()

describe('a segment that starts', () => {
  test('a new segment has a UUID, all fields, and no end', () => {
    expect(start()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(stored()).toMatchObject([
      {
        owner_id: 1,
        content_type: 'recorded',
        content_id: 21,
        started_at: 1_000,
        finished_at: null,
        last_heard_at: 1_000,
        from_position: 30,
        to_position: 30,
        view_type: 'offsite',
        viewer_identifier: 'ada@example.com',
        client_id: 'browser',
        view_session_id: 'session',
        country: 'Hungary',
        city: 'Budapest',
        family: 'iPhone',
        is_mobile: 1,
      },
    ])
  })
  test('a segment of an unknown channel or video is not recorded', () => {
    expect(recorder.start({ ...START, contentId: 11 })).toBeNull()
    expect(recorder.start({ ...START, contentType: 'live' })).toBeNull()
    expect(stored()).toEqual([])
  })
  test('a segment belongs to the owner of the channel or video', () => {
    start({ contentId: 23 })
    start({ contentType: 'live', contentId: 13, fromSeconds: null })
    expect(stored()).toMatchObject([{ owner_id: 2 }, { owner_id: 2, from_position: null, to_position: null }])
  })
})

describe('a segment that runs', () => {
  test('a heartbeat updates the time and the position of a segment', () => {
    expect(recorder.heartbeat(start(), { atSeconds: 1_010, positionSeconds: 40 })).toBe(true)
    expect(stored()).toMatchObject([{ last_heard_at: 1_010, finished_at: null, to_position: 40 }])
  })
  test('a second end does not change a segment', () => {
    const id = start()
    expect(recorder.finish(id, { atSeconds: 1_020, positionSeconds: 50 })).toBe(true)
    expect(recorder.finish(id, { atSeconds: 1_090, positionSeconds: 99 })).toBe(false)
    expect(recorder.heartbeat(id, { atSeconds: 1_090, positionSeconds: 99 })).toBe(false)
    expect(stored()).toMatchObject([{ finished_at: 1_020, to_position: 50 }])
  })
  test('a segment never ends before its start', () => {
    recorder.finish(start(), { atSeconds: 10, positionSeconds: null })
    expect(stored()).toMatchObject([{ finished_at: 1_000, to_position: 30 }])
  })
  test('a heartbeat and an end of an unknown segment return false', () => {
    expect(recorder.heartbeat('no such id', { atSeconds: 1, positionSeconds: 1 })).toBe(false)
    expect(recorder.finish('no such id', { atSeconds: 1, positionSeconds: 1 })).toBe(false)
  })
})

describe('abandoned segments', () => {
  test('an abandoned segment ends at its last heartbeat', () => {
    const silent = start()
    recorder.heartbeat(silent, { atSeconds: 1_030, positionSeconds: 60 })
    const lively = start()
    recorder.heartbeat(lively, { atSeconds: 1_031, positionSeconds: 60 })
    expect(recorder.finishAbandoned({ nowSeconds: 1_091, silentForSeconds: 60 })).toBe(1)
    expect(stored()).toMatchObject([{ finished_at: 1_030 }, { finished_at: null }])
    expect(recorder.finishAbandoned({ nowSeconds: 1_091, silentForSeconds: 60 })).toBe(0)
  })
  test('a generated segment is never abandoned', () => {
    start()
    database.exec('UPDATE watched_segments SET last_heard_at = NULL')
    expect(recorder.finishAbandoned({ nowSeconds: 9_999, silentForSeconds: 60 })).toBe(0)
  })
})
