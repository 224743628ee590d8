import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import type { ContentType } from '../segments/segment-tables.ts'
import { openSegmentWriter, type StoredSegment } from '../segments/segment-writer.ts'
import { openAudience } from './audience.ts'
import { type SeededRandom, seededRandom, seedOf } from './seeded-random.ts'
import { type Broadcast, dailyRhythm, planSessionPieces } from './watching-habits.ts'

export interface GenerateOptions {
  /** How many segments. */
  readonly count: number
  /** A whole number; the same seed, database and time give the same segments. */
  readonly seed: number
  /** The last segments run until now, and some of them are unfinished. */
  readonly nowSeconds: number
  /** How far back the first segments lie. */
  readonly days?: number
}

interface Media {
  readonly contentType: ContentType
  readonly contentId: number
  readonly ownerId: number
  readonly locked: boolean
  /** Of a video. */
  readonly lengthSeconds: number
  readonly broadcast: Broadcast
}

type Watch = (random: SeededRandom, windowStartSeconds: number) => StoredSegment[]

const DAY_SECONDS = 86_400
const SEGMENTS_PER_PERSON = 25

/**
 * Fills the database with plausible segments of all its channels and videos: more by day than by night where the viewer
 * lives, more on working days, crowds at weekly broadcasts, favourite videos, pauses and jumps. A day at a time is kept in
 * memory and is one transaction.
 * @throws RangeError when there is no channel and no video to watch, or the count is not a whole number from 0.
 */
export function generateSegments(
  database: DatabaseSync,
  { count, seed, nowSeconds, days = 90 }: GenerateOptions,
): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a number of segments: ${count}`)
  if (count === 0) return
  const media = readMedia(database)
  if (media.length === 0) throw new RangeError('There is no channel and no video that could be watched')
  // What is there already decides too, so that a second run with the same seed adds others instead of the same again.
  const present = Number(database.prepare('SELECT count(*) AS present FROM segments').get()?.present)
  const random = seededRandom(seedOf(seed, present))
  const watch = openWatch({
    media,
    seed,
    nowSeconds,
    audienceSize: Math.max(25, Math.floor(count / SEGMENTS_PER_PERSON)),
  })
  const write = openSegmentWriter(database, { rememberNumbers: true })
  for (const { startSeconds, quota } of planDays(random, { count, nowSeconds, days })) {
    const segments = fillDay(() => watch(random, startSeconds), quota)
    inTransaction(database, () => {
      for (const segment of segments) write(segment)
    })
  }
}

/** How many segments begin in each of the days that end now; they add up to the count. */
function* planDays(
  random: SeededRandom,
  { count, nowSeconds, days }: { count: number; nowSeconds: number; days: number },
) {
  const starts = Array.from({ length: days }, (_, index) => nowSeconds - (days - index) * DAY_SECONDS)
  const weights = starts.map((start, index) => {
    const weekday = new Date((start + DAY_SECONDS / 2) * 1000).getUTCDay()
    const growth = 0.7 + (0.6 * index) / days
    return (weekday === 0 || weekday === 6 ? 0.55 : 1) * growth * (0.85 + 0.3 * random.next())
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let weightSoFar = 0
  let countSoFar = 0
  for (const [index, startSeconds] of starts.entries()) {
    weightSoFar += weights[index] ?? 0
    const planned = index === days - 1 ? count : Math.round((count * weightSoFar) / total)
    yield { startSeconds, quota: planned - countSoFar }
    countSoFar = planned
  }
}

function fillDay(watch: () => StoredSegment[], quota: number): StoredSegment[] {
  const segments: StoredSegment[] = []
  while (segments.length < quota) segments.push(...watch())
  return segments.slice(0, quota).sort((a, b) => a.startedAtSeconds - b.startedAtSeconds)
}

/** One person watches one thing, beginning in the day that starts at the given second. */
function openWatch(of: { media: readonly Media[]; seed: number; nowSeconds: number; audienceSize: number }): Watch {
  const { nowSeconds } = of
  const weighted = of.media.map((media, rank) => [media, 1 / (rank + 1) ** 0.6] as const)
  const arrive = openAudience(of.seed, of.audienceSize)
  return (random, windowStartSeconds) => {
    const media = random.pick(weighted)
    const { place, ...member } = arrive(random, media.locked)
    const arrival = { windowStartSeconds, windowSeconds: DAY_SECONDS, media, likes: dailyRhythm(place.timeZone) }
    const pieces = planSessionPieces(random, arrival)
    const viewSessionId = random.uuid(pieces[0]?.startedAtSeconds ?? windowStartSeconds)
    return pieces
      .filter(({ startedAtSeconds }) => startedAtSeconds < nowSeconds)
      .map(({ startedAtSeconds, finishedAtSeconds, fromSeconds }) => {
        const lastSeconds = Math.min(finishedAtSeconds, nowSeconds)
        return {
          ...member,
          segmentId: random.uuid(startedAtSeconds),
          viewSessionId,
          ownerId: media.ownerId,
          contentType: media.contentType,
          contentId: media.contentId,
          country: place.country,
          city: place.city,
          startedAtSeconds,
          finishedAtSeconds: finishedAtSeconds > nowSeconds ? null : finishedAtSeconds,
          lastHeardAtSeconds: null,
          fromSeconds,
          toSeconds: fromSeconds === null ? null : fromSeconds + lastSeconds - startedAtSeconds,
        }
      })
  }
}

function readMedia(database: DatabaseSync): Media[] {
  const rows = database.prepare(`
    SELECT 'live' AS content_type, id, owner_id,
      EXISTS (SELECT 1 FROM locks WHERE content_type = 'live' AND content_id = channels.id) AS locked
    FROM channels
    UNION ALL
    SELECT 'recorded', id, owner_id,
      EXISTS (SELECT 1 FROM locks WHERE (content_type = 'recorded' AND content_id = videos.id)
                                     OR (content_type = 'live' AND content_id = videos.channel_id))
    FROM videos
    ORDER BY id`)
  return rows.all().map((row, index) => {
    const about = seededRandom(seedOf(Number(row.id), index))
    return {
      contentType: row.content_type === 'live' ? 'live' : 'recorded',
      contentId: Number(row.id),
      ownerId: Number(row.owner_id),
      locked: row.locked === 1,
      lengthSeconds: about.between(240, 3_600),
      broadcast: {
        weekday: about.between(1, 6),
        startSeconds: about.between(28, 72) * 900,
        lengthSeconds: about.between(3, 9) * 900,
      },
    }
  })
}
