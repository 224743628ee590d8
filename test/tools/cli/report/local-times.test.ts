import { expect, test } from 'vitest'
import { localTimes } from '../../../../src/tools/cli/report/local-times.ts'

const berlin = localTimes('Europe/Berlin')
const peakAt = (time: string) => ({ content_type: 'live', content_id: '1001', time, value: 3 }) as const
const segment = {
  ...({
    content_type: 'live',
    content_id: '1001',
    client_id: 'c',
    view_session_id: 's',
    is_mobile_view: false,
  } as const),
  view_type: 'onsite',
  device_info: { browser: { family: 'b' }, os: { family: 'o' }, device: { family: 'd' } },
}

test.each([
  ['before the clocks are put back', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+02:00'],
  ['in the repeated hour', '2026-10-25T03:30:00+02:00', '2026-10-25T02:30:00+01:00'],
  ['near midnight after the change', '2026-10-28T00:59:22+02:00', '2026-10-27T23:59:22+01:00'],
  ['from a service that answers in UTC', '2026-10-27T23:30:00+00:00', '2026-10-28T00:30:00+01:00'],
  ['with a fraction, which is left as it is', '2026-10-28T00:59:22.500+02:00', '2026-10-28T00:59:22.500+02:00'],
  ['that is not a time', 'soon', 'soon'],
])('a time %s has the offset of the zone', (_case, sent, local) => {
  expect(berlin(peakAt(sent))).toEqual(peakAt(local))
})

test('clocks that change by half an hour give the offset of each time', () => {
  const lordHowe = localTimes('Australia/Lord_Howe')
  expect(lordHowe(peakAt('2026-04-05T01:59:00+11:00'))).toEqual(peakAt('2026-04-05T01:59:00+11:00'))
  expect(lordHowe(peakAt('2026-04-05T02:00:00+11:00'))).toEqual(peakAt('2026-04-05T01:30:00+10:30'))
})

test('views and the segments of viewers have local times, and a running view has no end', () => {
  const sent = '2026-10-28T00:59:22+02:00'
  const local = '2026-10-27T23:59:22+01:00'
  const view = { ...segment, view_id: 'v', viewer_identifier: null }
  expect(berlin({ ...view, started_at: sent, finished_at: sent })).toEqual({
    ...view,
    started_at: local,
    finished_at: local,
  })
  expect(berlin({ ...view, started_at: sent, finished_at: null })).toEqual({
    ...view,
    started_at: local,
    finished_at: null,
  })
  const viewer = { viewer_identifier: 'ada', videos_watched: 1 }
  expect(berlin({ ...viewer, last_activity: sent, segments: [{ ...segment, id: 'i', started_at: sent }] })).toEqual({
    ...viewer,
    last_activity: local,
    segments: [{ ...segment, id: 'i', started_at: local }],
  })
})

test('the point of a series is left as it is', () => {
  const row = { dimension_type: 'day', point: '2026-10-26T01:00:00+02:00', value: 1 }
  expect(berlin(row)).toBe(row)
})
