import type { DatabaseSync } from 'node:sqlite'
import { describeDevice } from '../../../../src/tools/emulator/analytics/segments/device.ts'
import {
  openSegmentWriter,
  type StoredSegment,
} from '../../../../src/tools/emulator/analytics/segments/segment-writer.ts'

export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1'
export const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36'

let made = 0

/** Makes a segment of channel 11 of owner 1. `rest` replaces fields. */
export function sampleSegment(
  startedAt: string,
  finishedAt: string | null,
  rest: Partial<StoredSegment> = {},
): StoredSegment {
  made += 1
  const { info, isMobile } = describeDevice(WINDOWS)
  return {
    segmentId: `5e6e0000-0000-7000-8000-${String(made).padStart(12, '0')}`,
    ownerId: 1,
    contentType: 'live',
    contentId: 11,
    startedAtSeconds: Date.parse(startedAt) / 1000,
    finishedAtSeconds: finishedAt === null ? null : Date.parse(finishedAt) / 1000,
    lastHeardAtSeconds: null,
    fromSeconds: null,
    toSeconds: null,
    clientId: 'c11e0000-0000-4000-8000-000000000001',
    viewSessionId: `5e550000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    viewerIdentifier: 'ada@example.com',
    viewType: 'onsite',
    country: 'Germany',
    city: 'Berlin',
    deviceInfo: info,
    isMobile,
    ...rest,
  }
}

export function storeSegments(database: DatabaseSync, segments: readonly StoredSegment[]): void {
  database.exec('DELETE FROM watched_segments')
  const write = openSegmentWriter(database)
  for (const segment of segments) write(segment)
}
