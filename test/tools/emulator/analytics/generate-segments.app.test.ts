import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { generateSegments } from '../../../../src/tools/emulator/analytics/demo-views/generate-segments.ts'
import { openDatabase } from '../../../../src/tools/emulator/database.ts'
import { openAnalyticsDatabase } from './analytics-server.ts'

const NOW = Date.UTC(2026, 10, 20, 15) / 1000
const DAY = 86_400

let database: DatabaseSync
beforeEach(() => {
  database = openAnalyticsDatabase()
})
afterEach(() => database.close())

function generated(count: number, seed = 1): DatabaseSync {
  generateSegments(database, { count, seed, nowSeconds: NOW })
  return database
}
const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {}).map(Number)
const contents = (from: DatabaseSync) => from.prepare('SELECT * FROM watched_segments ORDER BY id').all()

describe('generated segments', () => {
  test('the same seed generates the same segments, another seed others', () => {
    const rows = contents(generated(500))
    const again = openAnalyticsDatabase()
    generateSegments(again, { count: 500, seed: 1, nowSeconds: NOW })
    const other = openAnalyticsDatabase()
    generateSegments(other, { count: 500, seed: 2, nowSeconds: NOW })
    expect(contents(again)).toEqual(rows)
    expect(contents(other)).not.toEqual(rows)
    again.close()
    other.close()
  })
  test('generated segments start in the last 90 days, and running ones are unfinished', () => {
    generated(6_000)
    const [earliest, latest, latestEnd, unfinished] = one(
      'SELECT min(started_at), max(started_at), max(finished_at), sum(finished_at IS NULL) FROM watched_segments',
    ) as [number, number, number, number]
    expect(earliest).toBeGreaterThanOrEqual(NOW - 90 * DAY)
    expect(latest).toBeLessThan(NOW)
    expect(latestEnd).toBeLessThanOrEqual(NOW)
    expect(unfinished).toBeGreaterThan(0)
  })
  test('every channel and video gets segments, with its own owner', () => {
    generated(2_000)
    const pairs = database
      .prepare('SELECT DISTINCT content_type, content_id, owner_id FROM watched_segments ORDER BY content_id')
      .all()
    expect(pairs.map(({ content_id, owner_id }) => [content_id, owner_id])).toEqual([
      [11, 1],
      [12, 1],
      [13, 2],
      [21, 1],
      [22, 1],
      [23, 2],
    ])
  })
  test('locked channels and videos have only authenticated viewers, others have both kinds', () => {
    generated(2_000)
    expect(
      one('SELECT count(*) FROM watched_segments WHERE content_id IN (11, 21) AND viewer_identifier IS NULL'),
    ).toEqual([0])
    const [anonymous, known] = one(
      'SELECT sum(viewer_identifier IS NULL), count(viewer_identifier) FROM watched_segments WHERE content_id IN (12, 22)',
    ) as [number, number]
    expect(Math.min(anonymous, known)).toBeGreaterThan(100)
  })
  test('segments of one session never overlap and share content, client, viewer and place', () => {
    generated(2_000)
    expect(
      one(`SELECT count(*) FROM watched_segments a JOIN watched_segments b ON a.view_session_id = b.view_session_id AND a.id <> b.id
           WHERE (a.started_at <= b.started_at AND b.started_at < a.finished_at)
              OR a.content_id <> b.content_id OR a.client_id <> b.client_id
              OR a.viewer_identifier IS NOT b.viewer_identifier OR a.city <> b.city`),
    ).toEqual([0])
    const [segments, sessions] = one('SELECT count(*), count(DISTINCT view_session_id) FROM watched_segments') as [
      number,
      number,
    ]
    expect(segments).toBeGreaterThan(sessions)
  })
  test('only segments of videos have positions, which move as fast as the clock', () => {
    generated(3_000)
    expect(
      one(`SELECT sum(content_type = 'live' AND (from_position IS NOT NULL OR to_position IS NOT NULL)),
             sum(content_type = 'recorded' AND to_position - from_position IS NOT coalesce(finished_at, ${NOW}) - started_at)
           FROM watched_segments`),
    ).toEqual([0, 0])
  })
})

test.each([-1, 1.5, Number.NaN])('a count of %d segments is refused', (count) => {
  expect(() => generateSegments(database, { count, seed: 1, nowSeconds: NOW })).toThrow(RangeError)
})

test('a database without channels and videos is refused', () => {
  const empty = openDatabase(':memory:')
  expect(() => generateSegments(empty, { count: 1, seed: 1, nowSeconds: NOW })).toThrow(RangeError)
  empty.close()
})
