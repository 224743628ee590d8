import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SeriesQuestion } from '../../../../src/tools/cli/report/local-pieces.ts'
import { type LocalSeriesRow, localSeries } from '../../../../src/tools/cli/report/local-rows.ts'
import { describeDevice } from '../../../../src/tools/emulator/analytics/segments/device.ts'
import {
  openSegmentWriter,
  type StoredSegment,
} from '../../../../src/tools/emulator/analytics/segments/segment-writer.ts'
import { pages } from '../../../../src/tools/video-service/analytics/analytics.ts'
import { type AnalyticsServer, OWNED, startAnalytics } from '../../../tools/emulator/analytics/analytics-server.ts'
import { send } from '../../video-service/client.ts'

/** Both changes of the clocks of a year, as local dates. Kolkata has none. */
const CHANGES = {
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'America/Los_Angeles': ['2026-03-08', '2026-11-01'],
  'Australia/Lord_Howe': ['2026-04-05', '2026-10-04'],
  'Asia/Kolkata': ['2026-03-29', '2026-10-25'],
  // The clocks change at midnight: a day starts at 01:00, or its last hour comes twice.
  'America/Havana': ['2026-03-08', '2026-11-01'],
  'Asia/Beirut': ['2026-03-29', '2026-10-25'],
  // The clocks change at a quarter to: an hour starts at 02:45 or 03:45.
  'Pacific/Chatham': ['2026-04-05', '2026-09-27'],
} as const
type Zone = keyof typeof CHANGES
const ZONES = Object.keys(CHANGES) as Zone[]
const REPORTS = ['total-views', 'unique-devices', 'authenticated-viewers'] as const
const UNITS = ['month', 'day', 'hour'] as const
type Unit = (typeof UNITS)[number]

let server: AnalyticsServer
beforeAll(async () => {
  server = await startAnalytics()
})
afterAll(() => server.close())

interface View {
  readonly startSeconds: number
  /** Null while the view runs. */
  readonly seconds: number | null
  readonly person: number
}

function secondsOf(zoned: Temporal.ZonedDateTime): number {
  return zoned.epochMilliseconds / 1000
}

function zonedAt(seconds: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone)
}

