import { Temporal } from 'temporal-polyfill'
import type { StoredSegment } from '../../../../src/tools/emulator/analytics/segments/segment-writer.ts'

/**
 * Answers each endpoint of the analytics document from a list in memory, without indexes, sweeps or calendar
 * arithmetic. Slow and plain, and shares no code with `src`.
 */
export interface OracleQuestion {
  readonly path: string
  readonly ownerId: number
  readonly nowSeconds: number
  /** Before URL encoding. */
  readonly query: Readonly<Record<string, string>>
}

export function askOracle(segments: readonly StoredSegment[], question: OracleQuestion): { all: object[] } {
  const [report, ...rest] = question.path.split('/').slice(1)
  const contentType = rest.find((part) => part === 'live' || part === 'recorded')
  const ids = contentType === undefined ? undefined : question.query.content_id?.split(',').map(Number)
  const own = segments
    .filter((segment) => segment.ownerId === question.ownerId)
    .filter((segment) => contentType === undefined || segment.contentType === contentType)
    .filter((segment) => ids === undefined || ids.includes(segment.contentId))
    .toSorted((a, b) => a.startedAtSeconds - b.startedAtSeconds)
  const { query } = question
  const from = query.date_time_from === undefined ? undefined : readTime(query.date_time_from)
  const to = query.date_time_to === undefined ? undefined : readTime(query.date_time_to)
  const zone = query.date_time_from ?? query.date_time_to ?? '2026-01-01T00:00:00Z'
  const context: Context = { ...question, from: from ?? -1e12, to: to ?? 1e12, zone: zoneOf(zone) }
  if (report === 'viewers') return { all: viewers(own, context) }
  if (report === 'views')
    return { all: own.filter((segment) => isListed(segment, context)).map((s) => view(s, context)) }
  if (report === 'peak-viewer-numbers') return { all: peaks(own, context) }
  const inRange = own.filter((segment) => followsDefaultRule(segment, context))
  return { all: series(inRange, context, { metric: String(report), dimension: rest.at(-1) ?? '' }) }
}

interface Context extends OracleQuestion {
  readonly from: number
  readonly to: number
  readonly zone: string
}

function zoneOf(time: string): string {
  return /(Z|[+-]\d\d:\d\d)$/.exec(time)?.[0].replace('Z', '+00:00') ?? 'America/Los_Angeles'
}

function readTime(time: string): number {
  const local = Temporal.PlainDateTime.from(time.slice(0, 19))
  return local.toZonedDateTime(zoneOf(time)).epochMilliseconds / 1000
}

function zoned(seconds: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone)
}

