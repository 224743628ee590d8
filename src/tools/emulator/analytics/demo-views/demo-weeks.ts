import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { openSegmentWriter, type StoredSegment } from '../segments/segment-writer.ts'
import { makePerson } from './demo-people.ts'
import { type DemoMedia, generateSegments, readMedia } from './generate-segments.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

const SEED = 1
const DAYS = 28
const DAY_SECONDS = 86_400
const EVERYDAY_SEGMENTS = 2_000
const EVENT_VIEWERS = 150
const EVENT_HOUR_UTC = 16
const EVENT_SECONDS = 3_600
/** Viewers of the event come up to five minutes early, and stay up to four minutes after its end. */
const EARLY_SECONDS = 300
const LATE_SECONDS = 240

/**
 * Fills the database with the views of four weeks until now, for the reports of the demo: everyday views of all
 * content, and an event on the first locked channel in the last seven days. All views are finished. Does nothing if
 * the last run was less than a day ago; else replaces its views. Views that a player reported stay.
 */
export function refreshDemoWeeks(database: DatabaseSync, nowSeconds: number): void {
  // Players send heartbeats; generated segments have none.
  const row = database
    .prepare('SELECT max(started_at) AS newest FROM watched_segments WHERE last_heard_at IS NULL')
    .get()
  if (row?.newest !== null && Number(row?.newest) > nowSeconds - DAY_SECONDS) return
  database.exec('DELETE FROM watched_segments WHERE last_heard_at IS NULL')
  const count = EVERYDAY_SEGMENTS
  generateSegments(database, { count, seed: SEED, nowSeconds, days: DAYS, areFinished: true })
  const media = readMedia(database)
  const channel = media.find(({ contentType, isLocked }) => contentType === 'live' && isLocked)
  if (channel === undefined) return
  const segments = eventSegments(channel, lastEventSeconds(nowSeconds))
  const write = openSegmentWriter(database)
  inTransaction(database, () => {
    for (const segment of segments) write(segment)
  })
}

/** Start of the last event: in the afternoon (UTC) of a Tuesday, Wednesday or Thursday, two to five days ago. */
function lastEventSeconds(nowSeconds: number): number {
  let daySeconds = Math.floor(nowSeconds / DAY_SECONDS - 2) * DAY_SECONDS
  while (![2, 3, 4].includes(new Date(daySeconds * 1000).getUTCDay())) daySeconds -= DAY_SECONDS
  return daySeconds + EVENT_HOUR_UTC * 3_600
}

function eventSegments(channel: DemoMedia, startSeconds: number): StoredSegment[] {
  const random = seededRandom(SEED)
  const segments = Array.from({ length: EVENT_VIEWERS }, (_, index) => attend(random, index, channel, startSeconds))
  return segments.flat().sort((a, b) => a.startedAtSeconds - b.startedAtSeconds)
}

/** Most viewers join in the first minutes and stay until the end. Some leave early, some pause once. */
function attend(random: SeededRandom, index: number, channel: DemoMedia, startSeconds: number): StoredSegment[] {
  const { isLocked, ...content } = channel
  const person = makePerson(SEED, index, isLocked)
  const joined = startSeconds - EARLY_SECONDS + Math.floor(Math.min(random.around(420), EVENT_SECONDS))
  const end = startSeconds + EVENT_SECONDS + Math.floor(random.next() * LATE_SECONDS)
  const left = random.chance(0.7) ? end : Math.min(end, joined + 60 + Math.floor(random.around(900)))
  const pauseAt = joined + Math.floor(random.next() * (left - joined))
  const hasPause = random.chance(0.2) && pauseAt > joined && left - pauseAt > 60
  const viewSessionId = random.uuid()
  const watched = (from: number, to: number): StoredSegment => ({
    ...content,
    ...person,
    segmentId: random.uuid(),
    viewSessionId,
    startedAtSeconds: from,
    finishedAtSeconds: to,
    lastHeardAtSeconds: null,
    fromSeconds: null,
    toSeconds: null,
  })
  return hasPause ? [watched(joined, pauseAt), watched(pauseAt + 30, left)] : [watched(joined, left)]
}
