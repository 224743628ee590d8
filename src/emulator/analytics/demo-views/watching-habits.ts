import { Temporal } from 'temporal-polyfill'
import type { ContentType } from '../segments/segment-tables.ts'
import type { SeededRandom } from './seeded-random.ts'

/** When a channel goes on air each week, in UTC. */
export interface Broadcast {
  /** 0 is Sunday. */
  readonly weekday: number
  /** After midnight. */
  readonly startSeconds: number
  readonly lengthSeconds: number
}

/** How likely someone starts to watch in the hour of this moment, from 0 to 1. */
type Liking = (atSeconds: number) => number

interface Arrival {
  readonly windowStartSeconds: number
  readonly windowSeconds: number
  readonly media: { readonly contentType: ContentType; readonly lengthSeconds: number; readonly broadcast: Broadcast }
  readonly likes: Liking
}

/** A stretch watched without a break. */
interface Piece {
  readonly startedAtSeconds: number
  readonly finishedAtSeconds: number
  /** Null for live. */
  readonly fromSeconds: number | null
}

const DAY_SECONDS = 86_400
/** By hour of the viewer's clock: asleep, at work, after lunch, at home in the evening. */
const LIKING_BY_HOUR = [
  0.12, 0.07, 0.05, 0.05, 0.06, 0.1, 0.2, 0.35, 0.5, 0.65, 0.72, 0.7, 0.62, 0.72, 0.75, 0.72, 0.68, 0.66, 0.72, 0.88, 1,
  0.95, 0.65, 0.3,
]
const MOST_PIECES = 12

/** The daily rhythm of a place, daylight saving time included. */
export function dailyRhythm(timeZone: string): Liking {
  return (atSeconds) =>
    LIKING_BY_HOUR[new Date((atSeconds + offsetSeconds(timeZone, atSeconds)) * 1000).getUTCHours()] ?? 0
}

/** One playing session: live from the arrival until the viewer leaves; a video with pauses and jumps. */
export function planSessionPieces(random: SeededRandom, arrival: Arrival): Piece[] {
  const { media, windowStartSeconds } = arrival
  if (media.contentType === 'recorded') return watchVideo(random, arriveAnyTime(random, arrival), media.lengthSeconds)
  const onAirSeconds = broadcastIn(media.broadcast, windowStartSeconds)
  if (onAirSeconds !== null && random.chance(0.85)) return watchBroadcast(random, onAirSeconds, media.broadcast)
  return watchLive(random, arriveAnyTime(random, arrival), 420)
}

function arriveAnyTime(random: SeededRandom, { windowStartSeconds, windowSeconds, likes }: Arrival): number {
  for (;;) {
    const at = windowStartSeconds + random.between(0, windowSeconds)
    if (random.chance(likes(at))) return at
  }
}

/** The start of the broadcast that begins in the day from this second on, if one does. */
function broadcastIn({ weekday, startSeconds }: Broadcast, windowStartSeconds: number): number | null {
  const midnight = Math.floor(windowStartSeconds / DAY_SECONDS) * DAY_SECONDS
  const starts = [midnight + startSeconds, midnight + DAY_SECONDS + startSeconds]
  return (
    starts.find(
      (start) =>
        start >= windowStartSeconds &&
        start < windowStartSeconds + DAY_SECONDS &&
        new Date(start * 1000).getUTCDay() === weekday,
    ) ?? null
  )
}

/** Most come in the first minutes, many stay until the end. */
function watchBroadcast(random: SeededRandom, onAirSeconds: number, { lengthSeconds }: Broadcast): Piece[] {
  const late = random.chance(0.7) ? random.around(240) : random.next() * lengthSeconds
  const start = onAirSeconds + Math.floor(Math.min(late, lengthSeconds - 60))
  const end = onAirSeconds + lengthSeconds + random.between(0, 90)
  return random.chance(0.55) ? livePieces(random, start, end) : watchLive(random, start, 900, end)
}

function watchLive(
  random: SeededRandom,
  startSeconds: number,
  meanSeconds: number,
  latestSeconds = Number.MAX_SAFE_INTEGER,
) {
  const end = startSeconds + 5 + Math.floor(random.around(meanSeconds))
  return livePieces(random, startSeconds, Math.min(end, latestSeconds))
}

/** Now and then the stream breaks off, or the viewer pauses, and goes on after a moment. */
function livePieces(random: SeededRandom, startSeconds: number, endSeconds: number): Piece[] {
  const pieces: Piece[] = []
  let at = startSeconds
  while (at < endSeconds && pieces.length < MOST_PIECES) {
    const finishedAtSeconds = Math.min(endSeconds, at + 20 + Math.floor(random.around(1_500)))
    pieces.push({ startedAtSeconds: at, finishedAtSeconds, fromSeconds: null })
    at = finishedAtSeconds + 2 + Math.floor(random.around(20))
  }
  return pieces
}

function watchVideo(random: SeededRandom, arrivalSeconds: number, lengthSeconds: number): Piece[] {
  const pieces: Piece[] = []
  let at = arrivalSeconds
  let position = random.chance(0.8) ? 0 : random.between(0, lengthSeconds)
  do {
    const played = Math.min(lengthSeconds - position, 3 + Math.floor(random.around(320)))
    pieces.push({ startedAtSeconds: at, finishedAtSeconds: at + played, fromSeconds: position })
    const jumps = random.chance(0.4)
    at += played + (jumps ? 1 : 5 + Math.floor(random.around(180)))
    position = jumps ? random.between(0, lengthSeconds) : position + played
  } while (position < lengthSeconds - 1 && pieces.length < MOST_PIECES && random.chance(0.6))
  return pieces
}

const offsets = new Map<string, number>()

/** The offset of a zone, asked once per zone and six hours: the changes of daylight saving time may come a little late. */
function offsetSeconds(timeZone: string, atSeconds: number): number {
  const quarter = Math.floor(atSeconds / (DAY_SECONDS / 4))
  const key = `${timeZone} ${quarter}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const instant = Temporal.Instant.fromEpochMilliseconds(quarter * (DAY_SECONDS / 4) * 1000)
  const offset = instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e9
  offsets.set(key, offset)
  return offset
}
