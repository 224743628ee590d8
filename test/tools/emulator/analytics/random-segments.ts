import fc from 'fast-check'
import { describeDevice } from '../../../../src/tools/emulator/analytics/segments/device.ts'
import type { StoredSegment } from '../../../../src/tools/emulator/analytics/segments/segment-writer.ts'
import { OWNED } from './analytics-server.ts'

/** The evening before the night in which Los Angeles sets its clocks back. */
export const BASE_SECONDS = Date.UTC(2026, 9, 31, 20) / 1000
const STEP_SECONDS = 900

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
].map(describeDevice)

const PLACES = [
  { country: 'Germany', city: 'Berlin' },
  { country: 'Germany', city: 'Munich' },
  { country: 'Japan', city: 'Tokyo' },
]
const VIEWERS = ['ada', 'Ada', 'adam@example.com', "o'neil_100%", 'zoë', '葵😀']

/** Steps of a quarter of an hour often hit the ends of ranges and buckets. The odd seconds miss them. */
export const moment = fc
  .tuple(fc.integer({ min: 0, max: 40 * 4 }), fc.constantFrom(0, 0, 0, 1, 59, 600))
  .map(([steps, odd]) => BASE_SECONDS + steps * STEP_SECONDS + odd)

/** Within three quarters of an hour, in steps of 20 seconds, for many overlapping segments. */
export const closeMoment = fc.integer({ min: 0, max: 135 }).map((steps) => BASE_SECONDS + steps * 20)

const segment = fc
  .record({
    content: fc.constantFrom(...OWNED),
    startedAtSeconds: moment,
    duration: fc.oneof(
      fc.constant(null),
      fc.constantFrom(0, 1, 60, 900, 3600),
      fc.integer({ min: 0, max: 100 }).map((steps) => steps * STEP_SECONDS),
    ),
    viewerIdentifier: fc.option(fc.constantFrom(...VIEWERS)),
    client: fc.integer({ min: 1, max: 5 }),
    session: fc.integer({ min: 1, max: 6 }),
    place: fc.constantFrom(...PLACES),
    device: fc.constantFrom(...USER_AGENTS),
    viewType: fc.constantFrom('onsite' as const, 'offsite' as const),
    position: fc.integer({ min: 0, max: 5000 }),
  })
  .map(({ content, duration, client, session, place, device, position, ...rest }): Omit<StoredSegment, 'segmentId'> => {
    const isVideo = content.contentType === 'recorded'
    return {
      ...content,
      ...rest,
      ...place,
      finishedAtSeconds: duration === null ? null : rest.startedAtSeconds + duration,
      lastHeardAtSeconds: null,
      fromSeconds: isVideo ? position : null,
      toSeconds: isVideo ? position + (duration ?? 10) : null,
      clientId: `client-${client}`,
      viewSessionId: `session-${session}`,
      deviceInfo: device.info,
      isMobile: device.isMobile,
    }
  })

/** Few sessions on one channel at about the same time: the segments often touch, overlap and contain each other. */
const crowdedSegment = fc
  .record({
    any: segment,
    startedAtSeconds: closeMoment,
    steps: fc.integer({ min: 0, max: 60 }),
    session: fc.integer({ max: 5, min: 1 }),
  })
  .map(({ any, startedAtSeconds, steps, session }) => ({
    ...any,
    ...OWNED[0],
    startedAtSeconds,
    finishedAtSeconds: any.finishedAtSeconds === null ? null : startedAtSeconds + steps * 20,
    viewSessionId: `session-${session}`,
  }))

function numbered(segments: readonly Omit<StoredSegment, 'segmentId'>[]): StoredSegment[] {
  return segments.map((one, index) => ({
    ...one,
    segmentId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  }))
}

export const segmentList = fc.array(segment, { maxLength: 40 }).map(numbered)
export const crowd = fc.array(crowdedSegment, { minLength: 2, maxLength: 25 }).map(numbered)
