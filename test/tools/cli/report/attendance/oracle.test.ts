import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'
import { type RawSegment, startViewsService } from './views-service.ts'

const timeZone = process.env.TZ
afterEach(() => {
  vi.useRealTimers()
  if (timeZone === undefined) delete process.env.TZ
  else process.env.TZ = timeZone
})

/** Most offsets have half hours or quarters. The clocks change on Lord Howe by half an hour, at the second of the dates. */
const ZONES = ['Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu', 'Europe/Berlin']
const DATES = ['2026-11-20T18:00:00Z', '2026-10-03T14:00:00Z', '2026-10-25T00:00:00Z']
const NAMES = [
  'ada@example.com',
  'grace.hopper@example.com',
  'Zoë Müller',
  "Seán O'Casey-Ní Dhomhnaill of Dublin",
  'maximiliana.mustermann@example.com',
  'Maximiliana.Mustermann@example.com',
  '李小龍@example.com',
  'alan.turing@bletchley.example.com',
]
/** What a service may do to names. Other changes are not mended. */
const CHANGES: Readonly<Record<string, (name: string) => string>> = {
  nothing: (name) => name,
  'other letters': (name) => name.toUpperCase(),
  'other accents': (name) => name.normalize('NFD'),
}

const HOUR = 3_600
const segment = fc.record({
  person: fc.option(fc.nat({ max: NAMES.length - 1 }), { freq: 12 }),
  client: fc.constantFrom('phone', 'laptop'),
  type: fc.constantFrom('live', 'recorded'),
  isElsewhere: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
  /** From the start of the period. */
  start: fc.integer({ min: -4 * HOUR, max: 7 * HOUR }),
  seconds: fc.option(fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 12 * HOUR })), { freq: 9 }),
} as const)
const scenario = fc.record({
  zone: fc.constantFrom(...ZONES),
  date: fc.constantFrom(...DATES),
  change: fc.constantFrom(...Object.keys(CHANGES)),
  invited: fc.subarray(NAMES, { minLength: 1 }),
  segments: fc.array(segment, { maxLength: 40 }),
  hours: fc.integer({ min: 0, max: 6 }),
  /** The time of the report, after the start of the period. */
  now: fc.integer({ min: 1, max: 12 * HOUR }),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

interface Expected {
  readonly status: string
  readonly first_in: number | null
  readonly last_out: number | null
  readonly live_minutes: number
  readonly recorded_minutes: number
  readonly minutes: number
}

/** Returns the segments as the service has them: none is in the future. */
function rawOf({ segments, date, now, change }: Scenario): RawSegment[] {
  const from = Date.parse(date) / 1000
  return segments
    .filter(({ start }) => start <= now)
    .map(({ person, client, type, isElsewhere, start, seconds }) => ({
      client,
      type,
      content: isElsewhere ? '1002' : type === 'live' ? '1001' : '2001',
      name: person === null ? null : (CHANGES[change]?.(NAMES[person] ?? '') ?? ''),
      startSeconds: from + start,
      endSeconds: seconds === null || start + seconds > now ? null : from + start + seconds,
    }))
}

/** Counts second by second. */
function watchedOf(segments: readonly RawSegment[], from: number, to: number, now: number): Omit<Expected, 'status'> {
  const seconds = { live: new Set<number>(), recorded: new Set<number>() }
  const ends: number[] = []
  for (const { type, startSeconds, endSeconds } of segments) {
    const start = Math.max(startSeconds, from)
    const end = Math.min(endSeconds ?? now, to)
    ends.push(start, end)
    for (let second = start; second < end; second += 1) seconds[type].add(second)
  }
  const minutes = (count: number) => Math.round((count / 60) * 100) / 100
  return {
    first_in: ends.length === 0 ? null : Math.min(...ends),
    last_out: ends.length === 0 ? null : Math.max(...ends),
    live_minutes: minutes(seconds.live.size),
    recorded_minutes: minutes(seconds.recorded.size),
    minutes: minutes(new Set([...seconds.live, ...seconds.recorded]).size),
  }
}

/** Returns the invited names that are the name of the service, else those that are it without regard to case. */
function fitting(served: string, invited: readonly string[]): readonly string[] {
  const key = (name: string) => name.toLowerCase().normalize('NFC')
  return invited.includes(served) ? [served] : invited.filter((name) => key(name) === key(served))
}

/** Reads the raw segments. Returns what the report must say of each name. */
function expectedOf(given: Scenario, raw: readonly RawSegment[], to: number): Map<string, Expected> {
  const from = Date.parse(given.date) / 1000
  const now = from + given.now
  const inside = raw.filter(
    ({ type, content, startSeconds, endSeconds }) =>
      content === (type === 'live' ? '1001' : '2001') && startSeconds <= to && (endSeconds ?? now) >= from,
  )
  const servedNames = [...new Set(inside.flatMap(({ name }) => name ?? []))]
  const fits = new Map(servedNames.map((served) => [served, fitting(served, given.invited)]))
  const rows = new Map<string, Expected>()
  for (const name of given.invited) {
    const own = servedNames.filter((served) => fits.get(served)?.join() === name)
    const isUnclear = servedNames.some((served) => fits.get(served)?.includes(name))
    const of = inside.filter((one) => own.includes(one.name ?? ''))
    const status = of.length > 0 ? 'came' : isUnclear ? 'unclear' : 'missing'
    rows.set(name, { status, ...watchedOf(of, from, to, now) })
  }
  for (const served of servedNames) {
    if (fits.get(served)?.length === 1) continue
    const of = inside.filter(({ name }) => name === served)
    rows.set(`other ${served}`, { status: 'came', ...watchedOf(of, from, to, now) })
  }
  for (const device of new Set(inside.flatMap(({ name, client }) => (name === null ? client : [])))) {
    const of = inside.filter(({ name, client }) => name === null && client === device)
    rows.set(`guest ${device}`, { status: 'came', ...watchedOf(of, from, to, now) })
  }
  return rows
}

interface Row extends Omit<Expected, 'first_in' | 'last_out'> {
  readonly viewer: string | null
  readonly kind: string
  readonly client_id: string | null
  readonly first_in: string | null
  readonly last_out: string | null
}

function reportedOf(rows: readonly Row[]): Map<string, Expected> {
  const seconds = (time: string | null) => (time === null ? null : Date.parse(time) / 1000)
  return new Map(
    rows.map(({ viewer, kind, client_id, status, first_in, last_out, live_minutes, recorded_minutes, minutes }) => {
      const key = kind === 'guest' ? `guest ${client_id}` : kind === 'unknown' ? `other ${viewer}` : (viewer ?? '')
      const times = { first_in: seconds(first_in), last_out: seconds(last_out) }
      return [key, { status, ...times, live_minutes, recorded_minutes, minutes }]
    }),
  )
}

test('attendance of random segments agrees with seconds that are counted one by one', async () => {
  const cwd = temporaryFolder()
  const { env, state } = await startViewsService([])
  // Loads the code of the command, which takes long on a busy machine.
  await runHere(['report', 'attendance', '--channel', '1001', '--last', '1d'], { cwd, env })
  vi.useFakeTimers({ toFake: ['Date'] })
  const property = fc.asyncProperty(scenario, async (given) => {
    process.env.TZ = given.zone
    const fromSeconds = Date.parse(given.date) / 1000
    const to = fromSeconds + given.hours * HOUR
    vi.setSystemTime((fromSeconds + given.now) * 1000)
    state.segments = rawOf(given)
    writeFileSync(join(cwd, 'invited.csv'), `username\n${given.invited.map((name) => `"${name}"\n`).join('')}`)
    const period = ['--from', given.date, '--to', new Date(to * 1000).toISOString().replace('.000', '')]
    const options = ['--channel', '1001', '--video', '2001', '--invited', join(cwd, 'invited.csv'), '--json']
    const { status, stdout, stderr } = await runHere(['report', 'attendance', ...period, ...options], { cwd, env })
    expect([status, stderr]).toEqual([0, expect.stringContaining('invited')])
    const expected = expectedOf(given, state.segments, to)
    const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
    expect([...reportedOf(JSON.parse(stdout))].sort(byName)).toEqual([...expected].sort(byName))
  })
  // Ends on a busy machine too, and leaves time to name a counterexample.
  await fc.assert(property, { numRuns: 100, interruptAfterTimeLimit: 8_000 })
})
