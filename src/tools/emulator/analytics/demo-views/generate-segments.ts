import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { type ContentType, openSegmentWriter, type StoredSegment } from '../segments/segment-writer.ts'
import { makePerson, type Person } from './demo-people.ts'
import { type SeededRandom, seededRandom, seedOf } from './seeded-random.ts'

export interface GenerateOptions {
  /** The number of segments. */
  readonly count: number
  /** A whole number. The same seed, database and time give the same segments. */
  readonly seed: number
  /** The last segments run until now. Some of them are unfinished, unless `areFinished`. */
  readonly nowSeconds: number
  /** The segments start within so many days before now; 90 by default. */
  readonly days?: number
  /** Ends running segments now, instead of leaving them unfinished. */
  readonly areFinished?: boolean
}

/** A channel or video that generated viewers can watch. */
export interface DemoMedia {
  readonly contentType: ContentType
  readonly contentId: number
  readonly ownerId: number
  readonly isLocked: boolean
}

const DAY_SECONDS = 86_400
const SEGMENTS_PER_PERSON = 25
const MAX_SEGMENTS_PER_SESSION = 4
const PAUSE_SECONDS = 15

/**
 * Fills the database with plausible segments of all its channels and videos. Most are in the evening (UTC). Locked
 * content has only authenticated viewers. Each day is one transaction, and only one day is in memory.
 * @throws RangeError if there is no channel and no video, or the count is not a whole number from 0.
 */
export function generateSegments(
  database: DatabaseSync,
  { count, seed, nowSeconds, days = 90, areFinished = false }: GenerateOptions,
): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a number of segments: ${count}`)
  if (count === 0) return
  const media = readMedia(database)
  // The number of present segments is part of the seed, so that a second run adds new segments.
  const present = Number(database.prepare('SELECT count(*) AS present FROM watched_segments').get()?.present)
  const random = seededRandom(seedOf(seed, present))
  const audience = Math.max(25, Math.floor(count / SEGMENTS_PER_PERSON))
  const write = openSegmentWriter(database)
  let written = 0
  for (let day = 1; day <= days; day += 1) {
    const untilToday = day === days ? count : Math.round((count * (day - 0.6 * random.next())) / days)
    const dayStartSeconds = nowSeconds - (days - day + 1) * DAY_SECONDS
    const segments: StoredSegment[] = []
    while (segments.length < untilToday - written) {
      const watched = media[random.low(media.length)]
      if (watched === undefined) throw new RangeError('There is no channel and no video that could be watched')
      const person = makePerson(seed, random.low(audience), watched.isLocked)
      segments.push(
        ...watch(random, { person, watched, startSeconds: arrival(random, dayStartSeconds), nowSeconds, areFinished }),
      )
    }
    const wanted = segments.slice(0, untilToday - written).sort((a, b) => a.startedAtSeconds - b.startedAtSeconds)
    inTransaction(database, () => {
      for (const segment of wanted) write(segment)
    })
    written = untilToday
  }
}

/** Picks a moment of the day that starts at this second. 20:00 UTC is ten times as likely as 08:00. */
function arrival(random: SeededRandom, dayStartSeconds: number): number {
  for (;;) {
    const at = dayStartSeconds + Math.floor(random.next() * DAY_SECONDS)
    const hour = new Date(at * 1000).getUTCHours()
    if (random.chance(0.55 + 0.45 * Math.cos(((hour - 20) / 12) * Math.PI))) return at
  }
}

interface Visit {
  readonly person: Person
  readonly watched: DemoMedia
  readonly startSeconds: number
  readonly nowSeconds: number
  readonly areFinished: boolean
}

/** Makes one session: a few segments with pauses between them. A segment that runs now is unfinished. */
function watch(random: SeededRandom, visit: Visit): StoredSegment[] {
  const { person, watched, startSeconds, nowSeconds, areFinished } = visit
  const { isLocked, ...content } = watched
  const viewSessionId = random.uuid()
  const segments: StoredSegment[] = []
  let at = startSeconds
  let position = 0
  do {
    const end = at + 10 + Math.floor(random.around(400))
    const played = Math.min(end, nowSeconds) - at
    segments.push({
      ...content,
      ...person,
      segmentId: random.uuid(),
      viewSessionId,
      startedAtSeconds: at,
      finishedAtSeconds: end <= nowSeconds ? end : areFinished ? nowSeconds : null,
      lastHeardAtSeconds: null,
      fromSeconds: content.contentType === 'live' ? null : position,
      toSeconds: content.contentType === 'live' ? null : position + played,
    })
    at = end + PAUSE_SECONDS
    position += played
  } while (at < nowSeconds && segments.length < MAX_SEGMENTS_PER_SESSION && random.chance(0.4))
  return segments
}

/** Returns all channels, then all videos. */
export function readMedia(database: DatabaseSync): DemoMedia[] {
  const rows = database.prepare(`
    SELECT 'live' AS content_type, id, owner_id,
      EXISTS (SELECT 1 FROM locks WHERE content_type = 'live' AND content_id = channels.id) AS is_locked
    FROM channels
    UNION ALL
    SELECT 'recorded', id, owner_id,
      EXISTS (SELECT 1 FROM locks WHERE (content_type = 'recorded' AND content_id = videos.id)
                                     OR (content_type = 'live' AND content_id = videos.channel_id))
    FROM videos
    ORDER BY id`)
  return rows.all().map((row) => ({
    contentType: row.content_type === 'live' ? 'live' : 'recorded',
    contentId: Number(row.id),
    ownerId: Number(row.owner_id),
    isLocked: row.is_locked === 1,
  }))
}