function write(time: Temporal.ZonedDateTime): string {
  return time.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

function followsDefaultRule(segment: StoredSegment, { from, to }: Context): boolean {
  const { startedAtSeconds: started, finishedAtSeconds: finished } = segment
  const startedBefore = started < from
  const startedInside = started >= from && started <= to
  const finishedInside = finished !== null && finished >= from && finished <= to
  const finishedAfter = finished !== null && finished > to
  const unfinished = finished === null
  const a = startedBefore && finishedInside
  const b = startedInside && (finishedInside || unfinished)
  const c = startedInside && (finishedAfter || unfinished)
  return a || b || c
}

function isListed(segment: StoredSegment, context: Context): boolean {
  const { startedAtSeconds: started, finishedAtSeconds: finished } = segment
  const { from, to, query } = context
  if (query.list_unfinished_segments === 'false' && finished === null) return false
  if (query.inclusive_range === 'false' && !context.path.startsWith('/viewers')) {
    return finished !== null && started >= from && started <= to && finished >= from && finished <= to
  }
  return followsDefaultRule(segment, context)
}

function segmentFields(segment: StoredSegment, { zone }: Context) {
  return {
    content_type: segment.contentType,
    started_at: write(zoned(segment.startedAtSeconds, zone)),
    finished_at: segment.finishedAtSeconds === null ? null : write(zoned(segment.finishedAtSeconds, zone)),
    from: segment.fromSeconds,
    to: segment.toSeconds,
    client_id: segment.clientId,
    view_session_id: segment.viewSessionId,
    country: segment.country,
    city: segment.city,
    is_mobile_view: segment.isMobile,
    view_type: segment.viewType,
    device_info: segment.deviceInfo,
  }
}

function view(segment: StoredSegment, context: Context): object {
  return {
    type: 'View',
    attributes: {
      view_id: segment.segmentId,
      viewer_identifier: segment.viewerIdentifier,
      content_id: String(segment.contentId),
      ...segmentFields(segment, context),
    },
  }
}

function viewers(own: readonly StoredSegment[], context: Context): object[] {
  const listed = own.filter((segment) => isListed(segment, context))
  const wanted = context.query.viewer_identifier ?? ''
  const identifiers = [...new Set(listed.map((segment) => segment.viewerIdentifier))]
    .filter((identifier) => identifier !== null)
    .filter((identifier) => identifier.includes(wanted))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return identifiers.map((identifier) => {
    const theirs = listed.filter((segment) => segment.viewerIdentifier === identifier)
    const last = Math.max(...theirs.map((s) => s.finishedAtSeconds ?? Math.max(s.startedAtSeconds, context.nowSeconds)))
    return {
      type: 'Viewer',
      attributes: {
        viewer_identifier: identifier,
        last_activity: write(zoned(last, context.zone)),
        videos_watched: new Set(theirs.map((segment) => `${segment.contentType} ${segment.contentId}`)).size,
        segments: theirs.map((segment) => ({
          id: segment.segmentId,
          content_id: segment.contentId,
          ...segmentFields(segment, context),
        })),
      },
    }
  })
}

function series(
  inRange: readonly StoredSegment[],
  context: Context,
  { metric, dimension }: { metric: string; dimension: string },
): object[] {
  const measure = (segments: readonly StoredSegment[]) => {
    if (metric === 'total-views') return segments.length
    const counted = segments.map((s) => (metric === 'unique-devices' ? s.clientId : s.viewerIdentifier))
    return new Set(counted.filter((one) => one !== null)).size
  }
  const item = (dimension_type: string, point: string, value: number) => ({
    type: 'Series',
    attributes: { dimension_type, point, value },
  })
  const start = write(zoned(context.from, context.zone))
  if (dimension === 'summary') return [item('summary', start, measure(inRange))]
  const groups = Map.groupBy(inRange, (segment) => groupOf(segment, dimension, context))
  const measured = [...groups]
    .map(([name, members]) => ({ name, value: measure(members) }))
    .filter(({ value }) => value > 0)
  if (['month', 'day', 'hour'].includes(dimension))
    return measured.map(({ name, value }) => item(dimension, name, value))
  return measured
    .toSorted((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => item(`${dimension}:${name}`, start, value))
}

function groupOf(segment: StoredSegment, dimension: string, { from, zone }: Context): string {
  const at = zoned(Math.max(segment.startedAtSeconds, from), zone)
  switch (dimension) {
    case 'month':
      return write(at.with({ day: 1 }).startOfDay())
    case 'day':
      return write(at.startOfDay())
    case 'hour':
      return write(at.round({ smallestUnit: 'hour', roundingMode: 'floor' }))
    case 'location':
      return segment.country
    case 'device':
      return segment.deviceInfo.device.family
    default:
      return segment.viewType
  }
}

/** Counts at each moment at which the number can rise: the start of each bucket, and each start of a segment in it. */
function peaks(own: readonly StoredSegment[], { from, to, zone, nowSeconds, query }: Context): object[] {
  const unit = query.granularity === 'hour' ? 'hour' : 'minute'
  const contents = Map.groupBy(own, (s) => `${s.contentType} ${String(s.contentId).padStart(9, '0')}`)
  return [...contents]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, segments]) => {
      const items: object[] = []
      const watchingAt = (moment: number) => {
        const running = segments.filter(
          (s) => s.startedAtSeconds <= moment && moment < (s.finishedAtSeconds ?? nowSeconds),
        )
        return new Set(running.map((s) => s.viewSessionId)).size
      }
      let bucket = zoned(from, zone).round({ smallestUnit: unit, roundingMode: 'floor' })
      while (bucket.epochMilliseconds / 1000 < to) {
        const next = bucket.add(unit === 'hour' ? { hours: 1 } : { minutes: 1 })
        const [start, end] = [bucket, next].map((time) => time.epochMilliseconds / 1000) as [number, number]
        const moments = [Math.max(start, from), ...segments.map((s) => s.startedAtSeconds)].filter(
          (moment) => moment >= Math.max(start, from) && moment < Math.min(end, to),
        )
        const value = Math.max(0, ...moments.map(watchingAt))
        if (value > 0) {
          const { contentType, contentId } = segments[0] as StoredSegment
          items.push({
            type: 'PeakSeries',
            attributes: { content_type: contentType, content_id: contentId, time: write(bucket), value },
          })
        }
        bucket = next
      }
      return items
    })
}
