import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../server/sqlite-transaction.ts'
import { describeDevice } from '../segments/device.ts'
import { DEMO_PLACES } from '../segments/places.ts'
import type { ContentType } from '../segments/segment-tables.ts'
import { openSegmentWriter, type StoredSegment } from '../segments/segment-writer.ts'
import { DEMO_USER_AGENTS } from './demo-devices.ts'
import { type SeededRandom, seededRandom, seedOf } from './seeded-random.ts'

export interface GenerateOptions {
  /** The number of segments. */
  readonly count: number
  /** A whole number. The same seed, database and time give the same segments. */
  readonly seed: number
  /** The last segments run until now. Some of them are unfinished. */
  readonly nowSeconds: number
}

interface Media {
  readonly contentType: ContentType
  readonly contentId: number
  readonly ownerId: number
  readonly isLocked: boolean
}

const DAYS = 90
const DAY_SECONDS = 86_400
const SEGMENTS_PER_PERSON = 25
const MAX_SEGMENTS_PER_SESSION = 4
const PAUSE_SECONDS = 15
/** Only shapes the ids of clients. */
const FIRST_VISIT_SECONDS = Date.UTC(2026, 0, 1) / 1000
const NAMES = 'ada alan bela claude edith emmy grace hedy ida janos karen leo lise maria niklaus rosa tim vera'.split(
  ' ',
)

/**
 * Fills the database with plausible segments of all its channels and videos in the last 90 days. Most are in the
 * evening (UTC). Locked content has only authenticated viewers. Each day is one transaction, and only one day is in
 * memory.
 * @throws RangeError if there is no channel and no video, or the count is not a whole number from 0.
 */
export function generateSegments(database: DatabaseSync, { count, seed, nowSeconds }: GenerateOptions): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a number of segments: ${count}`)
  if (count === 0) return
  const media = readMedia(database)
  // The number of present segments is part of the seed, so that a second run adds new segments.
  const present = Number(database.prepare('SELECT count(*) AS present FROM segments').get()?.present)
  const random = seededRandom(seedOf(seed, present))
  const audience = Math.max(25, Math.floor(count / SEGMENTS_PER_PERSON))
  const write = openSegmentWriter(database, { cacheRowIds: true })
  let written = 0
  for (let day = 1; day <= DAYS; day += 1) {
    const untilToday = day === DAYS ? count : Math.round((count * (day - 0.6 * random.next())) / DAYS)
    const dayStartSeconds = nowSeconds - (DAYS - day + 1) * DAY_SECONDS
    const segments: StoredSegment[] = []
    while (segments.length < untilToday - written) {
      const watched = media[random.low(media.length)]
      if (watched === undefined) throw new RangeError('There is no channel and no video that could be watched')
      const person = makePerson(seed, random.low(audience), watched.isLocked)
      segments.push(...watch(random, { person, watched, startSeconds: arrival(random, dayStartSeconds), nowSeconds }))
    }
    const wanted = segments.slice(0, untilToday - written).sort((a, b) => a.startedAtSeconds - b.startedAtSeconds)
    inTransaction(database, () => {
      for (const segment of wanted) write(segment)
    })
    written = untilToday
  }
}

type Person = Pick<
  StoredSegment,
  'clientId' | 'viewerIdentifier' | 'viewType' | 'country' | 'city' | 'deviceInfo' | 'isMobile'
>

/** Makes person n, always with the same name, place and device. */
function makePerson(seed: number, index: number, mustSignIn: boolean): Person {
  const random = seededRandom(seedOf(seed, index))
  const { country = '', city = '' } = DEMO_PLACES[random.low(DEMO_PLACES.length)] ?? {}
  const device = describeDevice(DEMO_USER_AGENTS[random.low(DEMO_USER_AGENTS.length)] ?? '')
  const name = `${NAMES[index % NAMES.length]}${Math.floor(index / NAMES.length) || ''}@example.com`
  return {
    clientId: random.uuid(FIRST_VISIT_SECONDS),
    viewType: random.chance(0.7) ? 'offsite' : 'onsite',
    viewerIdentifier: mustSignIn || random.chance(0.35) ? name : null,
    country,
    city,
    deviceInfo: device.info,
    isMobile: device.isMobile,
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
  readonly watched: Media
  readonly startSeconds: number
  readonly nowSeconds: number
}

/** Makes one session: a few segments with pauses between them. A segment that runs now is unfinished. */
function watch(random: SeededRandom, { person, watched, startSeconds, nowSeconds }: Visit): StoredSegment[] {
  const { isLocked, ...content } = watched
  const viewSessionId = random.uuid(startSeconds)
  const segments: StoredSegment[] = []
  let at = startSeconds
  let position = 0
  do {
    const end = at + 10 + Math.floor(random.around(400))
    const played = Math.min(end, nowSeconds) - at
    segments.push({
      ...content,
      ...person,
      segmentId: random.uuid(at),
      viewSessionId,
      startedAtSeconds: at,
      finishedAtSeconds: end > nowSeconds ? null : end,
      lastHeardAtSeconds: null,
      fromSeconds: content.contentType === 'live' ? null : position,
      toSeconds: content.contentType === 'live' ? null : position + played,
    })
    at = end + PAUSE_SECONDS
    position += played
  } while (at < nowSeconds && segments.length < MAX_SEGMENTS_PER_SESSION && random.chance(0.4))
  return segments
}

function readMedia(database: DatabaseSync): Media[] {
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