function isoOf(zoned: Temporal.ZonedDateTime): string {
  return zoned.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

function storedOf({ startSeconds, seconds, person }: View, index: number): StoredSegment {
  const { info, isMobile } = describeDevice('Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0')
  return {
    ...OWNED[0],
    segmentId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    startedAtSeconds: startSeconds,
    finishedAtSeconds: seconds === null ? null : startSeconds + seconds,
    lastHeardAtSeconds: null,
    fromSeconds: null,
    toSeconds: null,
    clientId: `client-${person}`,
    viewSessionId: `session-${index}`,
    viewerIdentifier: person % 3 === 0 ? null : `viewer-${person}`,
    viewType: 'onsite',
    country: 'Germany',
    city: 'Berlin',
    deviceInfo: info,
    isMobile,
  }
}

function store(views: readonly View[]): void {
  server.database.exec('BEGIN; DELETE FROM watched_segments')
  const write = openSegmentWriter(server.database)
  for (const [index, view] of views.entries()) write(storedOf(view, index))
  server.database.exec('COMMIT')
}

/** The rows of the command, as its JSON has them. */
async function reported(question: SeriesQuestion, zone: string): Promise<readonly LocalSeriesRow[]> {
  const deps = {
    settings: { analyticsUrl: server.url },
    send,
    token: async () => ({ type: 'jwt', value: 'owner-1', expiresAtSeconds: 2e9 }) as const,
  }
  const rows: LocalSeriesRow[] = []
  for await (const page of localSeries(question, zone, (piece) => pages(deps, piece))) {
    rows.push(...page.rows)
  }
  return rows
}

interface Period {
  readonly fromSeconds: number
  readonly toSeconds: number
}

function startOfUnit(zoned: Temporal.ZonedDateTime, unit: Unit): Temporal.ZonedDateTime {
  if (unit === 'day') return zoned.startOfDay()
  if (unit === 'month') return zoned.with({ day: 1 }).startOfDay()
  const start = zoned.subtract({ minutes: zoned.minute, seconds: zoned.second })
  if (start.offset === zoned.offset) return start
  // The change may be at this very second, and `previous` is strictly before.
  return zoned.add({ seconds: 1 }).getTimeZoneTransition('previous') ?? start
}

function nextUnit(zoned: Temporal.ZonedDateTime, unit: Unit): number {
  if (unit !== 'hour')
    return secondsOf(
      startOfUnit(zoned, unit)
        .add({ [`${unit}s`]: 1 })
        .startOfDay(),
    )
  const change = zoned.getTimeZoneTransition('next')
  const next = 3600 - zoned.minute * 60 - zoned.second + secondsOf(zoned)
  return change === null ? next : Math.min(next, secondsOf(change))
}

/** Counts the raw views by the calendar of the zone. Takes only `has_running_views` from the rows of the command. */
function counted(
  views: readonly View[],
  report: SeriesQuestion['report'],
  unit: Unit,
  { fromSeconds, toSeconds }: Period,
  zone: string,
  withRunning: ReadonlySet<string>,
): LocalSeriesRow[] {
  const isIn = (seconds: number, from: number, to: number) => seconds >= from && seconds <= to
  const isListed = ({ startSeconds, seconds }: View, from: number, to: number) =>
    isIn(startSeconds, from, to) || (startSeconds < from && seconds !== null && isIn(startSeconds + seconds, from, to))
  const listed = views.filter((view) => isListed(view, fromSeconds, toSeconds))
  // Such a month or day can have no view that started in it.
  const starts = new Map<string, View[]>([...withRunning].map((point) => [point, []]))
  for (const view of listed.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const start = isoOf(startOfUnit(zonedAt(Math.max(view.startSeconds, fromSeconds), zone), unit))
    starts.set(start, [...(starts.get(start) ?? []), view])
  }
  const inOrder = [...starts].toSorted(([a], [b]) => Date.parse(a) - Date.parse(b))
  return inOrder.flatMap(([point, inside]) => {
    const from = Date.parse(point) / 1000
    const end = nextUnit(zonedAt(from, zone), unit)
    const has_running_views = withRunning.has(point)
    const last = Math.min(end - 1, toSeconds)
    const all = has_running_views ? views.filter((view) => isListed(view, Math.max(from, fromSeconds), last)) : inside
    const people = all.map(({ person }) => person).filter((person) => report === 'unique-devices' || person % 3 !== 0)
    const value = report === 'total-views' ? all.length : new Set(people).size
    const is_partial = from < fromSeconds || end - 1 > toSeconds
    return value === 0 ? [] : [{ dimension_type: unit, point, value, is_partial, has_running_views }]
  })
}

async function expectEqual(
  views: readonly View[],
  [report, unit, period, zone]: readonly [SeriesQuestion['report'], Unit, Period, Zone],
): Promise<readonly LocalSeriesRow[]> {
  const from = isoOf(zonedAt(period.fromSeconds, zone))
  const to = isoOf(zonedAt(period.toSeconds, zone))
  const rows = await reported({ report, dimension: unit, period: { from, to } }, zone)
  const withRunning = new Set(rows.filter((row) => row.has_running_views).map(({ point }) => point))
  expect(rows).toEqual(counted(views, report, unit, period, zone, withRunning))
  return rows
}

/** Views of 0 to 4 hours: one every 41 minutes for five days around a date, and some through the weeks around it. */
function viewsAround(date: string, zone: Zone): View[] {
  const middle = secondsOf(Temporal.PlainDate.from(date).toZonedDateTime(zone))
  const dense = Array.from({ length: 175 }, (_, at) => ({
    startSeconds: middle - 2 * 86_400 + at * 2_460,
    seconds: at % 11 === 0 ? null : (at * 7_919) % 14_400,
    person: (at * 31) % 17,
  }))
  const sparse = Array.from({ length: 60 }, (_, at) => ({
    startSeconds: middle - 45 * 86_400 + at * 131_977,
    seconds: (at * 7_919) % 14_400,
    person: at % 29,
  }))
  return [...dense, ...sparse]
}

describe.each(ZONES.flatMap((zone) => CHANGES[zone].map((date) => ({ zone, date }))))('$zone on $date', (change) => {
  const { zone, date } = change
  const views = viewsAround(date, zone)
  const at = (days: number) =>
    secondsOf(Temporal.PlainDate.from(date).add({ days }).toZonedDateTime({ timeZone: zone, plainTime: '00:00' }))
  const months = { fromSeconds: at(-40), toSeconds: at(40) - 1 }
  const days = [
    { fromSeconds: at(-1), toSeconds: at(3) - 1 },
    { fromSeconds: at(0), toSeconds: at(2) - 1 },
    { fromSeconds: at(-2) + 40_000, toSeconds: at(1) + 5_000 },
    { fromSeconds: at(0) + 1_800, toSeconds: at(0) + 30_000 },
    { fromSeconds: at(0) - 1_800, toSeconds: at(2) },
  ]

  test.each(REPORTS)('%s agree with counts from raw segments', async (report) => {
    store(views)
    for (const unit of ['month', 'day'] as const) await expectEqual(views, [report, unit, months, zone])
    for (const period of days) await expectEqual(views, [report, 'day', period, zone])
    for (const period of days.slice(2)) await expectEqual(views, [report, 'hour', period, zone])
  })
})

test.each(REPORTS)('%s of a period that ends as the clocks change have an hour for this second', async (report) => {
  const zone = 'Pacific/Chatham'
  const toSeconds = Date.UTC(2026, 3, 4, 14) / 1000
  const at = (sinceChange: number, seconds: number) => ({ startSeconds: toSeconds + sinceChange, seconds, person: 1 })
  const views = [at(-90_000, 89_000), at(-90_000, 90_000), at(-600, 60), at(-1, 60), at(0, 60), at(1, 60), at(900, 60)]
  store(views)
  const rows = await expectEqual(views, [report, 'hour', { fromSeconds: toSeconds - 86_400, toSeconds }, zone])
  expect(rows.slice(-2).map(({ point, is_partial }) => [point, is_partial])).toEqual([
    ['2026-04-05T03:00:00+13:45', false],
    ['2026-04-05T02:45:00+12:45', true],
  ])
  const around = { fromSeconds: toSeconds - 1_800, toSeconds: toSeconds + 7_200 }
  await expectEqual(views, [report, 'hour', around, zone])
})

test('random reports in random zones agree with counts from raw segments', async () => {
  const zone = fc.constantFrom(...ZONES, 'Africa/Casablanca', 'America/St_Johns', 'Asia/Kathmandu')
  const YEAR = Date.UTC(2026, 0, 1) / 1000
  const seconds = fc.integer({ min: 0, max: 364 * 96 }).map((quarters) => YEAR + quarters * 900)
  const view = fc.record({
    startSeconds: seconds,
    seconds: fc.option(fc.integer({ min: 0, max: 40_000 })),
    person: fc.integer({ min: 1, max: 6 }),
  })
  const property = fc.asyncProperty(
    zone,
    fc.tuple(seconds, seconds, fc.constantFrom(0, 59)),
    fc.array(view, { minLength: 40, maxLength: 80 }),
    fc.constantFrom(...REPORTS),
    fc.constantFrom(...UNITS),
    async (name, [one, other, odd], views, report, unit) => {
      store(views)
      const period = { fromSeconds: Math.min(one, other), toSeconds: Math.max(one, other) + odd }
      await expectEqual(views, [report, unit, period, name as Zone])
    },
  )
  // Ends on a busy machine too, and leaves time to name a counterexample.
  await fc.assert(property, { numRuns: 40, interruptAfterTimeLimit: 10_000 })
})

test.each([
  ['total-views', '2026-10-25', 'Europe/Berlin', []],
  ['unique-devices', '2026-03-29', 'Europe/Berlin', []],
  ['unique-devices', '2026-10-25', 'Europe/Berlin', ['2026-10-25T00:00:00+02:00']],
  ['authenticated-viewers', '2026-10-25', 'Europe/Berlin', ['2026-10-25T00:00:00+02:00']],
  ['unique-devices', '2026-04-05', 'Australia/Lord_Howe', ['2026-04-05T00:00:00+11:00']],
  ['unique-devices', '2026-11-01', 'America/Los_Angeles', ['2026-11-01T00:00:00-07:00']],
] as const)('the days of %s around %s in %s that also count running views are %j', async (report, date, zone, days) => {
  store(viewsAround(date, zone))
  const at = (day: number) => isoOf(Temporal.PlainDate.from(date).add({ days: day }).toZonedDateTime(zone))
  const rows = await reported({ report, dimension: 'day', period: { from: at(-2), to: at(2) } }, zone)
  expect(rows.filter((row) => row.has_running_views).map(({ point }) => point)).toEqual(days)
})
